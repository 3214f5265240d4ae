/**
 * Rules of role-based access control: which of those that are stored, and of those that every cluster begins with, are
 * a user's in a namespace, and what they allow. Mirrors plugin/pkg/auth/authorizer/rbac (v1.34).
 */
import type { FieldRequirement } from '../../api/selectors/field-selector.js';
import type { PolicyRule, Role, Subject } from '../../api/rbac/rbac-objects.js';
import type { ApiServer } from '../../apiserver/store/server-types.js';
import type { RequestUser } from '../api-request.js';

/** A rule of a user, and by which binding it is one. */
export interface OwnRule {
  readonly rule: PolicyRule;
  readonly reason: string;
}

/** What a user wants to do. */
export interface AccessQuestion {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Empty for all namespaces, and outside of them. */
  readonly namespace: string;
  /** Of a request for no resource; then the other fields but the verb are empty. */
  readonly path: string;
  /** What a list, a watch or the deletion of a collection is narrowed to. @defaultValue nothing */
  readonly fields?: readonly FieldRequirement[] | undefined;
}

/** What was found. */
export interface Verdict {
  readonly allowed: boolean;
  readonly reason: string;
}

interface Binding {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly Subject[];
}

const AUTHENTICATED = 'system:authenticated';
const UNAUTHENTICATED = 'system:unauthenticated';
const ACCESS_GROUP = 'authorization.k8s.io';

/** Roles with what they are bound to, without which users could find out nothing. */
const FIRST_RULES: readonly { readonly groups: readonly string[]; readonly rules: readonly PolicyRule[] }[] = [
  {
    groups: ['system:masters'],
    rules: [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ],
  },
  {
    groups: [AUTHENTICATED],
    rules: [
      { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
      {
        verbs: ['create'],
        apiGroups: [ACCESS_GROUP],
        resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      },
    ],
  },
  {
    groups: [AUTHENTICATED],
    rules: [
      {
        verbs: ['get'],
        nonResourceURLs: [
          '/.well-known',
          '/.well-known/*',
          '/api',
          '/api/*',
          '/apis',
          '/apis/*',
          '/healthz',
          '/livez',
          '/openapi',
          '/openapi/*',
          '/readyz',
          '/version',
          '/version/',
        ],
      },
    ],
  },
  {
    groups: [AUTHENTICATED, UNAUTHENTICATED],
    rules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'] }],
  },
];

/** The rules of a user in a namespace, and the roles that are bound and not there. */
export function rulesOf(
  server: ApiServer,
  user: RequestUser,
  namespace: string,
): { readonly rules: readonly OwnRule[]; readonly missing: readonly string[] } {
  const rules: OwnRule[] = [];
  const missing: string[] = [];
  // Where the roles are objects they can be changed, and taken away.
  const first = server.find('ClusterRole', { name: 'cluster-admin' }) === undefined ? FIRST_RULES : [];
  for (const { groups, rules: own } of first) {
    if (groups.some((group) => user.groups.includes(group))) rules.push(...own.map((rule) => ({ rule, reason: '' })));
  }
  const add = (kind: 'ClusterRoleBinding' | 'RoleBinding', binding: Binding): void => {
    const { metadata, roleRef, subjects = [] } = binding;
    const subject = subjects.find((each) => isSubject(each, user, metadata.namespace ?? ''));
    if (subject === undefined) return;
    const role = roleOf(server, roleRef, metadata.namespace ?? '');
    if (role === undefined) {
      missing.push(`${roleRef.kind.toLowerCase()}.rbac.authorization.k8s.io ${JSON.stringify(roleRef.name)} not found`);
      return;
    }
    const place = metadata.namespace === undefined ? metadata.name : `${metadata.name}/${metadata.namespace}`;
    const of = `${roleRef.kind} ${JSON.stringify(roleRef.name)} to ${subject.kind} ${JSON.stringify(subjectText(subject))}`;
    const reason = `RBAC: allowed by ${kind} ${JSON.stringify(place)} of ${of}`;
    rules.push(...(role.rules ?? []).map((rule) => ({ rule, reason })));
  };
  for (const each of server.list('ClusterRoleBinding').items) add('ClusterRoleBinding', each as unknown as Binding);
  if (namespace === '') return { rules, missing };
  for (const each of server.list('RoleBinding', { namespace }).items) add('RoleBinding', each as unknown as Binding);
  return { rules, missing };
}

function roleOf(server: ApiServer, { kind, name }: Binding['roleRef'], namespace: string): Role | undefined {
  return kind === 'Role' ? server.find('Role', { namespace, name }) : server.find('ClusterRole', { name });
}

function isSubject({ kind, name, namespace }: Subject, user: RequestUser, ownNamespace: string): boolean {
  switch (kind) {
    case 'User':
      return user.name === name;
    case 'Group':
      return user.groups.includes(name);
    case 'ServiceAccount':
      return user.name === `system:serviceaccount:${namespace ?? ownNamespace}:${name}`;
    default:
      return false;
  }
}

function subjectText({ kind, name, namespace = '' }: Subject): string {
  return kind === 'ServiceAccount' ? `${name}/${namespace}` : name;
}

/** Whether a rule allows what is asked. */
export function allows(rule: PolicyRule, question: AccessQuestion): boolean {
  if (!hasOne(rule.verbs, question.verb)) return false;
  if (question.path !== '') return (rule.nonResourceURLs ?? []).some((url) => isPathOf(url, question.path));
  const { group, resource, subresource, name } = question;
  if (!hasOne(rule.apiGroups ?? [], group)) return false;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  const isOfResource = (rule.resources ?? []).some(
    (each) => each === '*' || each === whole || (subresource !== '' && each === `*/${subresource}`),
  );
  const { resourceNames = [] } = rule;
  return isOfResource && (resourceNames.length === 0 || resourceNames.includes(name));
}

function hasOne(allowed: readonly string[], wanted: string): boolean {
  return allowed.includes('*') || allowed.includes(wanted);
}

function isPathOf(url: string, path: string): boolean {
  return url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)));
}
