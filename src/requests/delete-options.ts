/** Options of DELETE: in the body or, without one, in the query. */
import { ApiError } from '../api/errors/api-error.js';
import { internalError } from '../apiserver/store/api-errors.js';
import { checkDryRun } from '../apiserver/requests/preconditions.js';
import type { DeleteOptions } from '../apiserver/store/server-types.js';
import type { ApiRequest } from './api-request.js';
import { booleanOption, integerOption, textOption } from './query-options.js';

/** The options, and whether nothing shall be written. */
export interface DeleteWish {
  readonly options: DeleteOptions;
  readonly isDryRun: boolean;
  /** Whether `orphanDependents: false` was said: a deletion that goes on is then answered with 202. */
  readonly isExplicitlyCascading: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

interface WideOptions extends DeleteOptions {
  readonly dryRun?: readonly string[] | undefined;
  readonly orphanDependents?: boolean | undefined;
}

/** @throws ApiError 400, 422 or 500 */
export function deleteWish(request: ApiRequest): DeleteWish {
  const wide = bodyOptions(request) ?? queryOptions(request.query);
  const { dryRun = [], orphanDependents, ...options } = wide;
  checkDryRun(dryRun);
  const shared = { isDryRun: dryRun.length > 0, isExplicitlyCascading: orphanDependents === false };
  if (orphanDependents === undefined) return { options, ...shared };
  const { propagationPolicy: policy } = options;
  if (policy === undefined) {
    return { options: { ...options, propagationPolicy: orphanDependents ? 'Orphan' : 'Background' }, ...shared };
  }
  const field = 'propagationPolicy';
  const message = `Invalid value: ${JSON.stringify(policy)}: orphanDependents and deletionPropagation cannot be both set`;
  throw new ApiError(422, 'Invalid', `DeleteOptions.meta.k8s.io "" is invalid: ${field}: ${message}`, {
    group: 'meta.k8s.io',
    kind: 'DeleteOptions',
    causes: [{ reason: 'FieldValueInvalid', message, field }],
  });
}

function queryOptions(query: URLSearchParams): WideOptions {
  return {
    gracePeriodSeconds: integerOption(query, 'gracePeriodSeconds'),
    propagationPolicy: textOption(query, 'propagationPolicy') as DeleteOptions['propagationPolicy'],
    orphanDependents: booleanOption(query, 'orphanDependents'),
    dryRun: query.getAll('dryRun'),
  };
}

function bodyOptions({ body }: ApiRequest): WideOptions | undefined {
  if (body === undefined) return undefined;
  const value = 'text' in body ? parsed(body.text) : body.value;
  if (value === null || value === undefined) return undefined;
  if (typeof value !== 'object') throw internalError('decoded object cannot be converted to DeleteOptions');
  const { kind, apiVersion: _version, ...options } = value as Fields;
  if (kind !== undefined && kind !== 'DeleteOptions') {
    throw internalError('decoded object cannot be converted to DeleteOptions');
  }
  return options;
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw internalError("couldn't get version/kind; json parse error: unexpected end of JSON input");
  }
}
