/**
 * Whether a user may do what a request asks for, and the refusal where not. Members of `system:masters` may do
 * everything; all others what roles that are bound to them allow. Mirrors apiserver's authorization filter and
 * its filter of impersonation (v1.34).
 */
import { ApiError } from '../../api/errors/api-error.js';
import type { RequestAccess } from '../../apiserver/store/request-context.js';
import type { ApiServer } from '../../apiserver/store/server-types.js';
import { ADMINISTRATOR, type AuthorizationMode, type ApiRequest, type RequestUser } from '../api-request.js';
import type { ResourceRequest } from '../request-info.js';
import { allows, rulesOf, type AccessQuestion } from './policy-rules.js';

const MASTERS = 'system:masters';
const AUTHENTICATED = 'system:authenticated';
const ANONYMOUS = 'system:anonymous';

/** What was found. */
export interface Verdict {
  readonly allowed: boolean;
  readonly reason: string;
}

/** See the file header. */
export function verdictOn(server: ApiServer, user: RequestUser, question: AccessQuestion): Verdict {
  if (user.groups.includes(MASTERS)) return { allowed: true, reason: '' };
  const { rules, missing } = rulesOf(server, user, question.namespace);
  const own = rules.find(({ rule }) => allows(rule, question));
  if (own !== undefined) return { allowed: true, reason: own.reason };
  return { allowed: false, reason: missing.length === 0 ? '' : `RBAC: ${listText(missing)}` };
}

/** What admission may ask of a user; a member of `system:masters` has no bounds. */
export function accessOf(server: ApiServer, user: RequestUser): RequestAccess | undefined {
  if (user.groups.includes(MASTERS)) return undefined;
  return {
    may: (question) => verdictOn(server, user, { ...question, subresource: '', path: '' }).allowed,
    rules: (namespace) => rulesOf(server, user, namespace).rules.map(({ rule }) => rule),
  };
}

function listText(texts: readonly string[]): string {
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

/** The question of a request for a resource. */
export function questionOf(info: ResourceRequest): AccessQuestion {
  const { verb, group, resource = '', subresource = '', name, namespace = '' } = info;
  // A namespace is in itself.
  const place = resource === 'namespaces' && group === '' ? name : namespace;
  return { verb, group, resource, subresource, name, namespace: place, path: '' };
}

/** The question of a request for a path that is no resource. */
export function questionOfPath({ method, path }: Pick<ApiRequest, 'method' | 'path'>): AccessQuestion {
  const verb = method === 'GET' ? 'get' : method.toLowerCase();
  return { verb, group: '', resource: '', subresource: '', name: '', namespace: '', path };
}

/** @throws ApiError 403 unless the user may do it */
export function authorize(server: ApiServer, user: RequestUser, question: AccessQuestion): void {
  const { allowed, reason } = verdictOn(server, user, question);
  if (allowed) return;
  const { group, resource, name, path } = question;
  const why = `User ${JSON.stringify(user.name)} cannot ${whatText(question)}${reason === '' ? '' : `: ${reason}`}`;
  if (path !== '') throw new ApiError(403, 'Forbidden', `forbidden: ${why}`, {});
  const qualified = group === '' ? resource : `${resource}.${group}`;
  const of = name === '' ? qualified : `${qualified} ${JSON.stringify(name)}`;
  const details = { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: resource };
  throw new ApiError(403, 'Forbidden', `${of} is forbidden: ${why}`, details);
}

function whatText({ verb, group, resource, subresource, namespace, path }: AccessQuestion): string {
  if (path !== '') return `${verb} path ${JSON.stringify(path)}`;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  const place = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return `${verb} resource ${JSON.stringify(whole)} in API group ${JSON.stringify(group)} ${place}`;
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;
const EXTRA = 'impersonate-extra-';

/** The user in whose name a request is made: the one that makes it, or the one that it names. @throws ApiError 403, 500 */
export function actingUser(
  server: ApiServer,
  { user = ADMINISTRATOR, headers }: ApiRequest,
  mode: AuthorizationMode = 'RBAC',
): RequestUser {
  const name = headers['impersonate-user'] ?? '';
  const groups = listOf(headers['impersonate-group']);
  const extra = extraOf(headers);
  const uid = headers['impersonate-uid'] ?? '';
  if (name === '') {
    if (groups.length + Object.keys(extra).length === 0 && uid === '') return user;
    throw new ApiError(500, 'InternalError', 'Internal error occurred: impersonation names no user', {});
  }
  const ask = (resource: string, wanted: string, group = '', subresource = '', namespace = ''): void => {
    if (mode === 'AlwaysAllow') return;
    authorize(server, user, { verb: 'impersonate', group, resource, subresource, name: wanted, namespace, path: '' });
  };
  const [, namespace, account] = SERVICE_ACCOUNT.exec(name) ?? [];
  if (namespace !== undefined && account !== undefined) ask('serviceaccounts', account, '', '', namespace);
  else ask('users', name);
  for (const group of groups) ask('groups', group);
  if (uid !== '') ask('uids', uid, 'authentication.k8s.io');
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values) ask('userextras', value, 'authentication.k8s.io', key);
  }
  const own = groups.length > 0 || namespace === undefined ? groups : serviceAccountGroups(namespace);
  return {
    name,
    ...(uid === '' ? {} : { uid }),
    groups: name === ANONYMOUS || own.includes(AUTHENTICATED) ? own : [...own, AUTHENTICATED],
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** The groups of the accounts of a namespace. */
export function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

function listOf(header: string | undefined): readonly string[] {
  return (header ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
}

function extraOf(headers: ApiRequest['headers']): Readonly<Record<string, readonly string[]>> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith(EXTRA) ? [[decodeURIComponent(name.slice(EXTRA.length)), listOf(value)] as const] : [],
  );
  return Object.fromEntries(entries);
}
