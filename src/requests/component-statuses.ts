/** Component statuses: how the parts of a control plane are, which here is always well (pkg/registry/core/componentstatus). */
import { ApiError } from '../api/errors/api-error.js';
import { matchesFields, parseFieldSelector } from '../api/selectors/field-selector.js';
import { parseLabelSelector } from '../api/selectors/labels.js';
import { badRequest } from '../apiserver/store/api-errors.js';
import { unknownFieldText } from '../apiserver/store/selection.js';
import type { ApiAnswer, ApiRequest } from './api-request.js';
import type { ObjectView } from './object-view.js';
import { collectionOptions } from './query-options.js';
import type { ResourceRequest } from './request-info.js';

const COMPONENTS = ['controller-manager', 'etcd-0', 'scheduler'];

const FIELDS: ReadonlySet<string> = new Set(['metadata.name', 'metadata.namespace']);

/** @throws ApiError 400, 404, 422 */
export function componentStatusAnswer(
  { name }: ResourceRequest,
  { query }: Pick<ApiRequest, 'query'>,
  view: ObjectView,
): ApiAnswer {
  if (name === '') return view.list(selected(query).map(statusOf), {});
  if (!COMPONENTS.includes(name)) {
    const details = { name, kind: 'componentstatus' };
    throw new ApiError(404, 'NotFound', `componentstatus ${JSON.stringify(name)} not found`, details);
  }
  return view.single(statusOf(name));
}

/** They have a name, and no labels. */
function selected(query: URLSearchParams): readonly string[] {
  const { labelSelector = '', fieldSelector = '' } = collectionOptions(query, undefined).selection;
  const fields = parseFieldSelector(fieldSelector);
  const unknown = fields.find(({ field }) => !FIELDS.has(field));
  if (unknown !== undefined) throw badRequest(unknownFieldText(unknown.field));
  const labels = parseLabelSelector(labelSelector);
  return COMPONENTS.filter(
    (name) => labels.matches(undefined) && matchesFields(fields, (field) => (field === 'metadata.name' ? name : '')),
  );
}

function statusOf(name: string): object {
  const conditions = [{ type: 'Healthy', status: 'True', message: 'ok' }];
  return { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name }, conditions };
}
