/** What quotas let in, refuse and note; texts as kube-apiserver 1.34.2 answers. */
import test, { type ExecutionContext } from 'ava';
import type { Draft } from '../../../src/api/objects/objects.js';
import type { ApiServer } from '../../../src/apiserver/store/server-types.js';
import { createRequests } from '../../../src/requests/requests.js';
import { createFixture, podDraft, refusal } from '../fixtures.js';

type Amounts = Readonly<Record<string, string>>;

/** A quota whose use is known: nothing, unless it is said. */
function addQuota(server: ApiServer, name: string, hard: Amounts, { used = {}, ...spec }: Draft = {}): void {
  const nothing = Object.fromEntries(Object.keys(hard).map((each) => [each, '0']));
  const created = server.create('ResourceQuota', { metadata: { name }, spec: { hard, ...spec } });
  server.update(
    'ResourceQuota',
    { ...created, status: { hard, used: { ...nothing, ...(used as Amounts) } } },
    'status',
  );
}

function usedOf(server: ApiServer, name: string): unknown {
  return (server.get('ResourceQuota', { name })['status'] as { readonly used?: unknown }).used;
}

function podWith(resources: object, spec: object = {}, name = 'p'): Draft {
  return podDraft(name, { containers: [{ name: 'c', image: 'x', resources }], ...spec });
}

function refused(t: ExecutionContext, request: () => unknown): string {
  const { code, reason, message } = refusal(t, request);
  t.deepEqual([code, reason], [403, 'Forbidden']);
  return message;
}

test('what fits is charged, what does not is refused with all that is exceeded', (t) => {
  const { server } = createFixture();
  addQuota(server, 'q', { pods: '2', 'requests.cpu': '500m', 'limits.memory': '1Gi' });
  const some = { requests: { cpu: '200m' }, limits: { memory: '512Mi' } };
  server.create('Pod', podWith(some));
  t.deepEqual(usedOf(server, 'q'), { pods: '1', 'requests.cpu': '200m', 'limits.memory': '512Mi' });
  const more = { requests: { cpu: '400m' }, limits: { memory: '600Mi' } };
  t.is(
    refused(t, () => server.create('Pod', podWith(more, {}, 'p2'))),
    'pods "p2" is forbidden: exceeded quota: q, requested: limits.memory=600Mi,requests.cpu=400m, ' +
      'used: limits.memory=512Mi,requests.cpu=200m, limited: limits.memory=1Gi,requests.cpu=500m',
  );
  t.deepEqual(usedOf(server, 'q'), { pods: '1', 'requests.cpu': '200m', 'limits.memory': '512Mi' });
});

test('a name that is generated is told in the refusal', (t) => {
  const { server } = createFixture();
  addQuota(server, 'q', { 'count/configmaps': '0' });
  t.regex(
    refused(t, () => server.create('ConfigMap', { metadata: { generateName: 'm-' } })),
    /^configmaps "m-\w{5}" is forbidden: exceeded quota: q, requested: count\/configmaps=1, used: count\/configmaps=0, limited: count\/configmaps=0$/,
  );
});

test('containers must say what cpu and memory a quota limits', (t) => {
  const { server } = createFixture();
  addQuota(server, 'q', { 'limits.cpu': '1', 'requests.memory': '1Gi', 'requests.ephemeral-storage': '1Gi' });
  const containers = ['c2', 'c1'].map((name) => ({ name, image: 'x', resources: { requests: { memory: '1Mi' } } }));
  const initContainers = [{ name: 'i', image: 'x' }];
  t.is(
    refused(t, () => server.create('Pod', podDraft('p', { containers, initContainers }))),
    'pods "p" is forbidden: failed quota: q: must specify limits.cpu for: c1,c2,i; requests.memory for: i',
  );
});

test('as long as the use of a quota is not known, nothing that it counts comes in', (t) => {
  const { server } = createFixture();
  const created = server.create('ResourceQuota', {
    metadata: { name: 'q' },
    spec: { hard: { pods: '1', secrets: '1' } },
  });
  server.create('Pod', podDraft('before-its-limits-are-told'));
  server.update('ResourceQuota', { ...created, status: { hard: { pods: '1', 'count/pods': '1' } } }, 'status');
  t.is(
    refused(t, () => server.create('Pod', podDraft('p'))),
    'pods "p" is forbidden: status unknown for quota: q, resources: count/pods,pods',
  );
});

test('every quota of a namespace is asked, those of others are not', (t) => {
  const { server } = createFixture();
  server.create('Namespace', { metadata: { name: 'other' } });
  addQuota(server, 'a', { pods: '5' });
  addQuota(server, 'b', { pods: '1' });
  server.create('Pod', podDraft('p1'));
  t.regex(
    refused(t, () => server.create('Pod', podDraft('p2'))),
    /exceeded quota: b/,
  );
  server.create('Pod', podDraft('p3', {}, { namespace: 'other' }));
  t.deepEqual([usedOf(server, 'a'), usedOf(server, 'b')], [{ pods: '1' }, { pods: '1' }]);
});

test('scopes choose the pods that a quota counts', (t) => {
  const { server } = createFixture();
  server.create('PriorityClass', { metadata: { name: 'high' }, value: 1000 });
  const high = [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }];
  addQuota(server, 'with-end', { pods: '9' }, { scopes: ['Terminating'] });
  addQuota(server, 'without-end', { pods: '9' }, { scopes: ['NotTerminating'] });
  addQuota(server, 'best-effort', { pods: '9' }, { scopes: ['BestEffort'] });
  addQuota(server, 'asking', { pods: '9' }, { scopes: ['NotBestEffort'] });
  addQuota(server, 'high', { pods: '9' }, { scopeSelector: { matchExpressions: high } });
  addQuota(server, 'far', { pods: '9' }, { scopes: ['CrossNamespacePodAffinity'] });
  server.create('Pod', podWith({}, { activeDeadlineSeconds: 60, priorityClassName: 'high' }, 'a'));
  const term = { topologyKey: 'zone', namespaceSelector: {}, labelSelector: {} };
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  server.create('Pod', podWith({ requests: { cpu: '1' } }, { affinity }, 'b'));
  const counts = ['with-end', 'without-end', 'best-effort', 'asking', 'high', 'far'].map((name) => [
    name,
    (usedOf(server, name) as Amounts)['pods'],
  ]);
  t.deepEqual(Object.fromEntries(counts), {
    'with-end': '1',
    'without-end': '1',
    'best-effort': '1',
    asking: '1',
    high: '1',
    far: '1',
  });
});

test('extended resources, huge pages and overhead are counted', (t) => {
  const { server } = createFixture();
  server.create('RuntimeClass', { metadata: { name: 'vm' }, handler: 'vm', overhead: { podFixed: { cpu: '250m' } } });
  addQuota(server, 'q', {
    'requests.example.com/gpu': '4',
    'hugepages-2Mi': '1Gi',
    'requests.cpu': '2',
    'limits.cpu': '4',
  });
  const asked = { 'example.com/gpu': '3', 'hugepages-2Mi': '4Mi', cpu: '1' };
  server.create('Pod', podWith({ requests: asked, limits: asked }, { runtimeClassName: 'vm' }));
  t.deepEqual(usedOf(server, 'q'), {
    'requests.example.com/gpu': '3',
    'hugepages-2Mi': '4Mi',
    'requests.cpu': '1250m',
    'limits.cpu': '1250m',
  });
});

test('services are counted by their kind, also when that changes', (t) => {
  const { server } = createFixture();
  addQuota(server, 'q', { services: '2', 'services.nodeports': '3', 'services.loadbalancers': '0' });
  const ports = [80, 81].map((port) => ({ name: `p${port}`, port }));
  const made = server.create('Service', { metadata: { name: 's' }, spec: { type: 'NodePort', ports } });
  t.deepEqual(usedOf(server, 'q'), { services: '1', 'services.nodeports': '2', 'services.loadbalancers': '0' });
  t.is(
    refused(t, () => server.update('Service', { ...made, spec: { ...made.spec, type: 'LoadBalancer' } })),
    'services "s" is forbidden: exceeded quota: q, requested: services.loadbalancers=1, used: services.loadbalancers=0, limited: services.loadbalancers=0',
  );
  server.create('Service', { metadata: { name: 's2' }, spec: { ports } });
  server.patch('Service', { name: 's2' }, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
  t.deepEqual(usedOf(server, 'q'), { services: '2', 'services.nodeports': '2', 'services.loadbalancers': '0' });
});

test('claims are counted by size and by class', (t) => {
  const { server } = createFixture();
  const ofGold = 'gold.storageclass.storage.k8s.io/';
  addQuota(server, 'q', {
    persistentvolumeclaims: '5',
    'requests.storage': '10Gi',
    [`${ofGold}requests.storage`]: '2Gi',
    [`${ofGold}persistentvolumeclaims`]: '1',
  });
  const claim = (name: string, storage: string, storageClassName: string): (() => unknown) => {
    const spec = { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage } } };
    return () => server.create('PersistentVolumeClaim', { metadata: { name }, spec });
  };
  claim('a', '1Gi', 'gold')();
  claim('b', '8Gi', 'tin')();
  t.is(
    refused(t, claim('c', '1536Mi', 'gold')),
    `persistentvolumeclaims "c" is forbidden: exceeded quota: q, requested: ${ofGold}persistentvolumeclaims=1,${ofGold}requests.storage=1536Mi,requests.storage=1536Mi, ` +
      `used: ${ofGold}persistentvolumeclaims=1,${ofGold}requests.storage=1Gi,requests.storage=9Gi, ` +
      `limited: ${ofGold}persistentvolumeclaims=1,${ofGold}requests.storage=2Gi,requests.storage=10Gi`,
  );
});

test('objects of every kind can be counted, those of custom kinds included', (t) => {
  const { server } = createFixture();
  const schema = { openAPIV3Schema: { type: 'object' } };
  server.create('CustomResourceDefinition', {
    metadata: { name: 'widgets.shop.example.com' },
    spec: {
      group: 'shop.example.com',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  addQuota(server, 'q', { 'count/widgets.shop.example.com': '1', 'count/deployments.apps': '0', secrets: '1' });
  const widget = (name: string): (() => unknown) => {
    return () =>
      server.create('Widget' as 'ConfigMap', { apiVersion: 'shop.example.com/v1', kind: 'Widget', metadata: { name } });
  };
  widget('a')();
  t.is(
    refused(t, widget('b')),
    'widgets.shop.example.com "b" is forbidden: exceeded quota: q, requested: count/widgets.shop.example.com=1, used: count/widgets.shop.example.com=1, limited: count/widgets.shop.example.com=1',
  );
  server.create('Secret', { metadata: { name: 's' } });
  t.deepEqual(usedOf(server, 'q'), {
    'count/widgets.shop.example.com': '1',
    'count/deployments.apps': '0',
    secrets: '1',
  });
});

test('a dry run is held to the quota and charges nothing', (t) => {
  const { server, kernel } = createFixture();
  addQuota(server, 'q', { configmaps: '1' });
  const requests = createRequests({ server, kernel });
  const path = '/api/v1/namespaces/default/configmaps';
  const create = (name: string, query = ''): number | undefined => {
    const body = { text: JSON.stringify({ metadata: { name } }) };
    const answer = requests.answer({ method: 'POST', path, query: new URLSearchParams(query), headers: {}, body });
    return answer.type === 'object' ? answer.status : undefined;
  };
  const { version } = server;
  t.is(create('a', 'dryRun=All'), 201);
  t.deepEqual([usedOf(server, 'q'), server.version], [{ configmaps: '0' }, version]);
  t.is(create('a'), 201);
  t.is(create('b', 'dryRun=All'), 403);
});

test('of objects that are applied together none is charged when one is refused', (t) => {
  const { server } = createFixture();
  addQuota(server, 'q', { configmaps: '1' });
  t.throws(() =>
    server.transaction(() => {
      server.create('ConfigMap', { metadata: { name: 'a' } });
      server.create('ConfigMap', { metadata: { name: 'b' } });
    }),
  );
  t.deepEqual([usedOf(server, 'q'), server.count('ConfigMap')], [{ configmaps: '0' }, 0]);
});

test('the status is written by the API server, before the object', (t) => {
  const { server } = createFixture();
  addQuota(server, 'q', { configmaps: '1' });
  const seen: string[] = [];
  const note = (event: { readonly type: string; readonly kind?: string; readonly by?: string | undefined }): void => {
    seen.push(`${event.type} ${event.kind} by ${event.by}`);
  };
  server.watch('ResourceQuota', { resourceVersion: String(server.version) }, note);
  server.watch('ConfigMap', { resourceVersion: String(server.version) }, note);
  server.as('kube-controller-manager', () => server.create('ConfigMap', { metadata: { name: 'a' } }), undefined);
  t.deepEqual(seen, ['MODIFIED ResourceQuota by kube-apiserver', 'ADDED ConfigMap by kube-controller-manager']);
});
