/**
 * The writer of a role must hold what it allows, or be allowed to escalate; the one that binds it must hold it, or be allowed to
 * bind it. In upstream the registry sees to it, between the two phases of admission (pkg/registry/rbac, v1.34).
 */
import { ApiError } from '../../api/errors/api-error.js';
import { listText, rulesText, uncoveredRules } from '../../api/rbac/covered-rules.js';
import type { PolicyRule, Role } from '../../api/rbac/rbac-objects.js';
import type { AnyObject, Kind } from '../../api/objects/objects.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import type { RequestAccess } from '../store/request-context.js';
import type { VersionedStore } from '../store/store.js';
import type { AdmissionPlugin } from './chain/admission-plugin.js';
import type { Attributes } from './chain/attributes.js';

const GROUP = 'rbac.authorization.k8s.io';
const ROLES: Readonly<Record<string, string>> = { ClusterRole: 'clusterroles', Role: 'roles' };
const BINDINGS: ReadonlySet<string> = new Set(['ClusterRoleBinding', 'RoleBinding']);
const FULL_AUTHORITY: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

interface Binding {
  readonly roleRef?: { readonly apiGroup?: string; readonly kind?: string; readonly name?: string };
}

/** See the file header. Requests that are not authorized are not looked at. */
export function roleEscalation(store: Pick<VersionedStore, 'shelf'>): AdmissionPlugin {
  return {
    name: 'RoleEscalation',
    handles: ({ operation, resource: { group, kind } }) =>
      group === GROUP && (operation === 'CREATE' || operation === 'UPDATE') && (kind in ROLES || BINDINGS.has(kind)),
    mutate: (attributes) => {
      const { access } = attributes.context;
      if (access === undefined || isOnlyLetGo(attributes)) return;
      if (BINDINGS.has(attributes.resource.storedAs)) checkBinding(attributes, access, store);
      else checkRole(attributes, access);
    },
  };
}

/** What the garbage collector takes off is nothing that is granted. */
function isOnlyLetGo({ object, previous }: Attributes<Kind>): boolean {
  if (object === undefined || previous === undefined) return false;
  return isSameJson(withoutHolds(object), withoutHolds(previous));
}

function withoutHolds({ metadata, ...fields }: AnyObject): object {
  const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _fields, ...others } = metadata;
  return { ...fields, metadata: others };
}

/** @throws ApiError 403 */
function checkRole(attributes: Attributes<Kind>, access: RequestAccess): void {
  const { resource, name, namespace = '' } = attributes;
  if (access.may({ verb: 'escalate', group: GROUP, resource: ROLES[resource.storedAs] ?? '', name, namespace })) return;
  const role = attributes.object as unknown as Role;
  checkHeld(attributes, access, role.rules ?? []);
  const wasAggregated = (attributes.previous as Partial<Role> | undefined)?.aggregationRule !== undefined;
  if (role.aggregationRule === undefined && !wasAggregated) return;
  if (uncoveredRules(access.rules(namespace), FULL_AUTHORITY).length > 0) {
    throw attributes.refusal('must have cluster-admin privileges to use the aggregationRule');
  }
}

/** @throws ApiError 403, 404 */
function checkBinding(attributes: Attributes<Kind>, access: RequestAccess, store: Pick<VersionedStore, 'shelf'>): void {
  const { namespace = '' } = attributes;
  const { kind = '', name = '' } = (attributes.object as unknown as Binding).roleRef ?? {};
  const resource = ROLES[kind];
  // What refers to no role is not valid, and told so.
  if (resource === undefined || name === '') return;
  if (access.may({ verb: 'bind', group: GROUP, resource, name, namespace })) return;
  const role =
    kind === 'Role'
      ? store.shelf('Role').table.get(namespace, name)
      : store.shelf('ClusterRole').table.get(undefined, name);
  if (role === undefined) {
    // Roles are read in the request for their binding, which the error names instead.
    const { plural } = attributes.resource;
    const details = { name, group: GROUP, kind: plural };
    throw new ApiError(404, 'NotFound', `${plural}.${GROUP} ${JSON.stringify(name)} not found`, details);
  }
  checkHeld(attributes, access, (role as unknown as Role).rules ?? []);
}

/** @throws ApiError 403 */
function checkHeld(attributes: Attributes<Kind>, access: RequestAccess, rules: readonly PolicyRule[]): void {
  const missing = uncoveredRules(access.rules(attributes.namespace ?? ''), rules);
  if (missing.length === 0) return;
  const { name, groups } = attributes.user;
  const user = `user ${JSON.stringify(name)} (groups=${listText(groups)})`;
  const why = `${user} is attempting to grant RBAC permissions not currently held:\n${rulesText(missing)}`;
  throw attributes.refusal(why);
}
