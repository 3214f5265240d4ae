/** Writes that change nothing. */
import { isCustomKind } from '../../api/custom/custom-kind.js';
import { refuseInvalid } from '../../api/errors/field-errors.js';
import type { Kind, KindMap } from '../../api/objects/objects.js';
import type { AskedUpdate, ResourceKind } from '../../api/objects/resource-kind.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import { keptForm } from './next-state.js';

/** Whether nothing is to be written: what another version does not know is lost even by a write that changes nothing. */
export function isUnchanged<K extends Kind>(
  resource: ResourceKind<K>,
  next: KindMap[K],
  { previous, stored }: { readonly previous: KindMap[K]; readonly stored: KindMap[K] },
): boolean {
  return next === previous && (previous === stored || isSameJson(keptForm(resource, next), stored));
}

/**
 * What nothing changes is judged all the same where its schema may have become another one, or be that of another version.
 *
 * @throws ApiError 422
 */
export function judgeUnchanged<K extends Kind>(
  resource: ResourceKind<K>,
  object: KindMap[K],
  { warn }: Pick<AskedUpdate, 'warn'>,
  part?: 'status',
): void {
  if (!isCustomKind(resource)) return;
  const kind: ResourceKind<K> = resource;
  const errors =
    part === 'status'
      ? kind.validateStatusUpdate(object, object, { warn })
      : kind.validateUpdate(object, object, { warn });
  refuseInvalid(kind, object, errors);
}
