/** Options of DELETE: in the body or, without one, in the query. */
import { ApiError, type StatusCause } from '../api/errors/api-error.js';
import type { DeleteOptions } from '../apiserver/store/server-types.js';
import type { ApiRequest } from './api-request.js';
import { deleteBody } from './bodies/delete-body.js';
import { booleanOption, integerOption, textOption } from './query-options.js';

/** The options, and whether nothing shall be written. */
export interface DeleteWish {
  readonly options: DeleteOptions;
  readonly isDryRun: boolean;
  /** Whether `orphanDependents: false` was said: a deletion that goes on is then answered with 202. */
  readonly isExplicitlyCascading: boolean;
}

interface WideOptions extends DeleteOptions {
  readonly dryRun?: readonly string[] | undefined;
  readonly orphanDependents?: boolean | undefined;
}

const POLICIES: ReadonlySet<string> = new Set(['Background', 'Foreground', 'Orphan']);

/** @throws ApiError 400, 415, 422 or 500 */
export function deleteWish(request: ApiRequest): DeleteWish {
  const wide: WideOptions = deleteBody(request) ?? queryOptions(request.query);
  const faults = faultsOf(wide);
  if (faults.length > 0) throw invalidOptions(faults);
  const { dryRun = [], orphanDependents, ...options } = wide;
  const shared = { isDryRun: dryRun.length > 0, isExplicitlyCascading: orphanDependents === false };
  if (orphanDependents === undefined) return { options, ...shared };
  return { options: { ...options, propagationPolicy: orphanDependents ? 'Orphan' : 'Background' }, ...shared };
}

function queryOptions(query: URLSearchParams): WideOptions {
  const [uid, resourceVersion] = [textOption(query, 'uid'), textOption(query, 'resourceVersion')];
  return {
    gracePeriodSeconds: integerOption(query, 'gracePeriodSeconds'),
    propagationPolicy: (query.get('propagationPolicy') ?? undefined) as DeleteOptions['propagationPolicy'],
    orphanDependents: booleanOption(query, 'orphanDependents'),
    dryRun: query.getAll('dryRun'),
    ...(uid === undefined && resourceVersion === undefined ? {} : { preconditions: { uid, resourceVersion } }),
  };
}

/** As ValidateDeleteOptions of apimachinery's meta/v1/validation. */
function faultsOf({ orphanDependents, propagationPolicy: policy, dryRun = [] }: WideOptions): readonly StatusCause[] {
  const faults: StatusCause[] = [];
  const field = 'propagationPolicy';
  if (orphanDependents !== undefined && policy !== undefined) {
    const why = 'orphanDependents and deletionPropagation cannot be both set';
    faults.push({ reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(policy)}: ${why}`, field });
  }
  if (policy !== undefined && !POLICIES.has(policy)) {
    const supported = 'supported values: "Foreground", "Background", "Orphan", "nil"';
    const message = `Unsupported value: ${JSON.stringify(policy)}: ${supported}`;
    faults.push({ reason: 'FieldValueNotSupported', message, field });
  }
  if (dryRun.some((each) => each !== 'All')) {
    const message = `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`;
    faults.push({ reason: 'FieldValueNotSupported', message, field: 'dryRun' });
  }
  return faults;
}

function invalidOptions(causes: readonly StatusCause[]): ApiError {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const text = texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`;
  const details = { group: 'meta.k8s.io', kind: 'DeleteOptions', causes };
  return new ApiError(422, 'Invalid', `DeleteOptions.meta.k8s.io "" is invalid: ${text}`, details);
}
