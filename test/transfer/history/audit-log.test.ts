/** What an audit log does not tell by itself, and is found out: types of patches, versions, drawn names, who schedules. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { playHistory, readHistory, type Cluster, type History, type Kind } from '../../../src/index.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeloom-audit-'));
const NS = '/api/v1/namespaces/default';
const CRONTABS = '/apis/stable.example.com/v1/namespaces/default/crontabs';

interface Line {
  readonly level?: string;
  readonly userAgent?: string;
  readonly responseObject?: object;
  readonly objectRef?: object;
}

function line(second: number, verb: string, requestURI: string, requestObject?: object, more: Line = {}): string {
  const [, root, ...rest] = requestURI.split('?')[0]?.split('/') ?? [];
  const [group = '', ...path] = root === 'api' ? ['', ...rest.slice(1)] : [rest[0], ...rest.slice(2)];
  const [namespace, [resource, name, subresource]] =
    path[0] === 'namespaces' && path.length > 2 ? [path[1], path.slice(2)] : [undefined, path];
  return JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'RequestResponse',
    stage: 'ResponseComplete',
    verb,
    requestURI,
    user: { username: 'me' },
    requestObject,
    responseStatus: { code: 200 },
    requestReceivedTimestamp: `2026-01-01T00:00:${String(second).padStart(2, '0')}.000000Z`,
    ...more,
    objectRef: { resource, namespace, name, subresource, apiGroup: group, ...more.objectRef },
  });
}

function historyOf(...lines: readonly string[]): History {
  const path = join(folder, `${String(lines.length)}.log`);
  writeFileSync(path, lines.join('\n'));
  const history = readHistory(path);
  if (history === undefined) throw new Error('it is no audit log');
  return history;
}

async function played<T>(history: History, look: (cluster: Cluster) => T): Promise<T | undefined> {
  const seen: T[] = [];
  const cluster = { nodes: 2, seed: 1, clientLimits: 'unlimited' } as const;
  const { refusals } = await playHistory(history, { cluster, atEnd: (each) => void seen.push(look(each)) });
  if (refusals.length > 0) throw new Error(refusals.join('\n'));
  return seen[0];
}

const CRONTAB = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'crontabs.stable.example.com' },
  spec: {
    group: 'stable.example.com',
    scope: 'Namespaced',
    names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

function containers(...names: readonly string[]): object[] {
  return names.map((name) => ({ name, image: 'i', imagePullPolicy: 'Always' }));
}

function template(list: readonly object[]): object {
  return { template: { spec: { containers: list } } };
}

test('a patch with lists is merged as its answer shows; an update of what has a version is of the one that stands here', async (t) => {
  const web = '/apis/apps/v1/namespaces/default/deployments';
  const deployment = (name: string): object => ({
    metadata: { name },
    spec: {
      replicas: 0,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: containers('c') } },
    },
  });
  const type = { apiVersion: 'stable.example.com/v1', kind: 'CronTab' };
  const complete = { resources: {}, terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' };
  const answered = (...names: readonly string[]): Line => ({
    responseObject: { spec: template(containers(...names).map((each) => ({ ...each, ...complete }))) },
  });
  const history = historyOf(
    line(1, 'create', web, deployment('merged')),
    line(1, 'create', web, deployment('strategic')),
    line(2, 'patch', `${web}/merged`, { spec: template(containers('only')) }, answered('only')),
    line(2, 'patch', `${web}/strategic`, { spec: template(containers('more')) }, answered('more', 'c')),
    line(3, 'create', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', CRONTAB),
    line(8, 'create', CRONTABS, { ...type, metadata: { name: 'one' }, spec: { at: 1 } }),
    line(9, 'update', `${CRONTABS}/one`, { ...type, metadata: { name: 'one', resourceVersion: '7' }, spec: { at: 2 } }),
    line(9, 'update', `${CRONTABS}/one/status`, { ...type, metadata: { name: 'one' }, status: { seen: 2 } }),
  );
  const seen = await played(history, (cluster) => ({
    names: ['merged', 'strategic'].map((name) =>
      cluster.get('Deployment', name).spec.template.spec.containers.map((each) => each.name),
    ),
    custom: cluster.get('CronTab' as Kind, 'one'),
  }));
  t.deepEqual(seen?.names, [['only'], ['more', 'c']]);
  t.like(seen?.custom, { spec: { at: 2 }, status: { seen: 2 } });
});

const LISTED = [line(1, 'get', `${NS}/pods/p`), line(2, 'delete', `${NS}/pods/p`)].map(
  (each) => JSON.parse(each) as object,
);

test('names that no answer tells are known from later requests; what lacks its contents is counted', async (t) => {
  const drawn = { level: 'Request', objectRef: { name: undefined } };
  const history = historyOf(
    line(1, 'create', `${NS}/configmaps`, { metadata: { generateName: 'a-' }, data: { is: 'first' } }, drawn),
    line(1, 'create', `${NS}/configmaps`, { metadata: { generateName: 'b-' }, data: { is: 'other' } }, drawn),
    line(2, 'create', `${NS}/secrets`, undefined, { level: 'Metadata', objectRef: { name: 's' } }),
    line(3, 'get', `${NS}/configmaps/b-zzzzz`),
    line(4, 'update', `${NS}/configmaps/a-xxxxx`, { metadata: { name: 'a-xxxxx' }, data: { is: 'changed' } }),
    line(5, 'delete', `${NS}/configmaps/b-zzzzz`),
  );
  t.deepEqual(Object.fromEntries(history.leftOut), { 'requests without their contents': 1 });
  const maps = await played(history, (cluster) =>
    cluster.list('ConfigMap', { namespace: 'default' }).map(({ metadata, data }) => [metadata.name, data?.['is']]),
  );
  t.deepEqual(
    maps?.filter(([name]) => name !== 'kube-root-ca.crt'),
    [['a-xxxxx', 'changed']],
  );
  const text = JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: LISTED }, undefined, 2);
  for (const list of [text, JSON.stringify(LISTED), `${text.replaceAll('\n', ' ')}\n`]) {
    t.deepEqual(
      historyOf(list).requests.map(({ method, atMs }) => [method, atMs]),
      [['DELETE', 1000]],
    );
  }
  const bare = { level: 'Metadata' };
  t.throws(
    () =>
      historyOf(line(1, 'create', `${NS}/pods`, undefined, bare), line(2, 'delete', `${NS}/pods/p`, undefined, bare)),
    {
      name: 'ImportError',
      message: /:1: requestObject is missing, as of all that users wrote: the policy must log at level/,
    },
  );
});

test('pods for another scheduler are bound as it bound them, and what kubectl wrote into a status is written', async (t) => {
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  const target = { target: { kind: 'Node', name: 'node-1' } };
  const history = historyOf(
    line(1, 'create', `${NS}/pods`, { metadata: { name: 'theirs' }, spec: { ...spec, schedulerName: 'theirs' } }),
    line(2, 'create', `${NS}/pods/theirs/binding`, { metadata: { name: 'theirs' }, ...target }),
    line(3, 'create', `${NS}/pods`, { metadata: { name: 'ours' }, spec }),
    line(4, 'create', `${NS}/pods/ours/binding`, { metadata: { name: 'ours' }, ...target }),
    line(
      5,
      'patch',
      '/api/v1/nodes/node-0/status',
      { status: { capacity: { 'ex.io/gpu': '4' } } },
      { userAgent: 'kubectl/v1.34.2' },
    ),
    line(5, 'patch', `${NS}/pods/ours/status`, { status: { phase: 'Failed' } }, { userAgent: 'kwok/v0.7' }),
  );
  t.deepEqual(Object.fromEntries(history.leftOut), {
    'requests of the control plane and of nodes': 1,
    'pods/status': 1,
  });
  const seen = await played(history, (cluster) => ({
    theirs: cluster.get('Pod', 'theirs').spec.nodeName,
    phase: cluster.get('Pod', 'theirs').status.phase,
    gpus: cluster.get('Node', 'node-0').status.allocatable?.['ex.io/gpu'],
  }));
  t.deepEqual(seen, { theirs: 'node-1', phase: 'Running', gpus: '4' });
});
