/** What the first phase of admission has made of an update, as a server takes it on (registry/rest/update.go, v1.34). */
import { invalid, invalidError } from '../../api/errors/field-errors.js';
import type { Kind, KindMap, ObjectMeta } from '../../api/objects/objects.js';
import type { FieldError, ResourceKind } from '../../api/objects/resource-kind.js';
import { keptAsOften, validateKept } from './metadata.js';
import { nextMain, nextStatus } from './next-state.js';
import { checkUpdateVersion } from './preconditions.js';

/** An update on its way through admission. */
interface AdmittedUpdate<K extends Kind> {
  readonly previous: KindMap[K];
  /** As it came. */
  readonly stated: KindMap[K];
  /** As it was made; undefined where nothing in admission sees it. */
  readonly mutated: KindMap[K] | undefined;
  readonly group: string | undefined;
  readonly isStatus?: boolean;
}

/**
 * The object as it was made, but for what an update may not change; of metadata that is an error, of the other half of
 * the object it is ignored.
 *
 * @throws ApiError 409, 422
 */
export function admittedUpdate<K extends Kind>(
  resource: ResourceKind<K>,
  { previous, stated, mutated, group, isStatus = false }: AdmittedUpdate<K>,
  isCustom: boolean,
): KindMap[K] {
  if (mutated === undefined || mutated === stated) return stated;
  const { name, resourceVersion } = mutated.metadata;
  if (resourceVersion !== previous.metadata.resourceVersion) {
    checkUpdateVersion(resource, previous.metadata, resourceVersion);
  }
  const errors = identityErrors(mutated.metadata, previous.metadata);
  if (errors.length > 0) throw invalidError(resource, name, keptAsOften(resource, errors, group));
  return isStatus ? nextStatus(mutated, previous, isCustom) : nextMain(resource, mutated, previous);
}

function identityErrors(next: ObjectMeta, previous: ObjectMeta): readonly FieldError[] {
  const errors = validateKept(next, previous);
  if (next.name === previous.name) return errors;
  return [invalid('metadata.name', next.name, 'field is immutable'), ...errors];
}
