/**
 * Access to devices that others use is for namespaces that say so (pkg/registry/resource/utils.go, v1.34): whether it is
 * asked for is looked at when a claim or a template is made, and whether it is given when an allocation is written.
 */
import { forbidden } from '../../api/errors/field-errors.js';
import type { ResourceClaim, ResourceClaimSpec, ResourceClaimTemplate } from '../../api/objects/device-objects.js';
import type { FieldError } from '../../api/objects/resource-kind.js';
import type { Shelf } from '../store/store.js';

/** What asks for devices. */
export type Claiming = ResourceClaim | ResourceClaimTemplate;

/** Nothing. */
export const NOTHING_DENIED: readonly FieldError[] = Object.freeze([]);

const LABEL = 'resource.kubernetes.io/admin-access';
const DENIED = `admin access to devices requires the \`${LABEL}: true\` label on the containing namespace`;

/** @param previous - what an update of a status replaces */
export function deniedAccess(
  namespaces: Pick<Shelf<'Namespace'>, 'table'>,
  object: Claiming,
  previous: Claiming | undefined,
): readonly FieldError[] {
  const field =
    previous === undefined ? askedFor(specOf(object)) : given(object as ResourceClaim, previous as ResourceClaim);
  if (field === undefined) return NOTHING_DENIED;
  const namespace = namespaces.table.get(undefined, object.metadata.namespace ?? '');
  return namespace?.metadata.labels?.[LABEL] === 'true' ? NOTHING_DENIED : [forbidden(field, DENIED)];
}

function specOf({ spec }: Claiming): ResourceClaimSpec {
  return 'spec' in spec ? spec.spec : spec;
}

function askedFor({ devices }: ResourceClaimSpec): string | undefined {
  const at = devices?.requests?.findIndex(({ exactly }) => exactly?.adminAccess === true) ?? -1;
  return at < 0 ? undefined : `spec.devices.requests[${at}].adminAccess`;
}

function given(claim: ResourceClaim, before: ResourceClaim): string | undefined {
  if (placeOf(before) >= 0) return undefined;
  const at = placeOf(claim);
  return at < 0 ? undefined : `status.allocation.devices.results[${at}].adminAccess`;
}

function placeOf({ status }: ResourceClaim): number {
  return status.allocation?.devices?.results?.findIndex(({ adminAccess }) => adminAccess === true) ?? -1;
}
