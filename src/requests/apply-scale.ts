/**
 * Server-side apply onto the subresource scale: the manager that applies owns the replicas, and the entries of the object's
 * owners follow (apimachinery/pkg/util/managedfields/scalehandler.go, v1.34).
 */
import { applyFields, ownersOf } from '../api/ownership/managed-fields.js';
import { ownersOfObject, ownersOfScale } from '../api/ownership/scale-owners.js';
import type { ManagedFieldsEntry } from '../api/objects/kube-object.js';
import type { AnyObject } from '../api/objects/objects.js';
import { badRequest } from '../apiserver/store/api-errors.js';
import type { Scale } from '../apiserver/store/server-types.js';
import { checkedBody } from './apply-request.js';
import { managerOf, type Asked } from './asked.js';
import { checkPatchOptions, writeOptions, type WriteOptions } from './query-options.js';

/** The type of what is applied. */
export const SCALE_TYPE = { kind: 'Scale', group: 'autoscaling', version: 'v1' } as const;

/** What an apply comes to. */
export interface AppliedScale {
  readonly replicas: number;
  readonly options: WriteOptions;
  /** Owners of the object's fields. */
  readonly entries: readonly ManagedFieldsEntry[];
}

/**
 * @param scale - as it is
 * @param path - of the replicas in the object, as steps
 * @throws ApiError 400, 409, 422 or 500
 */
export function appliedScale(asked: Asked, object: AnyObject, scale: Scale, path: readonly string[]): AppliedScale {
  const { request, name, resource } = asked;
  const options = writeOptions(request.query, 'PatchOptions');
  checkPatchOptions(options, true);
  const body = checkedBody(request, SCALE_TYPE);
  const owners = ownersOf(object);
  const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
  const { object: merged, entries } = applyFields(
    { key: 'autoscaling/v1.Scale', hasStatus: false },
    scale,
    body,
    ownersOfScale(owners, path),
    {
      manager: managerOf(request, options),
      operation: 'Apply',
      apiVersion: 'autoscaling/v1',
      subresource: 'scale',
      time: asked.kernelTime(),
      force: options.force ?? false,
    },
  );
  const { metadata, spec } = merged as Partial<Scale>;
  if (metadata?.name !== name.name) {
    const wanted = metadata?.name ?? '';
    throw badRequest(`the name of the object (${wanted}) does not match the name on the URL (${name.name})`);
  }
  return { replicas: spec?.replicas ?? 0, options, entries: ownersOfObject(owners, entries, { path, apiVersion }) };
}
