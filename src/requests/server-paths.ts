/** Paths that are no resources: the version, the health of the server, and the list of all paths. */
import type { AnswerHeaders, ApiAnswer, ApiRequest } from './api-request.js';
import { checkWrittenAsJson } from './negotiation.js';
import type { Served } from './served-resources.js';
import { methodNotAllowed, NO_CACHE, objectAnswer, resourceNotFound } from './status-answer.js';

/** The release that is mirrored, as `kubectl version` shows it; build stamps are those of a build without any. */
const VERSION = {
  major: '1',
  minor: '34',
  emulationMajor: '1',
  emulationMinor: '34',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '33',
  gitVersion: 'v1.34.2',
  gitCommit: '0000000000000000000000000000000000000000',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'go1.24.4',
  compiler: 'gc',
  platform: 'linux/amd64',
};

/** What is asked of health, in upstream's order; nothing here can fail. */
const HOOKS: readonly string[] = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'bootstrap-controller',
  'start-kubernetes-service-cidr-controller',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-wait-for-first-sync',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
  '',
  'apiservice-openapi-controller',
  'apiservice-openapiv3-controller',
];
const HOOK_CHECKS = HOOKS.map((name) => (name === '' ? 'autoregister-completion' : `poststarthook/${name}`));
const CHECKS: Readonly<Record<string, readonly string[]>> = {
  healthz: ['ping', 'log', 'etcd', ...HOOK_CHECKS],
  livez: ['ping', 'log', 'etcd', ...HOOK_CHECKS],
  readyz: ['ping', 'log', 'informer-sync', ...HOOK_CHECKS, 'shutdown'],
};
const OTHER_PATHS = [
  '/.well-known/openid-configuration',
  '/api',
  '/apis',
  '/apis/',
  '/metrics',
  '/metrics/slis',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/',
  '/openid/v1/jwks',
  '/version',
];
const PLAIN_TEXT = 'text/plain; charset=utf-8';
const TEXT_HEADERS: AnswerHeaders = { 'content-type': PLAIN_TEXT, 'x-content-type-options': 'nosniff' };

/** Answers such a path; undefined for any other. All but the version take any method. @throws ApiError 404, 405 */
export function serverPathAnswer(
  { method, path, query, headers }: ApiRequest,
  parts: readonly string[],
  served: Served,
): ApiAnswer | undefined {
  const [root, ...rest] = parts;
  if (root === undefined) return indented({ paths: allPaths(served) });
  if (root === 'version') {
    if (rest.length > 0) throw resourceNotFound();
    if (method !== 'GET') throw methodNotAllowed();
    checkWrittenAsJson(headers['accept']);
    return indented(VERSION);
  }
  const checks = CHECKS[root];
  if (checks === undefined || path.endsWith('/')) return undefined;
  const check = rest.join('/');
  if (check !== '') return checks.includes(check) ? text('ok', { 'content-type': PLAIN_TEXT }) : undefined;
  if (!query.has('verbose')) return text('ok');
  const excluded = new Set(query.getAll('exclude'));
  const lines = checks.map((name) => `[+]${name} ${excluded.has(name) ? 'excluded: ok' : 'ok'}\n`);
  return text(`${lines.join('')}${root} check passed\n`);
}

function text(words: string, headers: AnswerHeaders = TEXT_HEADERS): ApiAnswer {
  return { type: 'text', status: 200, headers: { 'cache-control': NO_CACHE, ...headers }, text: words };
}

function allPaths(served: Served): readonly string[] {
  const groups = served.groups.flatMap(({ name, versions }) => {
    const root = name === '' ? '/api' : `/apis/${name}`;
    return [root, ...versions.map(({ version }) => `${root}/${version}`)];
  });
  const health = Object.entries(CHECKS).flatMap(([root, checks]) => [
    `/${root}`,
    ...checks.map((name) => `/${root}/${name}`),
  ]);
  return [...new Set([...OTHER_PATHS, ...groups, ...health])].sort();
}

function indented(value: object): ApiAnswer {
  return { ...objectAnswer(value), isIndented: true };
}
