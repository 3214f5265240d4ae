import test from 'ava';
import type { DaemonSet } from '../../../src/api/objects/objects.js';
import { notes } from '../harness.js';
import { createDaemonScene, DAEMON, daemonSetDraft, nodesOf, taint, untaint, update } from './daemon-sets.js';

const NODES = ['n1', 'n2', 'n3'];

test('7.4.1 › a pod for every node that fits by name, selector and affinity, whatever has room', async (t) => {
  const harness = createDaemonScene(NODES);
  const { server } = harness;
  server.patch('Node', { name: 'n1' }, { type: 'merge', body: { metadata: { labels: { disk: 'ssd', zone: 'a' } } } });
  server.patch('Node', { name: 'n2' }, { type: 'merge', body: { metadata: { labels: { disk: 'ssd', zone: 'b' } } } });
  const terms = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'c'] }] }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
  const containers = [{ name: 'c', image: 'v1', resources: { requests: { cpu: '999' } } }];
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers, nodeSelector: { disk: 'ssd' }, affinity } };
  server.create('DaemonSet', daemonSetDraft({ template }));
  await harness.run(1000);
  t.deepEqual(nodesOf(harness.list('Pod')), ['n1']);
  server.patch('Node', { name: 'n3' }, { type: 'merge', body: { metadata: { labels: { disk: 'ssd', zone: 'c' } } } });
  await harness.run(1000);
  t.deepEqual(nodesOf(harness.list('Pod')), ['n1', 'n3']);
  server.patch('Node', { name: 'n1' }, { type: 'merge', body: { metadata: { labels: { disk: 'hdd' } } } });
  await harness.run(1000);
  t.deepEqual(nodesOf(harness.list('Pod')), ['n3']);
  harness.dispose();
});

test('7.4.1 › an untolerated NoSchedule taint keeps new pods off and lets old ones stay; NoExecute deletes them', async (t) => {
  const harness = createDaemonScene(NODES);
  const { server } = harness;
  taint(harness, 'n1', 'node.kubernetes.io/not-ready', 'NoSchedule');
  taint(harness, 'n2', 'node.kubernetes.io/unschedulable', 'NoSchedule');
  taint(harness, 'n2', 'node.kubernetes.io/memory-pressure', 'NoSchedule');
  taint(harness, 'n2', 'node.kubernetes.io/not-ready', 'NoExecute');
  server.create('DaemonSet', daemonSetDraft());
  await harness.run(1000);
  t.deepEqual(nodesOf(harness.list('Pod')), ['n2', 'n3']);
  taint(harness, 'n3', 'maintenance', 'NoSchedule');
  await harness.run(1000);
  t.deepEqual(nodesOf(harness.list('Pod')), ['n2', 'n3']);
  t.is(server.get('DaemonSet', DAEMON).status.numberMisscheduled, 0);
  server.patch('DaemonSet', DAEMON, { type: 'merge', body: { metadata: { labels: { any: 'news' } } } });
  await harness.run(1000);
  t.deepEqual(server.get('DaemonSet', DAEMON).status as object, {
    currentNumberScheduled: 1,
    numberMisscheduled: 1,
    desiredNumberScheduled: 1,
    numberReady: 1,
    observedGeneration: 1,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
  });
  taint(harness, 'n3', 'fire', 'NoExecute');
  await harness.run(1000);
  t.deepEqual(nodesOf(harness.list('Pod')), ['n2']);
  untaint(harness, 'n1');
  await harness.run(1000);
  t.deepEqual(nodesOf(harness.list('Pod')), ['n1', 'n2']);
  harness.dispose();
});

test('7.4.2 › a pod is pinned to its node by a field of its affinity, tolerates what comes, and carries its revision', async (t) => {
  const harness = createDaemonScene(['n1'], { runs: () => false });
  const { server } = harness;
  const preferred = [{ weight: 1, preference: { matchExpressions: [{ key: 'x', operator: 'Exists' }] } }];
  const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] }] };
  const nodeAffinity = {
    preferredDuringSchedulingIgnoredDuringExecution: preferred,
    requiredDuringSchedulingIgnoredDuringExecution: required,
  };
  const own = [
    { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 },
    { key: 'mine', operator: 'Exists' },
  ];
  const spec = {
    containers: [{ name: 'c', image: 'v1' }],
    hostNetwork: true,
    affinity: { nodeAffinity },
    tolerations: own,
  };
  server.create('DaemonSet', daemonSetDraft({ template: { metadata: { labels: { a: 'b' } }, spec } }));
  await harness.run(1000);
  const [pod] = harness.list('Pod');
  const [revision] = harness.list('ControllerRevision');
  const hash = revision?.metadata.labels?.['controller-revision-hash'] ?? '';
  t.is(revision?.metadata.name, `d-${hash}`);
  t.deepEqual(pod?.metadata.labels, { a: 'b', 'controller-revision-hash': hash, 'pod-template-generation': '1' });
  t.deepEqual(pod?.spec.affinity as object, {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: preferred,
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }],
      },
    },
  });
  t.deepEqual(
    pod?.spec.tolerations?.map(({ key, effect, tolerationSeconds }) => [key, effect, tolerationSeconds]),
    [
      ['node.kubernetes.io/unreachable', 'NoExecute', undefined],
      ['mine', undefined, undefined],
      ['node.kubernetes.io/not-ready', 'NoExecute', undefined],
      ['node.kubernetes.io/disk-pressure', 'NoSchedule', undefined],
      ['node.kubernetes.io/memory-pressure', 'NoSchedule', undefined],
      ['node.kubernetes.io/pid-pressure', 'NoSchedule', undefined],
      ['node.kubernetes.io/unschedulable', 'NoSchedule', undefined],
      ['node.kubernetes.io/network-unavailable', 'NoSchedule', undefined],
    ],
  );
  t.regex(pod?.metadata.name ?? '', /^d-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  const { uid } = server.get('DaemonSet', DAEMON).metadata;
  t.deepEqual(pod?.metadata.ownerReferences, [
    { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid, controller: true, blockOwnerDeletion: true },
  ]);
  t.is(pod?.spec.nodeName, undefined);
  harness.dispose();
});

test('7.4.3 › nodes that come get pods, pods that go come again, and each is told', async (t) => {
  const harness = createDaemonScene(['n1']);
  harness.server.create('DaemonSet', daemonSetDraft());
  await harness.run(1000);
  const [first] = harness.list('Pod');
  harness.server.create('Node', { metadata: { name: 'n2' } });
  untaint(harness, 'n2');
  harness.server.delete('Pod', first?.metadata ?? DAEMON);
  await harness.run(1000);
  const pods = harness.list('Pod');
  t.deepEqual(nodesOf(pods), ['n1', 'n2']);
  t.deepEqual(
    notes(harness, 'd').sort(),
    [first, ...pods].map((pod) => `Normal SuccessfulCreate Created pod: ${pod?.metadata.name}`).sort(),
  );
  harness.dispose();
});

test('7.4.3 › of several pods on a node the oldest bound one stays', async (t) => {
  const harness = createDaemonScene(['n1']);
  const { server } = harness;
  const pod = { spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'v1' }] } };
  server.create('Pod', { ...pod, metadata: { name: 'younger', labels: { a: 'b' } } });
  await harness.run(3000);
  server.create('Pod', { ...pod, metadata: { name: 'youngest', labels: { a: 'b' } } });
  server.create('DaemonSet', daemonSetDraft({ updateStrategy: { type: 'OnDelete' } }));
  await harness.run(1000);
  t.deepEqual(
    harness.list('Pod').map(({ metadata }) => metadata.name),
    ['younger'],
  );
  t.deepEqual(notes(harness, 'd'), ['Normal SuccessfulDelete Deleted pod: youngest']);
  harness.dispose();
});

test('7.4.3 › failed pods of a node are deleted after 1 s, 2 s, 4 s and so on, others at once', async (t) => {
  const harness = createDaemonScene(['n1'], { runs: () => false, watch: ['Pod'] });
  const { kernel, server } = harness;
  server.watch('Pod', {}, (event) => {
    if (event.type !== 'ADDED') return;
    const end = (phase: 'Failed' | 'Succeeded'): void =>
      void server.change('Pod', event.object.metadata, (pod) => ({ ...pod, status: { ...pod.status, phase } }), {
        subresource: 'status',
      });
    kernel.clock.schedule(1, () => {
      server.bind({ metadata: { namespace: 'default', name: event.object.metadata.name }, target: { name: 'n1' } });
      end(kernel.clock.now() > 60_000 ? 'Succeeded' : 'Failed');
    });
  });
  const goneMs: number[] = [];
  server.watch('Pod', {}, (event) => {
    if (event.type !== 'DELETED') return;
    goneMs.push(kernel.clock.now());
  });
  server.create('DaemonSet', daemonSetDraft());
  await harness.run(59_000);
  const waits = goneMs.slice(1).map((timeMs, index) => Math.round((timeMs - (goneMs[index] ?? 0)) / 1000));
  t.deepEqual(waits, [1, 2, 4, 8, 16]);
  const [pod] = harness.list('Pod');
  const told = notes(harness, 'd').filter((note) => note.includes('FailedDaemonPod'));
  t.is(told.length, 6);
  t.regex(
    told[0] ?? '',
    /^Warning FailedDaemonPod Found failed daemon pod default\/d-\w{5} on node n1, will try to kill it$/,
  );
  t.is(pod?.status.phase, 'Failed');
  await harness.run(10_000);
  t.regex(
    notes(harness, 'd').find((note) => note.includes('SucceededDaemonPod')) ?? '',
    /^Normal SucceededDaemonPod Found succeeded daemon pod default\/d-\w{5} on node n1, will try to delete it$/,
  );
  harness.dispose();
});

test('7.4.3 › a pod that waits for a node that is gone is deleted when anything is told of it', async (t) => {
  const harness = createDaemonScene(['n1', 'n2'], { runs: () => false });
  const { server } = harness;
  server.create('DaemonSet', daemonSetDraft());
  await harness.run(1000);
  t.is(harness.list('Pod').length, 2);
  server.delete('Node', { name: 'n2' });
  await harness.run(1000);
  t.deepEqual([harness.list('Pod').length, server.get('DaemonSet', DAEMON).status.desiredNumberScheduled], [2, 2]);
  for (const { metadata } of harness.list('Pod')) {
    server.patch('Pod', metadata, { type: 'merge', body: { metadata: { annotations: { any: 'news' } } } });
  }
  await harness.run(1000);
  t.deepEqual([harness.list('Pod').length, server.get('DaemonSet', DAEMON).status.desiredNumberScheduled], [1, 1]);
  harness.dispose();
});

test('7.4.3 › creates at most 250 pods in one sync and reaches any number of nodes', async (t) => {
  const names = Array.from({ length: 600 }, (_, index) => `n${index}`);
  const harness = createDaemonScene(names, { runs: () => false });
  const created: number[] = [];
  harness.server.watch('Pod', {}, (event) => {
    if (event.type === 'ADDED') created.push(harness.kernel.clock.now());
  });
  harness.server.create('DaemonSet', daemonSetDraft());
  await harness.run(5000);
  t.is(harness.list('Pod').length, 600);
  const [first = 0] = created;
  // Slow start: 1, 2, 4, …, 64, 123 of the first 250, each batch after the answers to the one before.
  t.is(created.filter((timeMs) => timeMs <= first + 14).length, 250);
  harness.dispose();
});

/** The status of a set of one node before anything is available. */
function present(numberReady: number): DaemonSet['status'] {
  return {
    currentNumberScheduled: 1,
    numberMisscheduled: 0,
    desiredNumberScheduled: 1,
    numberReady,
    observedGeneration: 1,
    updatedNumberScheduled: 1,
    numberUnavailable: 1,
  };
}

test('7.4.6 › the status as it goes up: four counts always, the others when they are not zero', async (t) => {
  const harness = createDaemonScene(['n1'], { watch: ['DaemonSet'], startMs: 100 });
  harness.server.create('DaemonSet', daemonSetDraft({ minReadySeconds: 5 }));
  await harness.run(7000);
  const statuses = harness.log.flatMap((event) =>
    event.type !== 'BOOKMARK' && event.kind === 'DaemonSet' ? [(event.object as DaemonSet).status] : [],
  );
  const { numberUnavailable: _none, ...done } = present(1);
  t.deepEqual(statuses[0] as object, {
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
  });
  t.deepEqual(statuses.slice(-3) as object[], [present(0), present(1), { ...done, numberAvailable: 1 }]);
  harness.dispose();
});

test('7.4.6 › a ready pod is looked at minReadySeconds after the last look, not when its second is over', async (t) => {
  const harness = createDaemonScene(['n1'], { startMs: 100 });
  await harness.run(800);
  harness.server.create('DaemonSet', daemonSetDraft({ minReadySeconds: 2 }));
  await harness.run(1900);
  const available = (): number | undefined => harness.server.get('DaemonSet', DAEMON).status.numberAvailable;
  t.is(available(), undefined);
  await harness.run(500);
  t.is(available(), 1);
  harness.dispose();
});

test('7.4.6 › nothing is done for a set that is being deleted, and its status stays as it was', async (t) => {
  const harness = createDaemonScene(['n1']);
  const { server } = harness;
  server.create('DaemonSet', { ...daemonSetDraft(), metadata: { name: 'd', finalizers: ['example.com/hold'] } });
  await harness.run(1000);
  server.delete('DaemonSet', DAEMON, { propagationPolicy: 'Orphan' });
  const { status } = server.get('DaemonSet', DAEMON);
  server.delete('Pod', harness.list('Pod')[0]?.metadata ?? DAEMON);
  await harness.run(1000);
  t.deepEqual(harness.list('Pod'), []);
  t.deepEqual(server.get('DaemonSet', DAEMON).status, status);
  harness.dispose();
});

test('7.4.7 › a new template raises the generation and the template generation, other changes only the former', async (t) => {
  const harness = createDaemonScene([]);
  const { server } = harness;
  server.create('DaemonSet', daemonSetDraft());
  const seen = (): unknown[] => {
    const { generation, annotations } = server.get('DaemonSet', DAEMON).metadata;
    return [generation, annotations?.['deprecated.daemonset.template.generation']];
  };
  t.deepEqual(seen(), [1, '1']);
  update(harness, 'v2');
  t.deepEqual(seen(), [2, '2']);
  server.patch('DaemonSet', DAEMON, {
    type: 'merge',
    body: {
      spec: { minReadySeconds: 1 },
      metadata: { annotations: { 'deprecated.daemonset.template.generation': '9' } },
    },
  });
  t.deepEqual(seen(), [3, '2']);
  t.throws(() => server.create('DaemonSet', { ...daemonSetDraft({ selector: {} }), metadata: { name: 'all' } }), {
    message: /spec\.selector: Invalid value: \{\}: empty selector is invalid for daemonset/,
  });
  await harness.run(100);
  harness.dispose();
});

test('daemon set › adopts pods that match, and releases one that no longer does', async (t) => {
  const harness = createDaemonScene(['n1']);
  const { server } = harness;
  const name = { namespace: 'default', name: 'orphan' };
  const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'v1' }] };
  server.create('Pod', { metadata: { name: 'orphan', labels: { a: 'b' } }, spec });
  server.create('DaemonSet', daemonSetDraft({ updateStrategy: { type: 'OnDelete' } }));
  await harness.run(1000);
  t.is(server.get('Pod', name).metadata.ownerReferences?.[0]?.name, 'd');
  t.is(harness.list('Pod').length, 1);
  server.patch('Pod', name, { type: 'merge', body: { metadata: { labels: { a: 'z' } } } });
  await harness.run(1000);
  t.is(server.get('Pod', name).metadata.ownerReferences, undefined);
  t.is(harness.list('Pod').length, 2);
  harness.dispose();
});

test('daemon set › a crash in the middle of a burst loses nothing and creates nothing twice', async (t) => {
  const names = Array.from({ length: 60 }, (_, index) => `n${index}`);
  const harness = createDaemonScene(names);
  harness.server.create('DaemonSet', daemonSetDraft());
  await harness.run(11);
  harness.manager.stop();
  const created = harness.list('Pod').length;
  t.true(created > 0 && created < 60, String(created));
  await harness.run(1000);
  harness.manager.start();
  await harness.run(5000);
  t.deepEqual(nodesOf(harness.list('Pod')), [...names].sort());
  t.is(harness.list('ControllerRevision').length, 1);
  harness.dispose();
});

test('daemon set › tells of pods that are refused, backs off, and recovers', async (t) => {
  const harness = createDaemonScene(['n1', 'n2']);
  const spec = { priorityClassName: 'late', containers: [{ name: 'c', image: 'v1' }] };
  harness.server.create('DaemonSet', daemonSetDraft({ template: { metadata: { labels: { a: 'b' } }, spec } }));
  await harness.run(1000);
  t.regex(
    notes(harness, 'd')[0] ?? '',
    /^Warning FailedCreate Error creating: pods "d-" is forbidden: no PriorityClass with name late was found$/,
  );
  t.is(harness.server.get('DaemonSet', DAEMON).status.numberUnavailable, 2);
  harness.server.create('PriorityClass', { metadata: { name: 'late' }, value: 11 });
  await harness.run(60_000);
  t.is(harness.server.get('DaemonSet', DAEMON).status.numberAvailable, 2);
  harness.dispose();
});
