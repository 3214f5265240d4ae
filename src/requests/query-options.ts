/** Options in the query of a request, read as upstream's decoder of url.Values reads them (v1.34). */
import { ApiError, type StatusCause } from '../api/errors/api-error.js';
import { quoted } from '../api/go/go-json.js';
import { parseFieldSelector } from '../api/selectors/field-selector.js';
import { parseInt64 } from '../api/selectors/label-requirement.js';
import { parseLabelSelector } from '../api/selectors/labels.js';
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
  /** Whether the query asks for a watch; old paths do without. */
  readonly isWatch: boolean;
  readonly timeoutSeconds: number | undefined;
  readonly limit: number | undefined;
  readonly continue: string | undefined;
}

/** The options of a request for a collection, looked over in upstream's order. @throws ApiError 400 or 422 */
export function collectionOptions(query: URLSearchParams, namespace: string | undefined): CollectionOptions {
  const timeoutSeconds = integerOption(query, 'timeoutSeconds');
  const limit = integerOption(query, 'limit');
  const labelSelector = textOption(query, 'labelSelector');
  if (labelSelector !== undefined) parseLabelSelector(labelSelector);
  const fieldSelector = textOption(query, 'fieldSelector');
  if (fieldSelector !== undefined) parseFieldSelector(fieldSelector);
  const options = {
    selection: { namespace, labelSelector, fieldSelector },
    resourceVersion: textOption(query, 'resourceVersion'),
    resourceVersionMatch: textOption(query, 'resourceVersionMatch'),
    sendInitialEvents: booleanOption(query, 'sendInitialEvents'),
    allowWatchBookmarks: booleanOption(query, 'allowWatchBookmarks') ?? false,
    timeoutSeconds,
    isWatch: booleanOption(query, 'watch') ?? false,
    limit,
    continue: textOption(query, 'continue'),
  };
  refuseListFaults(options.isWatch ? watchFaults(options) : faultsOfList(options));
  return options;
}

/** The options of a list. */
export function listOptions({ selection, ...options }: CollectionOptions): ListOptions {
  const { resourceVersion, resourceVersionMatch, limit, continue: token } = options;
  return {
    ...selection,
    resourceVersion,
    resourceVersionMatch: resourceVersionMatch as ListOptions['resourceVersionMatch'],
    limit,
    continue: token,
  };
}

/** What a request that collects, or deletes a collection, may not say. */
function faultsOfList(options: CollectionOptions): readonly StatusCause[] {
  const faults = listFaults(listOptions(options));
  if (options.sendInitialEvents === undefined) return faults;
  return [...faults, forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')];
}

/** As validateWatchOptions of apimachinery's meta/internalversion/validation. */
function watchFaults(options: CollectionOptions): readonly StatusCause[] {
  const { sendInitialEvents, continue: token } = options;
  const match = matchOfWatch(options);
  const field = 'resourceVersionMatch';
  const isNotOlder = match === 'NotOlderThan';
  const faults: StatusCause[] = [];
  if (sendInitialEvents !== undefined && !isNotOlder) {
    faults.push(forbidden(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match === '') return faults;
  if (sendInitialEvents === undefined && options.resourceVersionMatch !== undefined) {
    faults.push(forbidden(field, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
  }
  if (!isNotOlder) {
    const message = `Unsupported value: ${JSON.stringify(match)}: supported values: "NotOlderThan"`;
    faults.push({ reason: 'FieldValueNotSupported', message, field });
  }
  if (token !== undefined) faults.push(forbidden(field, 'resourceVersionMatch is forbidden when continue is provided'));
  return faults;
}

/** A watch of the present state that says nothing else is one that begins with it (SetListOptionsDefaults). */
function matchOfWatch({ resourceVersion = '', resourceVersionMatch, sendInitialEvents }: CollectionOptions): string {
  const isPlain = resourceVersionMatch === undefined && sendInitialEvents === undefined;
  return isPlain && (resourceVersion === '' || resourceVersion === '0') ? 'NotOlderThan' : (resourceVersionMatch ?? '');
}

function forbidden(field: string, why: string): StatusCause {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field };
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
    const message = `Invalid value: ${quoted(name)}: invalid character U+${point} (at position ${bad.index})`;
    causes.push({ reason: 'FieldValueInvalid', message, field });
  }
  return causes;
}

/** `undefined` when it is absent or empty. */
export function textOption(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name) ?? '';
  return text === '' ? undefined : text;
}

/** As apimachinery reads booleans of a query (pkg/runtime/conversion.go): any text is true but `false` and `0`. */
export function booleanOption(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  return text === null ? undefined : text !== '0' && text.toLowerCase() !== 'false';
}

/** @throws ApiError 400 with Go's text; an empty text is no number either */
export function integerOption(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (parseInt64(text) !== undefined) return Number(text);
  const why = /^[+-]?\d+$/.test(text) ? 'value out of range' : 'invalid syntax';
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
}
