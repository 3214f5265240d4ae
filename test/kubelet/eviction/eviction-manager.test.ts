import test from 'ava';
import type { Draft, EventRecord } from '../../../src/api/objects/objects.js';
import type { KubeletConfiguration } from '../../../src/kubelet/configuration/kubelet-configuration.js';
import type { ScriptInput } from '../../../src/kubelet/scripts/script-input.js';
import { createRunningScene, forget, IMAGE, NODE, podDraft, scripted, type Scene, timeline } from '../scene.js';

const MI = 1024 * 1024;
const GI = 1024 * MI;
const NAME = { name: NODE };

/** Memory that rises in a minute from one amount to the other, and stays there. */
function rising(fromBytes: number, toBytes: number, overMs = 60_000): ScriptInput {
  return {
    memoryBytes: {
      points: [
        [0, fromBytes],
        [overMs, toBytes],
      ],
    },
  };
}

function level(memoryBytes: number): ScriptInput {
  return { memoryBytes: { points: [[0, memoryBytes]] } };
}

function add({ bind }: Scene, name: string, script: ScriptInput, spec: Draft = {}): void {
  bind(podDraft(spec, scripted(script), name));
}

function asking(requests: Readonly<Record<string, string>>, limits: Readonly<Record<string, string>> = {}): Draft {
  return { containers: [{ name: 'c', image: IMAGE, resources: { requests, limits } }] };
}

function nodeTold({ nodeEvents }: Scene): readonly string[] {
  return nodeEvents()
    .slice(6)
    .map(
      ({ type = '', reason = '', message = '', count = 1 }) =>
        `${type} ${reason}: ${message}${count > 1 ? ` x${count}` : ''}`,
    );
}

function conditions({ server }: Scene): readonly string[] {
  const { conditions: list = [] } = server.get('Node', NAME).status;
  return list.flatMap(({ type, status, reason, message }) =>
    (status === 'True') === (type === 'Ready') ? [] : [`${type}=${status} ${reason}: ${message}`],
  );
}

function phases({ pod }: Scene, ...names: readonly string[]): readonly string[] {
  return names.map((name) => pod(name).status.reason ?? pod(name).status.phase);
}

function evictedEvent({ events }: Scene): EventRecord | undefined {
  return events().find(({ reason }) => reason === 'Evicted');
}

/** A node of 8292Mi, of which its threshold keeps 100Mi: pods may use 8Gi. */
async function scene(kubelet: KubeletConfiguration = {}, more: Readonly<Record<string, string>> = {}): Promise<Scene> {
  return createRunningScene({ setup: { kubelet, capacity: { cpu: '4', memory: '8292Mi', pods: '10', ...more } } });
}

test('6.22 T7 › an eviction, write by write: events, the kill, and one status with everything', async (t) => {
  const own = await scene();
  add(own, 'p', rising(GI, 8 * GI + 50 * MI), asking({ memory: '1Gi' }));
  await own.run(55_000);
  forget(own);
  await own.run(60_000);
  const message =
    'The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. ' +
    'Container c was using 8242Mi, request is 1Gi, has larger consumption of memory. ';
  t.deepEqual(timeline(own), [
    `0 event Warning Evicted: ${message}`,
    '0 event Normal Killing: Stopping container c',
    '500 MODIFIED Failed c=Completed DisruptionTarget:T(TerminationByKubelet) Start:F Init:T Ready:F(PodFailed) CReady:F(PodFailed) Sched:T',
  ]);
  const { status, metadata } = own.pod();
  t.is(status.reason, 'Evicted');
  t.is(status.message, message);
  const target = status.conditions?.find(({ type }) => type === 'DisruptionTarget');
  t.is(target?.message, message);
  t.is(metadata.annotations?.['starved_resource'], undefined);
  t.deepEqual(nodeTold(own), [
    `Warning EvictionThresholdMet: Attempting to reclaim memory`,
    `Normal NodeHasInsufficientMemory: Node ${NODE} status is now: NodeHasInsufficientMemory`,
  ]);
});

test('6.23 › the annotations are on the event alone', async (t) => {
  const own = await scene();
  add(own, 'p', level(8 * GI + 50 * MI));
  await own.run(20_000);
  t.deepEqual(evictedEvent(own)?.metadata.annotations, {
    offending_containers: 'c',
    offending_containers_usage: '8242Mi',
    starved_resource: 'memory',
  });
  t.is(own.pod().metadata.annotations?.['starved_resource'], undefined);
});

test('6.14 › pods that use what they ask for are not evicted from a node that is full', async (t) => {
  const own = await scene();
  for (let index = 0; index < 8; index += 1) own.bind(podDraft(asking({ memory: '1Gi' }), {}, `p${index}`));
  await own.run(600_000);
  t.deepEqual(conditions(own), []);
  t.deepEqual(phases(own, 'p0', 'p7'), ['Running', 'Running']);
});

async function pressureWithMerge(merge: boolean): Promise<readonly string[]> {
  const own = await scene({ evictionHard: { 'nodefs.available': '1%' }, mergeDefaultEvictionSettings: merge });
  add(own, 'p', level(8 * GI + 50 * MI));
  await own.run(30_000);
  return conditions(own);
}

test('6.14 › setting one hard threshold drops the other defaults, unless they are merged', async (t) => {
  t.deepEqual(await pressureWithMerge(false), []);
  t.is((await pressureWithMerge(true)).length, 1);
});

test('6.15 › disk and process ids have their conditions, too', async (t) => {
  const disk = await scene({}, { 'ephemeral-storage': '100Gi' });
  add(disk, 'p', { storageBytes: { points: [[0, 90 * GI]] } });
  await disk.run(25_000);
  t.deepEqual(conditions(disk), ['DiskPressure=True KubeletHasDiskPressure: kubelet has disk pressure']);
  t.is(
    disk.pod().status.message,
    'The node was low on resource: ephemeral-storage. Threshold quantity: 10737418400, available: 10737417240. ' +
      'Container c was using 90Gi, request is 0, has larger consumption of ephemeral-storage. ',
  );
  const ids = await scene({ evictionHard: { 'pid.available': '1k' } });
  add(ids, 'p', { processes: { points: [[0, 32_000]] } });
  await ids.run(25_000);
  t.deepEqual(conditions(ids), ['PIDPressure=True KubeletHasInsufficientPID: kubelet has insufficient PID available']);
  t.is(ids.pod().status.message, 'The node was low on resource: pids. Threshold quantity: 1k, available: 768. ');
});

test('6.16 › a pressure is reported from its first observation on, and for five minutes after its last', async (t) => {
  const own = await scene();
  const seen: string[] = [];
  let last = '';
  own.server.watch('Node', {}, (event) => {
    if (event.type === 'BOOKMARK') return;
    const status = event.object.status.conditions?.find(({ type }) => type === 'MemoryPressure')?.status ?? '';
    if (status !== last) seen.push(`${Math.floor(event.atMs / 10_000)} ${status}`);
    last = status;
  });
  add(own, 'p', level(8 * GI + 50 * MI));
  await own.run(600_000);
  t.deepEqual(seen, ['0 False', '1 True', '31 False']);
  t.deepEqual(
    own.nodeEvents().flatMap(({ reason = '', count }) => (reason.includes('Memory') ? [`${reason} x${count}`] : [])),
    ['NodeHasSufficientMemory x2', 'NodeHasInsufficientMemory x1'],
  );
  t.is(own.clock.pending, 1, 'the API server forgets events in an hour');
});

test('6.17 › a soft threshold reports pressure at once and evicts after its grace', async (t) => {
  const own = await scene({
    evictionSoft: { 'memory.available': '1Gi' },
    evictionSoftGracePeriod: { 'memory.available': '1m' },
    evictionMaxPodGracePeriod: 20,
  });
  add(own, 'p', { ...level(7.5 * GI), shutdown: { delay: 3_600_000 } });
  await own.run(30_000);
  t.is(conditions(own).length, 1);
  t.is(own.pod().status.phase, 'Running');
  await own.run(35_000);
  const told = own.nodeEvents().filter(({ reason }) => reason === 'EvictionThresholdMet').length;
  forget(own);
  await own.run(60_000);
  t.is(told, 0);
  const evictedMs = own.history.find(({ text }) => text.includes('Evicted'))?.atMs ?? 0;
  const failedMs = own.history.find(({ text }) => text.startsWith('MODIFIED Failed'))?.atMs ?? 0;
  t.is(failedMs - evictedMs, 20_000, '6.21 › the grace is the smaller one of evictionMaxPodGracePeriod and the spec');
});

async function evictedWithMinimum(minimum: string): Promise<number> {
  const own = await scene({
    mergeDefaultEvictionSettings: true,
    evictionMinimumReclaim: { 'memory.available': minimum },
  });
  for (let index = 0; index < 4; index += 1) add(own, `p${index}`, level(2060 * MI));
  await own.run(120_000);
  return own.server.list('Pod').items.filter(({ status }) => status.reason === 'Evicted').length;
}

test('6.17 › a threshold stays met until what must be reclaimed is free as well', async (t) => {
  t.is(await evictedWithMinimum('0%'), 1);
  t.is(await evictedWithMinimum('3Gi'), 2);
});

test('6.18 › one pod at a time: the next round begins when the one before is cleaned up', async (t) => {
  const own = await scene({ evictionHard: { 'memory.available': '3Gi' } });
  for (let index = 0; index < 4; index += 1) add(own, `p${index}`, level(2000 * MI));
  await own.run(120_000);
  const atMs = own.history.filter(({ text }) => text.includes('Evicted')).map((each) => each.atMs);
  t.deepEqual(
    atMs.map((each) => each - (atMs[0] ?? 0)),
    [0, 1000],
  );
  t.deepEqual(phases(own, 'p0', 'p1', 'p2', 'p3'), ['Evicted', 'Evicted', 'Running', 'Running'].toSorted());
});

test('6.18 › unused images go first; if that is enough no pod is evicted', async (t) => {
  const images = [
    { names: ['big:1'], sizeBytes: 60 * GI },
    { names: [IMAGE], sizeBytes: 1000 },
  ];
  const own = await createRunningScene({
    setup: { images, capacity: { cpu: '4', memory: '8Gi', pods: '10', 'ephemeral-storage': '100Gi' } },
  });
  add(own, 'p', {
    storageBytes: {
      points: [
        [0, 0],
        [60_000, 30 * GI],
      ],
    },
  });
  await own.run(120_000);
  t.deepEqual(phases(own, 'p'), ['Running']);
  t.deepEqual(
    own.server.get('Node', NAME).status.images?.map(({ names }) => names?.[0]),
    [IMAGE],
  );
  t.deepEqual(nodeTold(own).slice(0, 1), ['Warning EvictionThresholdMet: Attempting to reclaim ephemeral-storage']);
});

test('6.18 › a pod over a limit of its own storage is evicted without DisruptionTarget', async (t) => {
  const own = await scene({}, { 'ephemeral-storage': '100Gi' });
  const growing: ScriptInput = {
    storageBytes: {
      points: [
        [0, 0],
        [100_000, 2 * GI],
      ],
    },
  };
  const volumes = [{ name: 'v', emptyDir: { sizeLimit: '1Gi' } }];
  const mounts = [{ name: 'v', mountPath: '/v' }];
  add(own, 'volume', growing, { volumes, containers: [{ name: 'c', image: IMAGE, volumeMounts: mounts }] });
  add(own, 'pod', growing, asking({}, { 'ephemeral-storage': '1Gi' }));
  const two = ['c', 'd'].map((name) => ({
    name,
    image: IMAGE,
    resources: { limits: { 'ephemeral-storage': name === 'c' ? '1Gi' : '9Gi' } },
  }));
  own.bind(podDraft({ containers: two }, scripted(growing, 'c'), 'container'));
  await own.run(200_000);
  t.deepEqual(
    ['volume', 'pod', 'container'].map((name) => own.pod(name).status.message),
    [
      'Usage of EmptyDir volume "v" exceeds the limit "1Gi". ',
      'Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ',
      'Container c exceeded its local ephemeral storage limit "1Gi". ',
    ],
  );
  for (const name of ['volume', 'pod', 'container']) {
    const { conditions: list = [], reason } = own.pod(name).status;
    t.is(reason, 'Evicted');
    t.false(list.some(({ type }) => type === 'DisruptionTarget'));
  }
  t.deepEqual(conditions(own), []);
});

test('6.19 › pods that use more than they request go first, then lower priority, then the larger excess', async (t) => {
  const own = await scene();
  add(own, 'within', level(3 * GI), { ...asking({ memory: '3Gi' }), priority: 0 });
  add(own, 'excess', level(2 * GI), asking({ memory: '1Gi' }));
  add(own, 'larger', level(2.5 * GI), asking({ memory: '1Gi' }));
  add(own, 'late', rising(0, 560 * MI, 40_000));
  await own.run(90_000);
  t.deepEqual(phases(own, 'within', 'excess', 'larger', 'late'), ['Running', 'Running', 'Evicted', 'Running']);
  const other = await scene();
  other.server.create('PriorityClass', { metadata: { name: 'high' }, value: 1000 });
  add(other, 'within', level(4 * GI), asking({ memory: '4Gi' }));
  add(other, 'high', level(3.5 * GI), { ...asking({ memory: '1Gi' }), priorityClassName: 'high' });
  add(other, 'low', level(550 * MI), asking({ memory: '512Mi' }));
  await other.run(60_000);
  t.deepEqual(phases(other, 'within', 'high', 'low'), ['Running', 'Running', 'Evicted']);
});

test('6.20 › critical pods are passed over', async (t) => {
  const own = await scene();
  add(own, 'critical', level(7.5 * GI), { ...asking({}), priorityClassName: 'system-node-critical' });
  add(own, 'other', level(560 * MI), asking({ memory: '1Gi' }));
  await own.run(60_000);
  t.deepEqual(phases(own, 'critical', 'other'), ['Running', 'Evicted']);
});

test('6.21 › a hard threshold grants one second: SIGKILL comes after the shortest window of two', async (t) => {
  const own = await scene();
  add(own, 'p', { ...level(8 * GI + 50 * MI), shutdown: { ignoresTerm: true } });
  await own.run(60_000);
  const evictedMs = own.history.find(({ text }) => text.includes('Evicted'))?.atMs ?? 0;
  const failedMs = own.history.find(({ text }) => text.startsWith('MODIFIED Failed'))?.atMs ?? 0;
  t.is(failedMs - evictedMs, 2000);
  t.is(own.pod().status.containerStatuses?.[0]?.state?.terminated?.exitCode, 137);
});

test('6.11 › under memory pressure only BestEffort pods are refused, unless they tolerate it', async (t) => {
  const own = await scene();
  add(own, 'p', level(8 * GI + 50 * MI));
  await own.run(30_000);
  own.bind(podDraft({}, {}, 'best-effort'));
  own.bind(podDraft(asking({ cpu: '1m' }), {}, 'burstable'));
  const tolerations = [{ key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' }];
  own.bind(podDraft({ tolerations }, {}, 'tolerant'));
  own.bind(podDraft({ priorityClassName: 'system-node-critical' }, {}, 'critical'));
  await own.run(5000);
  t.deepEqual(phases(own, 'best-effort', 'burstable', 'tolerant', 'critical'), [
    'Evicted',
    'Running',
    'Running',
    'Running',
  ]);
  t.is(own.pod('best-effort').status.message, 'Pod was rejected: The node had condition: [MemoryPressure]. ');
});

test('6.11 › under disk pressure every pod is refused that is not critical', async (t) => {
  const own = await scene({}, { 'ephemeral-storage': '100Gi' });
  add(own, 'p', { storageBytes: { points: [[0, 90 * GI]] } });
  await own.run(30_000);
  own.bind(podDraft(asking({ cpu: '1m' }), {}, 'burstable'));
  own.bind(podDraft({ priorityClassName: 'system-node-critical' }, {}, 'critical'));
  await own.run(5000);
  t.deepEqual(phases(own, 'burstable', 'critical'), ['Evicted', 'Running']);
  t.is(own.pod('burstable').status.message, 'Pod was rejected: The node had condition: [DiskPressure]. ');
});

test('a node whose curves never reach a threshold owns no timer', async (t) => {
  const own = await scene();
  add(own, 'p', {
    memoryBytes: {
      points: [
        [0, GI],
        [5000, 2 * GI],
      ],
      repeatMs: 10_000,
    },
  });
  await own.run(60_000);
  t.is(own.clock.pending, 1, 'the API server forgets events in an hour');
});
