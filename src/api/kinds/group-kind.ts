/** A kind of a group, in whichever version: what clients of Go map to a resource by discovery. */
import type { CustomKind } from '../custom/custom-kind.js';
import { ApiError } from '../errors/api-error.js';
import type { ResourceKind } from '../objects/resource-kind.js';
import { kindRegistry } from './registry.js';

/** See the file header. */
export interface GroupKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly kind: string;
}

/** What a reference means, whatever version of its group it names. */
export function groupKindOf({ apiVersion = '', kind }: { apiVersion?: string | undefined; kind: string }): GroupKind {
  const slash = apiVersion.indexOf('/');
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), kind };
}

/**
 * What is served under that name.
 *
 * @param customKinds - those that definitions have brought
 * @throws ApiError 404 for one that there is not
 */
export function mappedKind(
  { group, kind }: GroupKind,
  customKinds: readonly CustomKind[],
): Pick<ResourceKind, 'kind' | 'plural'> {
  const known =
    Object.values(kindRegistry).find((each) => each.kind === kind && each.group === group) ??
    customKinds.find((each) => each.kind === kind && each.group === group);
  if (known !== undefined) return known;
  const text = `no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`;
  throw new ApiError(404, 'NotFound', text);
}
