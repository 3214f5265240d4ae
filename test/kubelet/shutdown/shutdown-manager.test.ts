import test from 'ava';
import type { KubeletConfiguration } from '../../../src/kubelet/configuration/kubelet-configuration.js';
import { createRunningScene, forget, NODE, podDraft, timeline, type Scene } from '../scene.js';

const SLOW = { 'shutdown-delay': '1h' };

async function scene(kubelet: KubeletConfiguration): Promise<Scene> {
  const own = await createRunningScene({ setup: { kubelet } });
  for (const [name, value] of [
    ['low', 10],
    ['high', 1000],
  ] as const) {
    own.server.create('PriorityClass', { metadata: { name }, value });
  }
  return own;
}

function endedMs({ writes }: Scene, name: string): number | undefined {
  return writes.find(({ pod }) => pod.metadata.name === name && pod.status.phase === 'Failed')?.atMs;
}

test('6.24 › without a period nothing happens', async (t) => {
  const own = await scene({});
  own.bind(podDraft());
  await own.run(3000);
  t.false(own.kubelet.shutDown());
  await own.run(60_000);
  t.is(own.pod().status.phase, 'Running');
  t.is(own.server.get('Node', { name: NODE }).status.conditions?.at(-1)?.status, 'True');
});

test('6.24 › the node turns not ready at once and takes no pods any more', async (t) => {
  const own = await scene({ shutdownGracePeriod: '30s', shutdownGracePeriodCriticalPods: '10s' });
  await own.run(3000);
  t.true(own.kubelet.shutDown());
  await own.run(10);
  const ready = own.server.get('Node', { name: NODE }).status.conditions?.at(-1);
  t.deepEqual(
    [ready?.type, ready?.status, ready?.reason, ready?.message],
    ['Ready', 'False', 'KubeletNotReady', 'node is shutting down'],
  );
  t.deepEqual(
    own
      .nodeEvents()
      .slice(6)
      .map(({ type, reason, message }) => `${type} ${reason}: ${message}`),
    [
      'Normal Shutdown: Shutdown manager detected shutdown event',
      `Normal NodeNotReady: Node ${NODE} status is now: NodeNotReady`,
    ],
  );
  own.bind(podDraft());
  await own.run(1000);
  t.is(own.pod().status.reason, 'NodeShutdown');
  t.is(own.pod().status.message, 'Pod was rejected: Pod was rejected as the node is shutting down.');
});

test('6.25 › the two simple periods make two groups: all pods first, critical ones in the last part', async (t) => {
  const own = await scene({ shutdownGracePeriod: '30s', shutdownGracePeriodCriticalPods: '10s' });
  own.bind(podDraft({}, SLOW, 'plain'));
  own.bind(podDraft({ priorityClassName: 'system-node-critical' }, SLOW, 'critical'));
  await own.run(3000);
  const startMs = own.clock.now();
  let doneMs = 0;
  own.kubelet.shutDown(() => {
    doneMs = own.clock.now();
  });
  await own.run(60_000);
  t.deepEqual(
    [endedMs(own, 'plain'), endedMs(own, 'critical')].map((atMs) => (atMs ?? 0) - startMs),
    [20_002, 30_002],
  );
  t.is(doneMs - startMs, 31_000, 'the system needs a second to stop its services');
});

test('6.25 › groups by priority: from the lowest to the highest, early when their pods are gone, none without pods', async (t) => {
  const own = await scene({
    shutdownGracePeriodByPodPriority: [
      { priority: 1000, shutdownGracePeriodSeconds: 40 },
      { priority: 100, shutdownGracePeriodSeconds: 300 },
      { priority: 10, shutdownGracePeriodSeconds: 20 },
    ],
  });
  own.bind(podDraft({}, { 'shutdown-delay': '4s' }, 'below'));
  own.bind(podDraft({ priorityClassName: 'low' }, { 'shutdown-delay': '5s' }, 'low'));
  own.bind(podDraft({ priorityClassName: 'high', terminationGracePeriodSeconds: 7 }, SLOW, 'high'));
  await own.run(3000);
  const startMs = own.clock.now();
  own.kubelet.shutDown();
  await own.run(100_000);
  t.deepEqual(
    ['below', 'low', 'high'].map((name) => (endedMs(own, name) ?? 0) - startMs),
    [4002, 5002, 12_002],
  );
});

test('6.26 › a pod that is ended for a shutdown has Failed, with reason, message and condition in one write', async (t) => {
  const own = await scene({ shutdownGracePeriod: '30s' });
  own.bind(podDraft());
  await own.run(3000);
  forget(own);
  own.kubelet.shutDown();
  await own.run(60_000);
  t.deepEqual(timeline(own), [
    '0 event Normal Killing: Stopping container c',
    '500 MODIFIED Failed c=Completed DisruptionTarget:T(TerminationByKubelet) Start:F Init:T Ready:F(PodFailed) CReady:F(PodFailed) Sched:T',
  ]);
  const { reason, message, conditions = [] } = own.pod().status;
  t.is(reason, 'Terminated');
  t.is(message, 'Pod was terminated in response to imminent node shutdown.');
  t.is(conditions.find(({ type }) => type === 'DisruptionTarget')?.message, message);
});
