/** Component statuses: how the parts of a control plane are, which here is always well (pkg/registry/core/componentstatus). */
import { ApiError } from '../api/errors/api-error.js';
import type { ApiAnswer } from './api-request.js';
import type { ObjectView } from './object-view.js';
import type { ResourceRequest } from './request-info.js';

const COMPONENTS = ['controller-manager', 'etcd-0', 'scheduler'];

/** @throws ApiError 404 */
export function componentStatusAnswer({ name }: ResourceRequest, view: ObjectView): ApiAnswer {
  if (name === '') return view.list(COMPONENTS.map(statusOf), { resourceVersion: '' });
  if (!COMPONENTS.includes(name)) {
    const details = { name, kind: 'componentstatus' };
    throw new ApiError(404, 'NotFound', `componentstatus ${JSON.stringify(name)} not found`, details);
  }
  return view.single(statusOf(name));
}

function statusOf(name: string): object {
  const conditions = [{ type: 'Healthy', status: 'True', message: 'ok' }];
  return { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name }, conditions };
}
