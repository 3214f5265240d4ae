/** Random requests whose paths, methods, options and bodies of deletions are often wrong, and always small. */
import type { RandomStream } from '../../src/kernel/random.js';

/** A request; `SPACE` in its path stands for a namespace of its own. */
export interface Question {
  readonly method: string;
  readonly path: string;
  readonly accept?: string;
  /** Of the body. */
  readonly type?: string;
  readonly body?: string;
}

const CORE = '/api/v1/namespaces/SPACE';
const APPS = '/apis/apps/v1/namespaces/SPACE';

/** What each namespace has before it is asked about. */
export const BEGINNING: readonly (readonly [path: string, object: object])[] = [
  ...['a', 'b', 'c'].map((name) => {
    return [`${CORE}/configmaps`, { metadata: { name, labels: { i: name, t: '1' } }, data: { k: name } }] as const;
  }),
  [
    `${CORE}/pods`,
    {
      metadata: { name: 'a', labels: { i: 'a' } },
      spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] },
    },
  ],
  [
    `${APPS}/deployments`,
    {
      metadata: { name: 'a' },
      spec: {
        replicas: 0,
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    },
  ],
  [
    `${CORE}/events`,
    {
      metadata: { name: 'a' },
      involvedObject: { kind: 'Pod', namespace: 'SPACE', name: 'a' },
      reason: 'R',
      type: 'Normal',
      source: { component: 'c' },
    },
  ],
];

const COLLECTIONS = [
  `${CORE}/configmaps`,
  `${CORE}/pods`,
  `${CORE}/events`,
  `${CORE}/secrets`,
  `${APPS}/deployments`,
  `${APPS}/replicasets`,
  '/apis/events.k8s.io/v1/namespaces/SPACE/events',
  '/apis/batch/v1/namespaces/SPACE/jobs',
  '/apis/coordination.k8s.io/v1/namespaces/SPACE/leases',
  '/apis/autoscaling/v1/namespaces/SPACE/horizontalpodautoscalers',
  '/apis/discovery.k8s.io/v1/namespaces/SPACE/endpointslices',
];
/** Of the whole cluster, which has others in each of the two. */
const CLUSTER_COLLECTIONS = [
  '/api/v1/nodes',
  '/api/v1/persistentvolumes',
  '/apis/certificates.k8s.io/v1/certificatesigningrequests',
  '/apis/resource.k8s.io/v1/resourceslices',
  '/apis/storage.k8s.io/v1/volumeattachments',
  '/apis/node.k8s.io/v1/runtimeclasses',
];
const SUFFIXES = ['', '/', '/status', '/scale', '/nope', '/status/x', '/finalize', '/binding', '/eviction', '/token'];
const NAMES = ['a', 'b', 'zz', '..', '.', 'a%25b', 'a%2Fb', 'A', '%20', 'x:y', 'é'];
const PATHS = [
  '/',
  '/healthz',
  '/healthz/',
  '/livez/ping',
  '/readyz/nope',
  '/version',
  '/version/x',
  '/api',
  '/api/',
  '/api/v1',
  '/api/v2',
  '/api/v2/pods',
  '/api/v1/nope',
  '/api/v1/nope/a/b',
  '/apis',
  '/apis/apps',
  '/apis/apps/v1',
  '/apis/apps/v9',
  '/apis/apps/v9/deployments',
  '/apis/nope',
  '/apis/nope/v1',
  '/apis/nope/v1/x',
  '/api/v1/watch',
  '/api/v1/proxy',
  '/apis/apps/v1/watch',
  '/api/v1/watch/nope',
  '/api/v1/watch/bindings',
  '/api/v1/namespaces/SPACE/nodes',
  '/api/v1/namespaces/SPACE/nodes/a',
  '/api/v1/configmaps/a',
  '/api/v1/bindings',
  '/api/v1/namespaces/SPACE/bindings',
  '/api/v1/namespaces/SPACE/bindings/a',
  '/api/v1/componentstatuses/zz',
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/a',
  '/apis/authorization.k8s.io/v1/localsubjectaccessreviews',
  '/apis/authentication.k8s.io/v1/tokenreviews',
  '/openapi/v3/nope',
  '/openapi/v2/',
  '/nope',
  '/api/v1/namespaces//configmaps/a',
  '/API/v1/pods',
];

const METHODS = ['GET', 'GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'DELETE', 'OPTIONS'];
const NUMBERS = ['', '0', '1', '2', '-1', '+3', '1.5', 'abc', '1e3', '99999999999999999999', '007', ' 1', '0x1'];
const BOOLEANS = ['', '0', '1', 'true', 'True', 'false', 'FALSE', 'maybe', 't'];
const LABELS = [
  '',
  'i',
  '!i',
  'i=a',
  'i==a',
  'i!=a',
  'i in (a,b)',
  'i notin (a)',
  'i in ()',
  'i in (a,,b)',
  'i in (,a)',
  'i in (a,)',
  'i in (a',
  'i in a',
  'i=a,t=1',
  'i=a,',
  ',i',
  'i>1',
  't>0',
  't<x',
  'a b',
  'i=b!',
  'i in (b!,c!)',
  '-i',
  'a/b/c',
  'i=a=b',
  '=a',
  'i in (in,notin)',
  'in in (in)',
  '()',
  'i,!i',
  'x.y/z=1',
  'i exists',
  'i=(a)',
  'é=1',
];
const FIELDS = [
  '',
  'metadata.name=a',
  'metadata.name==a',
  'metadata.name!=a',
  'metadata.name=a,metadata.name=b',
  'metadata.namespace=SPACE',
  'metadata.namespace=zz',
  'metadata.namespace=',
  'spec.nodeName=',
  'spec.host=',
  'status.phase=Pending',
  'type=Normal',
  'reason=R',
  'involvedObject.name=a',
  'involvedObject.kind=Pod,reason=R',
  'regarding.name=a',
  'source=c',
  'reportingComponent=',
  'reportingController=',
  'spec.unschedulable=false',
  'status.successful=0',
  'nope=1',
  'nope',
  '=',
  '=x',
  ',',
  'x=1,nope',
  'metadata.name=a\\,b',
  'metadata.name=a\\b',
  'metadata.name=a\\',
  'metadata.name=a=b',
  'metadata.name in (a)',
  'metadata.name>a',
  ' metadata.name=a',
  'metadata.labels.i=a',
];
const VERSIONS = ['', '0', '-1', 'abc', '99999999999999999999999', '1.0', '+1', ' '];
const MATCHES = ['', 'Exact', 'NotOlderThan', 'zz'];
const TOKENS = [
  '',
  'abc',
  'e30',
  'bnVsbA',
  'W10',
  'MQ',
  'a',
  'ab=',
  'eyJ2IjoxfQ',
  'eyJydiI6MS41fQ',
  'eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ',
];
const DURATIONS = ['', '0', '0s', '5s', '5', 'abc', '1h30m', '-5s', '5x', '1.5m', '.5s', '.', '+', '5s5'];
const POLICIES = ['', 'Orphan', 'Foreground', 'Background', 'zz'];

/** Options, by name, with values that they may have and others. */
const OPTIONS: readonly (readonly [name: string, values: readonly string[]])[] = [
  ['limit', NUMBERS],
  ['timeoutSeconds', NUMBERS.filter((each) => !['', '0', '2', '+3', '007'].includes(each))],
  ['labelSelector', LABELS],
  ['labelSelector', LABELS],
  ['fieldSelector', FIELDS],
  ['fieldSelector', FIELDS],
  ['resourceVersion', VERSIONS],
  ['resourceVersionMatch', MATCHES],
  ['sendInitialEvents', BOOLEANS],
  ['allowWatchBookmarks', BOOLEANS],
  ['continue', TOKENS],
  ['timeout', DURATIONS],
  ['export', BOOLEANS],
  ['dryRun', ['All', 'All', '', 'zz']],
  ['gracePeriodSeconds', NUMBERS],
  ['propagationPolicy', POLICIES],
  ['orphanDependents', BOOLEANS],
  ['fieldManager', ['', 'm', 'x'.repeat(129), 'a\u0007b']],
  ['fieldValidation', ['', 'Strict', 'Warn', 'Ignore', 'zz']],
  ['force', BOOLEANS],
  ['nope', ['1']],
];
const DELETE_BODIES = [
  '{}',
  '{"kind":"DeleteOptions","apiVersion":"v1"}',
  '{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1"}',
  '{"kind":"Pod","apiVersion":"v1"}',
  '{"kind":"Status","apiVersion":"v1"}',
  '{"kind":"Nope"}',
  '{"apiVersion":"a/b/c"}',
  '{"dryRun":["All"]}',
  '{"dryRun":["zz"]}',
  '{"dryRun":"All"}',
  '{"gracePeriodSeconds":"1"}',
  '{"gracePeriodSeconds":-1}',
  '{"propagationPolicy":"zz"}',
  '{"propagationPolicy":""}',
  '{"orphanDependents":true,"propagationPolicy":"Orphan"}',
  '{"orphanDependents":"x"}',
  '{"preconditions":{"uid":"x"}}',
  '{"preconditions":{"resourceVersion":"1"}}',
  '{"preconditions":"x"}',
  '{"nope":1}',
  'x',
  '[]',
  'null',
  '{',
  '{"a":}',
];
const ACCEPTS = [
  'application/json',
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=Table;v=v9;g=meta.k8s.io',
  'application/json;as=Nope;v=v1;g=meta.k8s.io,application/json',
  'text/html',
  'application/xml,*/*;q=0.5',
  '*/*',
];
const MOST_OPTIONS = 3;

function picked<T>(random: RandomStream, all: readonly T[]): T {
  const found = all[random.int(0, all.length - 1)];
  if (found === undefined) throw new RangeError('nothing to pick from');
  return found;
}

function drawPath(random: RandomStream): string {
  const chance = random.int(0, 9);
  if (chance === 0) return picked(random, PATHS);
  const collection = picked(random, chance === 1 ? CLUSTER_COLLECTIONS : COLLECTIONS);
  if (chance === 2) return collection.replace(/^(\/api\/v1|\/apis\/[^/]+\/v\d)/, '$1/watch');
  if (chance <= 6) return collection;
  return `${collection}/${picked(random, NAMES)}${random.int(0, 2) === 0 ? picked(random, SUFFIXES) : ''}`;
}

/** A request that is drawn. */
export function drawQuestion(random: RandomStream): Question {
  const method = picked(random, METHODS);
  const path = drawPath(random);
  const query = new URLSearchParams();
  for (let left = random.int(0, MOST_OPTIONS); left > 0; left -= 1) {
    const [name, values] = picked(random, OPTIONS);
    query.append(name, picked(random, values));
  }
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && (path.includes('/watch') || random.int(0, 5) === 0)) {
    query.append('watch', picked(random, BOOLEANS));
    query.set('timeoutSeconds', '1');
  }
  const search = query.size === 0 ? '' : `?${query.toString()}`;
  const accept = random.int(0, 4) === 0 ? { accept: picked(random, ACCEPTS) } : {};
  return { method, path: `${encodeURI(path).replaceAll('%25', '%')}${search}`, ...accept, ...bodyOf(method, random) };
}

function bodyOf(method: string, random: RandomStream): Pick<Question, 'type' | 'body'> {
  if (method === 'DELETE') {
    return random.int(0, 1) === 0 ? {} : { type: 'application/json', body: picked(random, DELETE_BODIES) };
  }
  if (method === 'POST' || method === 'PUT') return { type: 'application/json', body: '{}' };
  return method === 'PATCH' ? { type: 'application/merge-patch+json', body: '{}' } : {};
}
