import test from 'ava';
import type { Draft, Pod } from '../../../src/api/objects/objects.js';
import { createRunningScene, IMAGE, NODE, podDraft, summary, timeline, type Scene, forget } from '../scene.js';

const NAME = { name: NODE };

/** Reason and message of a pod that was refused; its phase if it was not. */
function verdict(scene: Scene, name: string): string {
  const { phase, reason = '', message = '' } = scene.pod(name).status;
  return phase === 'Failed' ? `${reason}: ${message}` : (phase ?? '');
}

function asking(requests: Readonly<Record<string, string>>, more: Draft = {}): Draft {
  return { containers: [{ name: 'c', image: IMAGE, resources: { requests } }], ...more };
}

async function refusal(spec: Draft, scene?: Scene): Promise<string> {
  const own = scene ?? (await createRunningScene());
  own.bind(podDraft(spec, {}, 'last'));
  await own.run(3000);
  return verdict(own, 'last');
}

test('6.7 › a rejected pod: one event, one write without containers or conditions of the kubelet, and no second try', async (t) => {
  const scene = await createRunningScene();
  forget(scene);
  scene.bind(podDraft(asking({ cpu: '5' })));
  await scene.run(600_000);
  const message = "Node didn't have enough resource: cpu, requested: 5000, used: 0, capacity: 4000";
  t.deepEqual(timeline(scene), [
    '0 ADDED Pending',
    '0 MODIFIED Pending Sched:T',
    `4 event Warning OutOfcpu: ${message}`,
    '4 MODIFIED Failed',
  ]);
  const { startTime, ...status } = scene.pod().status;
  t.truthy(startTime);
  t.deepEqual(status, {
    phase: 'Failed',
    qosClass: 'Burstable',
    reason: 'OutOfcpu',
    message: `Pod was rejected: ${message}`,
  } as typeof status);
});

test('6.8 › each resource that does not suffice has its reason, the first in order wins', async (t) => {
  const capacity = { cpu: '4', memory: '8Gi', 'ephemeral-storage': '10Gi', pods: '10', 'example.com/gpu': '1' };
  const texts: string[] = [];
  for (const requests of [
    { memory: '9Gi', cpu: '5' },
    { memory: '9Gi', 'example.com/gpu': '2' },
    { 'example.com/gpu': '2', 'ephemeral-storage': '11Gi' },
    { 'example.com/gpu': '2' },
  ]) {
    const limits = 'example.com/gpu' in requests ? { 'example.com/gpu': '2' } : {};
    const containers = [{ name: 'c', image: IMAGE, resources: { requests, limits } }];
    texts.push(await refusal({ containers }, await createRunningScene({ setup: { capacity } })));
  }
  t.deepEqual(texts, [
    "OutOfcpu: Pod was rejected: Node didn't have enough resource: cpu, requested: 5000, used: 0, capacity: 4000",
    "OutOfmemory: Pod was rejected: Node didn't have enough resource: memory, requested: 9663676416, used: 0, capacity: 8485076992",
    "OutOfephemeral-storage: Pod was rejected: Node didn't have enough resource: ephemeral-storage, requested: 11811160064, used: 0, capacity: 9663676400",
    "OutOfexample.com/gpu: Pod was rejected: Node didn't have enough resource: example.com/gpu, requested: 2, used: 0, capacity: 1",
  ]);
});

test('6.8 › one pod too many is OutOfpods', async (t) => {
  const scene = await createRunningScene({ setup: { kubelet: { maxPods: 1 } } });
  scene.bind(podDraft({}, {}, 'first'));
  t.is(
    await refusal({}, scene),
    "OutOfpods: Pod was rejected: Node didn't have enough resource: pods, requested: 1, used: 1, capacity: 1",
  );
});

test('6.8 › predicates that do not hold are named with their text', async (t) => {
  t.is(
    await refusal({ nodeSelector: { disk: 'ssd' } }),
    "NodeAffinity: Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
  );
  const ports = [{ name: 'c', image: IMAGE, ports: [{ containerPort: 80, hostPort: 8080 }] }];
  const scene = await createRunningScene();
  scene.bind(podDraft({ containers: ports }));
  t.is(
    await refusal({ containers: ports }, scene),
    "NodePorts: Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
  );
});

test('6.8 › a pod for another operating system is not supported', async (t) => {
  t.is(
    await refusal({ os: { name: 'windows' } }),
    "PodOSNotSupported: Pod was rejected: Failed to admit pod as the OS field doesn't match node OS",
  );
  const scene = await createRunningScene();
  scene.bind({ ...podDraft(), metadata: { name: 'last', labels: { 'kubernetes.io/os': 'windows' } } });
  await scene.run(1000);
  t.is(
    verdict(scene, 'last'),
    "PodOSSelectorNodeLabelDoesNotMatch: Pod was rejected: Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
  );
});

test('6.6 › handlers are asked in order: sysctls come before the node, pressure before both', async (t) => {
  const spec = asking({ cpu: '5' }, { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } });
  t.is(await refusal(spec), 'SysctlForbidden: Pod was rejected: forbidden sysctl: "kernel.msgmax" not allowlisted');
  const scene = await createRunningScene({ setup: { kubelet: { allowedUnsafeSysctls: ['kernel.msg*'] } } });
  t.regex(await refusal(spec, scene), /^OutOfcpu: /);
});

async function refusalByTaint(effect: string, spec: Draft = {}): Promise<string> {
  const scene = await createRunningScene();
  scene.server.patch('Node', NAME, { type: 'merge', body: { spec: { taints: [{ key: 'k', effect }] } } });
  await scene.run(100);
  return refusal(spec, scene);
}

test('6.9 › NoExecute taints keep a pod away, NoSchedule taints do not', async (t) => {
  t.is(
    await refusalByTaint('NoExecute'),
    "TaintToleration: Pod was rejected: Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
  );
  t.is(await refusalByTaint('NoSchedule'), 'Running');
  t.is(await refusalByTaint('NoExecute', { tolerations: [{ key: 'k', operator: 'Exists' }] }), 'Running');
});

test('6.9 › extended resources that the node does not know are ignored', async (t) => {
  const containers = [
    {
      name: 'c',
      image: IMAGE,
      resources: { requests: { 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '1' } },
    },
  ];
  t.is(await refusal({ containers }), 'Running');
});

test('6.9 › if only the labels stand against a pod, the node is read again before it is refused', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft({ nodeSelector: { disk: 'ssd' } }, {}, 'last'));
  await scene.run(3);
  scene.server.patch('Node', NAME, { type: 'merge', body: { metadata: { labels: { disk: 'ssd' } } } });
  await scene.run(3000);
  t.is(verdict(scene, 'last'), 'Running');
});

test('6.10 › a pod that is terminating still uses what it asked for; one that has ended does not', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft(asking({ cpu: '3' }), { 'shutdown-delay': '20s' }, 'old'));
  await scene.run(3000);
  scene.server.delete('Pod', { namespace: 'default', name: 'old' });
  await scene.run(1000);
  t.is(
    await refusal(asking({ cpu: '2' }), scene),
    "OutOfcpu: Pod was rejected: Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000",
  );
  await scene.run(30_000);
  scene.bind(podDraft(asking({ cpu: '2' }), {}, 'new'));
  await scene.run(3000);
  t.is(verdict(scene, 'new'), 'Running');
});

test('6.10 › pods that a kubelet finds at its start are admitted in the order in which they were created', async (t) => {
  const scene = await createRunningScene();
  scene.kubelet.stop();
  scene.bind(podDraft(asking({ cpu: '3' }), {}, 'z'));
  await scene.run(1000);
  scene.bind(podDraft(asking({ cpu: '3' }), {}, 'a'));
  await scene.run(1000);
  scene.kubelet.start();
  await scene.run(5000);
  t.deepEqual([verdict(scene, 'z'), verdict(scene, 'a').split(':')[0]], ['Running', 'OutOfcpu']);
});

function critical(spec: Draft): Draft {
  return { ...spec, priorityClassName: 'system-node-critical' };
}

test('6.13 › a critical pod that lacks resources has others end for it, with their own grace', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft(asking({ cpu: '3' }), { 'shutdown-delay': '2s' }, 'victim'));
  scene.bind(podDraft(asking({ cpu: '500m' }), {}, 'small'));
  await scene.run(3000);
  forget(scene);
  scene.bind(podDraft(critical(asking({ cpu: '2' })), {}, 'last'));
  await scene.run(10_000);
  t.deepEqual(
    scene.history.map(({ text }) => text).filter((text) => /Preempt|Killing/.test(text)),
    [
      'event Warning Preempting: Preempted in order to admit critical pod',
      'event Normal Killing: Stopping container c',
    ],
  );
  t.is(verdict(scene, 'victim'), 'Preempting: Preempted in order to admit critical pod');
  const target = scene.pod('victim').status.conditions?.find(({ type }) => type === 'DisruptionTarget');
  t.deepEqual(
    [target?.status, target?.reason, target?.message],
    ['True', 'TerminationByKubelet', 'Pod was preempted by Kubelet to accommodate a critical pod.'],
  );
  t.deepEqual([verdict(scene, 'small'), verdict(scene, 'last')], ['Running', 'Running']);
  const endMs = scene.writes.find(({ pod }) => pod.metadata.name === 'victim' && pod.status.phase === 'Failed')?.atMs;
  const startMs = scene.writes.find(({ pod }) => pod.metadata.name === 'last' && pod.status.podIP !== undefined)?.atMs;
  t.true((endMs ?? Infinity) < (startMs ?? 0));
});

test('6.13 › BestEffort pods go before Burstable ones, and those before Guaranteed ones', async (t) => {
  const capacity = { cpu: '4', memory: '8Gi', pods: '3' };
  const scene = await createRunningScene({ setup: { capacity } });
  const guaranteed = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } };
  scene.bind(podDraft({ containers: [{ name: 'c', image: IMAGE, resources: guaranteed }] }, {}, 'guaranteed'));
  scene.bind(podDraft(asking({ cpu: '1' }), {}, 'burstable'));
  scene.bind(podDraft({}, {}, 'best-effort'));
  await scene.run(3000);
  scene.bind(podDraft(critical({}), {}, 'first'));
  await scene.run(5000);
  scene.bind(podDraft(critical({}), {}, 'second'));
  await scene.run(5000);
  const phases = ['guaranteed', 'burstable', 'best-effort', 'first', 'second'].map(
    (name) => scene.pod(name).status.phase,
  );
  t.deepEqual(phases, ['Running', 'Failed', 'Failed', 'Running', 'Running']);
});

test('6.13 › a critical pod for which no other can make room is refused', async (t) => {
  t.is(
    await refusal(critical(asking({ cpu: '5' }))),
    'UnexpectedAdmissionError: Pod was rejected: Unexpected error while attempting to recover from admission failure: ' +
      'preemption: error finding a set of pods to preempt: ' +
      'no set of running pods found to reclaim resources: [(res: cpu, q: 1000), ]',
  );
});

test('6.13 › other failures stand, and no pod has to make room then', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft(asking({ cpu: '3' }), {}, 'other'));
  await scene.run(3000);
  t.regex(await refusal(critical(asking({ cpu: '2' }, { nodeSelector: { a: 'b' } })), scene), /^NodeAffinity: /);
  t.is(verdict(scene, 'other'), 'Running');
});

test('6.12 › critical pods are not preempted, whatever their priority', async (t) => {
  const scene = await createRunningScene();
  const other: Pod = scene.bind(
    podDraft({ ...asking({ cpu: '3' }), priorityClassName: 'system-node-critical' }, {}, 'other'),
  );
  await scene.run(3000);
  t.regex(await refusal(critical(asking({ cpu: '2' })), scene), /^UnexpectedAdmissionError: /);
  t.is(summary({ atMs: 0, type: '', pod: scene.pod(other.metadata.name) }).includes('Running'), true);
});

test('a pod that is deleted while it waits for room goes, and its room is free', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft(asking({ cpu: '3' }), { 'shutdown-delay': '20s' }, 'victim'));
  await scene.run(3000);
  scene.bind(podDraft(critical(asking({ cpu: '2' })), {}, 'last'));
  await scene.run(2000);
  scene.server.delete('Pod', { namespace: 'default', name: 'last' });
  await scene.run(60_000);
  t.is(scene.server.list('Pod').items.length, 1);
  t.is(await refusal(asking({ cpu: '4' }), scene), 'Running');
});

test('a pod that is deleted while its kubelet refuses it goes', async (t) => {
  for (const afterMs of [0, 1, 2, 3, 4, 5, 6, 8, 10]) {
    const scene = await createRunningScene();
    scene.bind(podDraft(asking({ cpu: '5' }), {}, 'last'));
    await scene.run(afterMs);
    scene.server.delete('Pod', { namespace: 'default', name: 'last' });
    await scene.run(60_000);
    t.deepEqual(scene.server.list('Pod').items, [], `deleted after ${afterMs} ms`);
  }
});
