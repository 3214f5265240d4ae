import test, { type ExecutionContext } from 'ava';
import type { Pod } from '../../../src/api/objects/objects.js';
import { DEFAULT_PLUGINS } from '../../../src/scheduler/plugins/registry.js';
import { createScheduledCluster, type ScheduledCluster } from '../support/scheduled-cluster.js';
import { testNode, testPod, type PodParts } from '../support/objects.js';

/** A cluster with the classes low, mid, high and top. */
function createCluster(options: Parameters<typeof createScheduledCluster>[0] = {}, seed = 'seed'): ScheduledCluster {
  const cluster = createScheduledCluster(options, seed);
  for (const [name, value] of Object.entries({ low: 1, mid: 100, high: 1000, top: 10_000 })) {
    cluster.server.create('PriorityClass', { metadata: { name }, value });
  }
  return cluster;
}

/** A pod of a class that asks for 3 of a node's 4 cores unless told otherwise. */
function classPod(name: string, priorityClassName: string, parts: PodParts = {}): Pod {
  return testPod(name, { requests: { cpu: '3' }, ...parts, spec: { priorityClassName, ...parts.spec } });
}

function nominationOf(cluster: ScheduledCluster, name: string): string | undefined {
  return cluster.pod(name).status.nominatedNodeName;
}

function messageOf(cluster: ScheduledCluster, name: string): string | undefined {
  return cluster.pod(name).status.conditions?.find(({ type }) => type === 'PodScheduled')?.message;
}

function isTerminating(cluster: ScheduledCluster, name: string): boolean {
  return cluster.pod(name).metadata.deletionTimestamp !== undefined;
}

/** What a kubelet does in the end. */
function finish(cluster: ScheduledCluster, ...names: readonly string[]): void {
  for (const name of names) cluster.server.delete('Pod', { namespace: 'default', name }, { gracePeriodSeconds: 0 });
}

test('preemption › a pod takes the place of a less important one, once that has gone gracefully', async (t) => {
  const cluster = createCluster();
  cluster.create(testNode('n1'), classPod('low', 'low'));
  await cluster.run();
  const log: string[] = [];
  cluster.server.watch('Pod', { resourceVersion: String(cluster.server.version) }, (event) => {
    if (event.type === 'BOOKMARK') return;
    const { metadata, spec, status } = event.object;
    const facts = [
      metadata.deletionTimestamp === undefined ? '' : 'terminating',
      status.nominatedNodeName === undefined ? '' : `nominated to ${status.nominatedNodeName}`,
      spec.nodeName === undefined ? '' : `on ${spec.nodeName}`,
      ...(status.conditions ?? []).map(({ type, status: value, reason }) => `${type}=${value} ${reason ?? ''}`.trim()),
    ];
    log.push(`${event.type} ${metadata.name}: ${facts.filter((fact) => fact !== '').join(', ')}`);
  });
  cluster.create(classPod('high', 'high'));
  await cluster.run();
  t.is(cluster.pod('high').spec.nodeName, undefined);
  t.is(messageOf(cluster, 'high'), '0/1 nodes are available: 1 Insufficient cpu.');
  finish(cluster, 'low');
  await cluster.run();
  t.deepEqual(log, [
    'ADDED high: ',
    'MODIFIED high: nominated to n1, PodScheduled=False Unschedulable',
    'MODIFIED low: on n1, PodScheduled=True, DisruptionTarget=True PreemptionByScheduler',
    'MODIFIED low: terminating, on n1, PodScheduled=True, DisruptionTarget=True PreemptionByScheduler',
    'MODIFIED low: terminating, on n1, PodScheduled=True, DisruptionTarget=True PreemptionByScheduler',
    'DELETED low: terminating, on n1, PodScheduled=True, DisruptionTarget=True PreemptionByScheduler',
    'MODIFIED high: nominated to n1, on n1, PodScheduled=True',
  ]);
  t.deepEqual(
    cluster.events('FailedScheduling').map(({ involvedObject, message }) => [involvedObject.name, message]),
    [['high', '0/1 nodes are available: 1 Insufficient cpu.']],
  );
  const [preempted] = cluster.events('Preempted');
  t.is(preempted?.message, `Preempted by pod ${cluster.pod('high').metadata.uid} on node n1`);
  await cluster.dispose();
});

test('preemption › while victims terminate the pod preempts no others, and says so', async (t) => {
  const cluster = createCluster();
  cluster.create(testNode('n1'), testNode('n2'), classPod('low1', 'low'), classPod('low2', 'low'));
  await cluster.run();
  cluster.create(classPod('high', 'high'));
  await cluster.run();
  const nominated = nominationOf(cluster, 'high');
  const [victim, other] = ['low1', 'low2'].sort((a) => (cluster.pod(a).spec.nodeName === nominated ? -1 : 1));
  t.true(isTerminating(cluster, victim ?? ''));
  // A smaller pod elsewhere leaves: the pod is tried again, and still waits for its victim.
  cluster.create(
    classPod('small', 'low', {
      requests: { cpu: '1' },
      spec: { nodeName: cluster.pod(other ?? '').spec.nodeName ?? '' },
    }),
  );
  await cluster.run();
  finish(cluster, 'small');
  await cluster.run(20_000);
  t.is(nominationOf(cluster, 'high'), nominated);
  t.false(isTerminating(cluster, other ?? ''));
  t.true(
    messageOf(cluster, 'high')?.endsWith('preemption: not eligible due to a terminating pod on the nominated node.'),
  );
  await cluster.dispose();
});

test('preemption › the room of the victims is kept for the pod', async (t) => {
  const cluster = createCluster();
  cluster.create(testNode('n1'), classPod('low', 'low'));
  await cluster.run();
  cluster.create(classPod('high', 'high'), classPod('mid', 'mid'));
  await cluster.run();
  finish(cluster, 'low');
  await cluster.run(30_000);
  t.deepEqual(cluster.placements(), { high: 'n1' });
  t.is(nominationOf(cluster, 'mid'), undefined);
  await cluster.dispose();
});

test('preemption › a more important pod takes the nominated node, and the nomination is taken back', async (t) => {
  const cluster = createCluster();
  cluster.create(testNode('n1'), classPod('low', 'low'));
  await cluster.run();
  cluster.create(classPod('mid', 'mid'));
  await cluster.run();
  t.is(nominationOf(cluster, 'mid'), 'n1');
  cluster.create(classPod('top', 'top'));
  await cluster.run();
  t.is(nominationOf(cluster, 'top'), 'n1');
  t.is(nominationOf(cluster, 'mid'), undefined);
  finish(cluster, 'low');
  await cluster.run(30_000);
  t.deepEqual(cluster.placements(), { top: 'n1' });
  await cluster.dispose();
});

test('preemption › a node that becomes free meanwhile takes the pod', async (t) => {
  const cluster = createCluster();
  cluster.create(testNode('n1'), classPod('low', 'low'));
  await cluster.run();
  cluster.create(classPod('high', 'high'));
  await cluster.run();
  cluster.create(testNode('n2'));
  await cluster.run(20_000);
  t.is(cluster.pod('high').spec.nodeName, 'n2');
  t.true(isTerminating(cluster, 'low'));
  await cluster.dispose();
});

test('preemption › all victims of a node go before the pod is tried again', async (t) => {
  const cluster = createCluster();
  const small = { requests: { cpu: '1' } };
  const names = ['p1', 'p2', 'p3', 'p4'];
  cluster.create(testNode('n1'), ...names.map((name) => classPod(name, 'low', small)));
  await cluster.run();
  cluster.create(classPod('high', 'high'));
  await cluster.run();
  const victims = names.filter((name) => isTerminating(cluster, name));
  t.is(victims.length, 3);
  finish(cluster, ...victims.slice(0, 2));
  await cluster.run(20_000);
  t.is(cluster.pod('high').spec.nodeName, undefined);
  t.deepEqual(
    names.filter((name) => cluster.server.find('Pod', { namespace: 'default', name })?.metadata.deletionTimestamp),
    victims.slice(2),
  );
  finish(cluster, ...victims.slice(2));
  await cluster.run(20_000);
  t.is(cluster.pod('high').spec.nodeName, 'n1');
  await cluster.dispose();
});

test('preemption › victims that vanish at once do not let the pod preempt twice', async (t) => {
  const cluster = createCluster();
  const names = ['p1', 'p2', 'p3', 'p4'];
  const parts: PodParts = { requests: { cpu: '1' }, spec: { terminationGracePeriodSeconds: 0 } };
  cluster.create(testNode('n1'), ...names.map((name) => classPod(name, 'low', parts)));
  await cluster.run();
  const link = cluster.bus.link('kube-scheduler');
  if (link !== undefined) link.latency = 3;
  cluster.create(classPod('high', 'high'));
  await cluster.run(20_000);
  t.is(cluster.pod('high').spec.nodeName, 'n1');
  t.is(cluster.events('Preempted').length, 3);
  t.is(Object.keys(cluster.placements()).length, 2);
  await cluster.dispose();
});

test('preemption › a pod that never preempts waits, but keeps its place in the queue', async (t) => {
  const cluster = createCluster();
  cluster.server.create('PriorityClass', { metadata: { name: 'polite' }, value: 5000, preemptionPolicy: 'Never' });
  cluster.create(testNode('n1'), classPod('low', 'low'));
  await cluster.run();
  cluster.create(classPod('polite', 'polite'), classPod('later', 'low'));
  await cluster.run();
  t.false(isTerminating(cluster, 'low'));
  t.true(messageOf(cluster, 'polite')?.endsWith('preemption: not eligible due to preemptionPolicy=Never.'));
  finish(cluster, 'low');
  await cluster.run(20_000);
  t.deepEqual(cluster.placements(), { polite: 'n1' });
  await cluster.dispose();
});

test('preemption › without the plugin no pod is removed', async (t) => {
  const plugins = DEFAULT_PLUGINS.filter(({ name }) => name !== 'DefaultPreemption');
  const cluster = createCluster({ plugins });
  cluster.create(testNode('n1'), classPod('low', 'low'));
  await cluster.run();
  cluster.create(classPod('high', 'high'));
  await cluster.run();
  t.false(isTerminating(cluster, 'low'));
  t.is(nominationOf(cluster, 'high'), undefined);
  await cluster.dispose();
});

test('preemption › a pod that nothing helps says so for every node', async (t) => {
  const cluster = createCluster();
  cluster.create(testNode('n1'), testNode('n2', { unschedulable: true }), classPod('same', 'high'));
  await cluster.run();
  cluster.create(classPod('high', 'high'));
  await cluster.run();
  t.true(
    messageOf(cluster, 'high')?.endsWith(
      'preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.',
    ),
  );
  await cluster.dispose();
});

test('preemption › a disruption budget is broken only where nothing else helps', async (t) => {
  const cluster = createCluster();
  cluster.create(
    testNode('n1'),
    testNode('n2'),
    classPod('guarded', 'low', { labels: { app: 'db' }, spec: { nodeName: 'n1' } }),
    classPod('free', 'mid', { spec: { nodeName: 'n2' } }),
  );
  cluster.server.create('PodDisruptionBudget', {
    metadata: { name: 'db' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'db' } } },
  });
  await cluster.run();
  cluster.create(classPod('high1', 'high'));
  await cluster.run();
  t.deepEqual([isTerminating(cluster, 'guarded'), isTerminating(cluster, 'free')], [false, true]);
  finish(cluster, 'free');
  await cluster.run();
  cluster.create(classPod('high2', 'high'));
  await cluster.run();
  t.true(isTerminating(cluster, 'guarded'));
  await cluster.dispose();
});

test('preemption › victims on another node would not help, and are left alone', async (t) => {
  const cluster = createCluster();
  const antiAffinity = {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'topology.kubernetes.io/zone', labelSelector: { matchLabels: { app: 'q' } } },
      ],
    },
  };
  cluster.create(
    testNode('n1', { zone: 'z' }),
    testNode('n2', { zone: 'z', unschedulable: true }),
    classPod('q', 'low', { labels: { app: 'q' }, spec: { nodeName: 'n2' } }),
    classPod('bystander', 'low', { spec: { nodeName: 'n1' }, requests: { cpu: '1' } }),
  );
  await cluster.run();
  cluster.create(classPod('p', 'high', { spec: { affinity: antiAffinity } }));
  await cluster.run();
  t.is(nominationOf(cluster, 'p'), undefined);
  t.deepEqual([isTerminating(cluster, 'q'), isTerminating(cluster, 'bystander')], [false, false]);
  finish(cluster, 'q');
  await cluster.run(20_000);
  t.is(cluster.pod('p').spec.nodeName, 'n1');
  await cluster.dispose();
});

async function podsAfterPreemptions(t: ExecutionContext, seed: string): Promise<string> {
  const cluster = createCluster({}, seed);
  for (let index = 0; index < 12; index += 1) cluster.create(testNode(`n${index}`), classPod(`low${index}`, 'low'));
  await cluster.run();
  for (let index = 0; index < 5; index += 1) cluster.create(classPod(`high${index}`, 'high'));
  await cluster.run();
  t.is(cluster.events('Preempted').length, 5);
  const pods = JSON.stringify(cluster.server.list('Pod').items);
  await cluster.dispose();
  return pods;
}

test('preemption › equal seeds give equal victims', async (t) => {
  t.is(await podsAfterPreemptions(t, 'a'), await podsAfterPreemptions(t, 'a'));
});
