/** The objects that are a policy's parameters (apiserver/pkg/admission/plugin/policy/generic/policy_dispatcher.go, v1.34). */
import type { ParamRef, PolicyBindingSpec } from '../../../api/admission/admission-types.js';
import { resolveKind } from '../../../api/kinds/registry.js';
import type { Kind } from '../../../api/objects/objects.js';
import { compileLabelSelector } from '../../../api/selectors/labels.js';
import type { Shelf, VersionedStore } from '../../store/store.js';
import type { Attributes } from '../chain/attributes.js';

/** A policy with one of its bindings. */
export interface BoundPolicy<Spec> {
  readonly policy: string;
  readonly spec: Spec;
  readonly binding: string;
  readonly bound: PolicyBindingSpec;
}

/** One object; undefined where a policy has no parameters, null where a binding leaves them out. */
export type Params = object | null | undefined;

interface Parametrized {
  readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string };
}

/** Why a policy can have no parameters at all, whatever its bindings say. */
export function paramKindProblem({ paramKind }: Parametrized, store: VersionedStore): string | undefined {
  if (paramKind === undefined || paramShelf(paramKind, store) !== undefined) return undefined;
  const { apiVersion = '', kind = '' } = paramKind;
  const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  return `failed to configure policy: failed to find resource referenced by paramKind: '${version}, Kind=${kind}'`;
}

/** The parameters of a policy whose kind there is for a request, or why there are none. */
export function paramsOf(
  { spec, bound }: BoundPolicy<Parametrized>,
  attributes: Attributes<Kind>,
  store: VersionedStore,
): { readonly params: readonly Params[] } | { readonly problem: string } {
  const { paramKind } = spec;
  const { paramRef } = bound;
  if (paramKind === undefined) return { params: [undefined] };
  if (paramRef === undefined) return { params: [null] };
  const shelf = paramShelf(paramKind, store);
  if (shelf === undefined) return { params: [] };
  const found = paramsIn(shelf, paramRef, attributes);
  if (typeof found === 'string') return { problem: `failed to configure binding: ${found}` };
  if (found.length > 0) return { params: found };
  if (paramRef.parameterNotFoundAction === 'Deny') {
    return {
      problem: 'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    };
  }
  return { params: [] };
}

function paramShelf(
  { apiVersion = '', kind = '' }: { readonly apiVersion?: string; readonly kind?: string },
  store: VersionedStore,
): Shelf<Kind> | undefined {
  const known = resolveKind(apiVersion, kind);
  if (known !== undefined) return store.shelf(known);
  const [group = '', version] = apiVersion.split('/');
  const custom = store.customKinds.find((each) => each.group === group && each.kind === kind);
  if (custom?.custom.versions.some(({ name }) => name === version) !== true) return undefined;
  return store.shelf(`${kind}.${group}` as Kind);
}

function paramsIn(
  { resource, table }: Shelf<Kind>,
  { name = '', namespace = '', selector }: ParamRef,
  attributes: Attributes<Kind>,
): readonly object[] | string {
  let place: string | undefined;
  if (resource.isNamespaced) {
    place = namespace === '' ? namespaceOfRequest(attributes) : namespace;
    if (place === undefined) {
      return 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources';
    }
  } else if (namespace !== '') {
    return 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`';
  }
  if (name !== '') {
    const found = table.get(place, name);
    return found === undefined ? [] : [found];
  }
  const wanted = compileLabelSelector(selector);
  return table.sorted(place).filter(({ metadata }) => wanted.matches(metadata.labels));
}

/** A namespace is taken to be in itself. */
function namespaceOfRequest({ namespace, resource, name }: Attributes<Kind>): string | undefined {
  return resource.storedAs === 'Namespace' ? name : namespace;
}
