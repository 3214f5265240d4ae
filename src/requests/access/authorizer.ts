/**
 * Whether a user may do what a request asks for, and the refusal where not. Members of `system:masters` may do
 * everything; kubelets what they need, and all others what roles that are bound to them allow. Mirrors apiserver's authorization filter and
 * its filter of impersonation (v1.34).
 */
import { ApiError } from '../../api/errors/api-error.js';
import { parseFieldSelector, type FieldRequirement } from '../../api/selectors/field-selector.js';
import { pathSegmentName } from '../../api/values/names.js';
import type { RequestAccess } from '../../apiserver/store/request-context.js';
import type { ApiServer } from '../../apiserver/store/server-types.js';
import { ADMINISTRATOR, type AuthorizationMode, type ApiRequest, type RequestUser } from '../api-request.js';
import type { ResourceRequest } from '../request-info.js';
import { nodeVerdict } from './node-access.js';
import { allows, rulesOf, type AccessQuestion, type Verdict } from './policy-rules.js';

const MASTERS = 'system:masters';
const AUTHENTICATED = 'system:authenticated';
const UNAUTHENTICATED = 'system:unauthenticated';
const ANONYMOUS = 'system:anonymous';

/** See the file header. */
export function verdictOn(server: ApiServer, user: RequestUser, question: AccessQuestion): Verdict {
  if (user.groups.includes(MASTERS)) return { allowed: true, reason: '' };
  const asNode = nodeVerdict(server, user, question);
  if (asNode.allowed) return asNode;
  const { rules, missing } = rulesOf(server, user, question.namespace);
  const own = rules.find(({ rule }) => allows(rule, question));
  if (own !== undefined) return { allowed: true, reason: own.reason };
  const reasons = [asNode.reason, missing.length === 0 ? '' : `RBAC: ${listText(missing)}`];
  return { allowed: false, reason: reasons.filter(Boolean).join('\n') };
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

/** Verbs that may be narrowed to some of the objects. */
const SELECTING: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

/** The question of a request for a resource. A list or watch of one name is for the object of that name. */
export function questionOf(info: ResourceRequest, query: URLSearchParams): AccessQuestion {
  const { verb, group, resource = '', subresource = '', namespace = '' } = info;
  const fields = SELECTING.has(verb) && !info.isWatchPath ? fieldsOf(query) : undefined;
  const only = verb === 'deletecollection' ? undefined : fields?.find(isOneName)?.value;
  const name = info.name === '' && only !== undefined && pathSegmentName(only).length === 0 ? only : info.name;
  // A namespace is in itself.
  const place = resource === 'namespaces' && group === '' ? info.name : namespace;
  return { verb, group, resource, subresource, name, namespace: place, path: '', fields };
}

function isOneName({ field, operator }: FieldRequirement): boolean {
  return field === 'metadata.name' && operator === '=';
}

/** Of a selector that cannot be read nothing is known here: it is refused later. */
function fieldsOf(query: URLSearchParams): readonly FieldRequirement[] | undefined {
  const text = query.get('fieldSelector');
  if (text === null) return undefined;
  try {
    return parseFieldSelector(text);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
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

/** Groups and the like are impersonated without a user, which is answered in plain text. */
export class NobodyImpersonated extends Error {
  constructor(asked: readonly string[]) {
    super(`requested [${asked.join(' ')}] without impersonating a user`);
  }
}

/** As Go prints references: kind, namespace, name, uid, version, resource version, field. */
function askedAlone(
  groups: readonly string[],
  extra: Readonly<Record<string, readonly string[]>>,
  uid: string,
): readonly string[] {
  const version = 'authentication.k8s.io/v1';
  return [
    ...groups.map((group) => `{Group  ${group}    }`),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => `{UserExtra  ${value}  ${version}  ${key}}`),
    ),
    ...(uid === '' ? [] : [`{UID  ${uid}  ${version}  }`]),
  ];
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
    const asked = askedAlone(groups, extra, uid);
    if (asked.length === 0) return user;
    throw new NobodyImpersonated(asked);
  }
  const ask = (resource: string, wanted: string, group = '', subresource = '', namespace = ''): void => {
    if (mode === 'AlwaysAllow') return;
    authorize(server, user, { verb: 'impersonate', group, resource, subresource, name: wanted, namespace, path: '' });
  };
  const [, namespace, account] = SERVICE_ACCOUNT.exec(name) ?? [];
  if (namespace !== undefined && account !== undefined) ask('serviceaccounts', account, '', '', namespace);
  else ask('users', name);
  for (const group of groups) ask('groups', group);
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values) ask('userextras', value, 'authentication.k8s.io', key);
  }
  if (uid !== '') ask('uids', uid, 'authentication.k8s.io');
  const own = groups.length > 0 || namespace === undefined ? groups : serviceAccountGroups(namespace);
  const everybody = name === ANONYMOUS ? UNAUTHENTICATED : AUTHENTICATED;
  return {
    name,
    ...(uid === '' ? {} : { uid }),
    groups: own.includes(everybody) ? own : [...own, everybody],
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
