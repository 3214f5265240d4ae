/** Options in the query of a request, read as upstream's decoder of url.Values reads them (v1.34). */
import { ApiError } from '../api/errors/api-error.js';
import { badRequest } from '../apiserver/store/api-errors.js';
import { listFaults, refuseListFaults } from '../apiserver/store/list-options.js';
import type { ListOptions, Selection } from '../apiserver/store/server-types.js';

/** What is read of lists and watches alike. */
export interface CollectionOptions {
  readonly selection: Selection;
  readonly resourceVersion: string | undefined;
  readonly resourceVersionMatch: string | undefined;
  readonly sendInitialEvents: boolean | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
  readonly limit: number | undefined;
  readonly continue: string | undefined;
}

/** @throws ApiError 400 for a number or a boolean that is none */
export function collectionOptions(query: URLSearchParams, namespace: string | undefined): CollectionOptions {
  return {
    selection: {
      namespace,
      labelSelector: textOption(query, 'labelSelector'),
      fieldSelector: textOption(query, 'fieldSelector'),
    },
    resourceVersion: textOption(query, 'resourceVersion'),
    resourceVersionMatch: textOption(query, 'resourceVersionMatch'),
    sendInitialEvents: booleanOption(query, 'sendInitialEvents'),
    allowWatchBookmarks: booleanOption(query, 'allowWatchBookmarks') ?? false,
    timeoutSeconds: integerOption(query, 'timeoutSeconds'),
    limit: integerOption(query, 'limit'),
    continue: textOption(query, 'continue'),
  };
}

/** The options of a list. @throws ApiError 422 for what only watches have */
export function listOptions(options: CollectionOptions): ListOptions {
  const { selection, resourceVersion, resourceVersionMatch, limit, continue: token } = options;
  const list: ListOptions = {
    ...selection,
    resourceVersion,
    resourceVersionMatch: resourceVersionMatch as ListOptions['resourceVersionMatch'],
    limit,
    continue: token,
  };
  if (options.sendInitialEvents !== undefined) {
    const message = 'Forbidden: sendInitialEvents is forbidden for list';
    refuseListFaults([...listFaults(list), { reason: 'FieldValueForbidden', message, field: 'sendInitialEvents' }]);
  }
  return list;
}

/** A refusal of an option of a watch. */
export function badListOption(field: string, why: string): ApiError {
  const message = `Forbidden: ${why}`;
  return invalidOptions('ListOptions', [{ reason: 'FieldValueForbidden', message, field }]);
}

interface OptionCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

function invalidOptions(kind: string, causes: readonly OptionCause[]): ApiError {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const text = texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`;
  const details = { group: 'meta.k8s.io', kind, causes };
  return new ApiError(422, 'Invalid', `${kind}.meta.k8s.io "" is invalid: ${text}`, details);
}

/** What becomes of fields that a kind does not know. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** Options of requests that write. */
export interface WriteOptions {
  readonly isDryRun: boolean;
  /** Absent = by the user agent. */
  readonly fieldManager: string | undefined;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean | undefined;
}

const VALIDATIONS: ReadonlySet<string> = new Set(['', 'Ignore', 'Strict', 'Warn']);
const LONGEST_MANAGER = 128;

/** @throws ApiError 400 or 422 for a value that is not allowed */
export function writeOptions(
  query: URLSearchParams,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
): WriteOptions {
  const causes: OptionCause[] = [];
  const dryRun = query.getAll('dryRun');
  const fieldManager = textOption(query, 'fieldManager');
  const fieldValidation = textOption(query, 'fieldValidation') ?? '';
  const force = booleanOption(query, 'force');
  causes.push(...managerCauses(fieldManager ?? ''));
  if (dryRun.some((each) => each !== 'All')) {
    const message = `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`;
    causes.push({ reason: 'FieldValueNotSupported', message, field: 'dryRun' });
  }
  if (!VALIDATIONS.has(fieldValidation)) {
    const supported = 'supported values: "", "Ignore", "Strict", "Warn"';
    const message = `Unsupported value: ${JSON.stringify(fieldValidation)}: ${supported}`;
    causes.push({ reason: 'FieldValueNotSupported', message, field: 'fieldValidation' });
  }
  if (causes.length > 0) throw invalidOptions(kind, causes);
  return {
    isDryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as FieldValidation),
    force,
  };
}

/** @throws ApiError 422 unless the options fit the type of the patch */
export function checkPatchOptions({ fieldManager = '', force }: WriteOptions, isApply: boolean): void {
  const causes: OptionCause[] = [];
  if (isApply && fieldManager === '') {
    const message = 'Required value: is required for apply patch';
    causes.push({ reason: 'FieldValueRequired', message, field: 'fieldManager' });
  }
  if (!isApply && force !== undefined) {
    const message = 'Forbidden: may not be specified for non-apply patch';
    causes.push({ reason: 'FieldValueForbidden', message, field: 'force' });
  }
  if (causes.length > 0) throw invalidOptions('PatchOptions', causes);
}

function managerCauses(name: string): readonly OptionCause[] {
  const field = 'fieldManager';
  const causes: OptionCause[] = [];
  if (Buffer.byteLength(name) > LONGEST_MANAGER) {
    const message = `Too long: may not be more than ${LONGEST_MANAGER} bytes`;
    causes.push({ reason: 'FieldValueTooLong', message, field });
  }
  const bad = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(name);
  if (bad !== null) {
    const point = (bad[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const message = `Invalid value: ${JSON.stringify(name)}: invalid character U+${point} (at position ${bad.index})`;
    causes.push({ reason: 'FieldValueInvalid', message, field });
  }
  return causes;
}

/** `undefined` when it is absent or empty. */
export function textOption(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name) ?? '';
  return text === '' ? undefined : text;
}

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/** As apimachinery reads booleans of a query: no value is true, `false` and `0` are false, others as Go's ParseBool. */
export function booleanOption(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (text === '' || TRUE.has(text)) return true;
  if (FALSE.has(text)) return false;
  throw badRequest(`strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`);
}

/** @throws ApiError 400 with Go's text */
export function integerOption(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? '';
  if (text === '') return undefined;
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}
