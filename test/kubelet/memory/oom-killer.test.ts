import test from 'ava';
import type { Draft } from '../../../src/api/objects/objects.js';
import type { NodeSetup } from '../../../src/kubelet/kubelet.js';
import { createRunningScene, forget, IMAGE, podDraft, timeline, type Scene } from '../scene.js';

/** When the API server hears that a container of a fresh scene runs, ms. */
const STARTED_MS = 1404;

/** A node of 8Gi with a kubelet that looks every 10 s. */
function scene(setup: Partial<NodeSetup> = {}): Promise<Scene> {
  return createRunningScene({ setup: { capacity: { cpu: '4', memory: '8Gi', pods: '10' }, ...setup } });
}

interface Wish {
  readonly memory?: string;
  readonly requests?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, string>>;
  readonly spec?: Draft;
}

/** A pod of one container with memory as the text says. */
function add({ bind }: Scene, name: string, { memory, requests = {}, limits = {}, spec = {} }: Wish): void {
  const containers = [{ name: 'c', image: IMAGE, resources: { requests, limits } }];
  const script = memory === undefined ? {} : { memory };
  bind(podDraft({ restartPolicy: 'Never', containers, ...spec }, script, name));
}

/** How each pod's container is, and since when, in seconds. */
function states({ pod, kernel }: Scene, ...names: readonly string[]): readonly string[] {
  return names.map((name) => {
    const { terminated } = pod(name).status.containerStatuses?.[0]?.state ?? {};
    if (terminated === undefined) return 'runs';
    const atMs = kernel.timestamps.toMs(terminated.finishedAt ?? '');
    return `${terminated.reason}/${terminated.exitCode} at ${Math.floor(atMs / 1000)} s`;
  });
}

function systemOoms({ nodeEvents }: Scene): readonly string[] {
  return nodeEvents().flatMap(({ type, reason, message = '', count = 1 }) =>
    reason === 'SystemOOM' ? [`${type} ${message.replace(/pid: \d+$/, 'pid: …')} x${count}`] : [],
  );
}

function isPressed({ server }: Scene): boolean {
  const { conditions = [] } = server.list('Node').items[0]?.status ?? {};
  return conditions.some(({ type, status }) => type === 'MemoryPressure' && status === 'True');
}

const TOLD = ['Warning System OOM encountered, victim process: pause, pid: … x1'];

test('6.18a › memory beyond the machine is no eviction: the kernel kills in that millisecond, and the node says so', async (t) => {
  const own = await scene();
  add(own, 'p', { memory: '0s=1Gi, 8s=9Gi' });
  await own.run(1000);
  forget(own);
  await own.run(600_000);
  t.deepEqual(timeline(own), [
    '0 MODIFIED Running c=OOMKilled Start:T Init:T Ready:F(PodFailed) CReady:F(PodFailed) Sched:T',
    '0 MODIFIED Failed c=OOMKilled Start:F Init:T Ready:F(PodFailed) CReady:F(PodFailed) Sched:T',
  ]);
  // A GiB a second on top of the first: 8Gi are exceeded a millisecond after seven seconds.
  t.is(own.history[0]?.atMs, STARTED_MS + 7001);
  const { terminated } = own.pod().status.containerStatuses?.[0]?.state ?? {};
  t.deepEqual([terminated?.exitCode, terminated?.reason, terminated?.message], [137, 'OOMKilled', undefined]);
  t.deepEqual(systemOoms(own), TOLD);
  t.false(isPressed(own));
  t.deepEqual(own.nodeEvents().at(-1)?.involvedObject, { kind: 'Node', name: 'n1', uid: 'n1' });
});

test('6.18a › what is short of the limit but not over the machine at a look is evicted as ever', async (t) => {
  const own = await scene();
  add(own, 'p', { memory: '0s=1Gi, 20s=8150Mi' });
  await own.run(60_000);
  t.deepEqual([own.pod().status.reason, systemOoms(own), isPressed(own)], ['Evicted', [], true]);
});

test('6.18a › a container that is killed runs again, with a back-off from the second time on', async (t) => {
  const own = await scene();
  add(own, 'p', { memory: '0s=1Gi, 2s=9Gi', spec: { restartPolicy: 'Always' } });
  await own.run(8000);
  const { restartCount, state, lastState } = own.pod().status.containerStatuses?.[0] ?? {};
  t.deepEqual(
    [restartCount, state?.waiting?.reason, lastState?.terminated?.reason],
    [1, 'CrashLoopBackOff', 'OOMKilled'],
  );
});

test('6.18a › BestEffort goes first, then the most use beyond the request, and Guaranteed last', async (t) => {
  const own = await scene();
  const same = { cpu: '1', memory: '2Gi' };
  add(own, 'guaranteed', { memory: '2000Mi', requests: same, limits: same });
  add(own, 'within', { memory: '1900Mi', requests: { memory: '2Gi' } });
  add(own, 'over', { memory: '1500Mi', requests: { memory: '1Gi' } });
  add(own, 'best-effort', { memory: '1000Mi' });
  add(own, 'late', {
    memory: '0s=100Mi, 10s=100Mi, 10s=1900Mi, 20s=1900Mi, 20s=3800Mi',
    requests: { memory: '2560Mi' },
  });
  await own.run(15_000);
  t.deepEqual(states(own, 'best-effort', 'over', 'within', 'guaranteed', 'late'), [
    'OOMKilled/137 at 11 s',
    'runs',
    'runs',
    'runs',
    'runs',
  ]);
  await own.run(10_000);
  t.deepEqual(states(own, 'over', 'within', 'guaranteed', 'late'), ['runs', 'runs', 'runs', 'OOMKilled/137 at 21 s']);
  t.deepEqual(systemOoms(own).length, 2);
});

test('6.18a › one after the other goes in the same moment until the rest fits', async (t) => {
  const own = await scene();
  for (const name of ['a', 'b', 'c', 'd']) add(own, name, { memory: '0s=1Gi, 5s=1Gi, 5s=3900Mi' });
  await own.run(10_000);
  // Equals: the last one that was started goes first.
  t.deepEqual(states(own, 'a', 'b', 'c', 'd'), ['runs', 'runs', 'OOMKilled/137 at 6 s', 'OOMKilled/137 at 6 s']);
  t.is(systemOoms(own).length, 2);
});

test('6.18a › any container that starts may be the last straw', async (t) => {
  const own = await scene();
  add(own, 'hog', { memory: '7000Mi' });
  await own.run(5000);
  t.deepEqual(states(own, 'hog'), ['runs']);
  add(own, 'neighbour', { requests: { memory: '2Gi' } });
  await own.run(5000);
  t.deepEqual(states(own, 'hog', 'neighbour'), ['OOMKilled/137 at 6 s', 'runs']);
});

test('6.18a › the node-critical are spared, as long as there are others', async (t) => {
  const own = await scene();
  add(own, 'critical', { memory: '0s=4Gi, 5s=6Gi', spec: { priorityClassName: 'system-node-critical' } });
  add(own, 'other', { memory: '3Gi', requests: { memory: '3Gi' } });
  await own.run(10_000);
  t.deepEqual(states(own, 'critical', 'other'), ['runs', 'OOMKilled/137 at 3 s']);
});

test('6.18a › over the limit of its own container, or of its pod, is no shortage of the machine', async (t) => {
  const own = await scene();
  add(own, 'container', { memory: '0s=1Gi, 4s=5Gi', limits: { memory: '2Gi' } });
  const containers = ['c', 'd'].map((name) => ({ name, image: IMAGE }));
  own.bind(
    podDraft(
      { restartPolicy: 'Never', containers, resources: { limits: { memory: '1Gi' } } },
      { 'memory.c': '300Mi', 'memory.d': '0s=300Mi, 4s=1Gi' },
      'pod',
    ),
  );
  await own.run(10_000);
  t.deepEqual(states(own, 'container', 'pod'), ['OOMKilled/137 at 2 s', 'runs']);
  t.is(own.pod('pod').status.containerStatuses?.[1]?.state?.terminated?.reason, 'OOMKilled');
  t.deepEqual(systemOoms(own), []);
});

test('6.18a 6.5a › where memory is reserved, pods are stopped by their own cgroup, and the machine has no shortage', async (t) => {
  const own = await scene({ kubelet: { systemReserved: { memory: '1Gi' }, kubeReserved: { memory: '1Gi' } } });
  add(own, 'p', { memory: '0s=1Gi, 8s=9Gi' });
  await own.run(9000);
  t.deepEqual([states(own, 'p'), systemOoms(own)], [['OOMKilled/137 at 6 s'], []]);
});

test('6.18a › a kubelet that is down changes nothing; what the kernel logged is told by the next one, until the machine boots', async (t) => {
  const own = await scene();
  add(own, 'p', { memory: '0s=1Gi, 8s=9Gi' });
  await own.run(3000);
  own.kubelet.stop();
  await own.run(60_000);
  t.deepEqual(
    [...own.kubelet.runtime.sandboxes].map(({ slots }) => slots[0]?.current?.exit?.reason),
    ['OOMKilled'],
  );
  t.deepEqual(systemOoms(own), []);
  own.kubelet.start();
  await own.run(2000);
  t.deepEqual([states(own, 'p'), systemOoms(own)], [['OOMKilled/137 at 8 s'], TOLD]);
  own.kubelet.stop();
  own.kubelet.start();
  await own.run(2000);
  t.deepEqual(systemOoms(own), [...TOLD, ...TOLD]);
  own.kubelet.powerOff();
  own.kubelet.powerOn();
  own.kubelet.start();
  await own.run(2000);
  t.deepEqual(systemOoms(own), [...TOLD, ...TOLD]);
});

test('6.18a › what a node is said to let pods use, they may use; beyond what it is said to have nothing goes', async (t) => {
  const own = await scene({ allocatable: { cpu: '4', memory: '8Gi', pods: '10' } });
  add(own, 'full', { memory: '4Gi', requests: { memory: '4Gi' } });
  add(own, 'silent', { requests: { memory: '4Gi' } });
  await own.run(60_000);
  t.deepEqual([states(own, 'full', 'silent'), isPressed(own)], [['runs', 'runs'], false]);
  add(own, 'more', { memory: '1Mi' });
  await own.run(5000);
  t.deepEqual(
    [states(own, 'full', 'silent', 'more'), systemOoms(own)],
    [['runs', 'runs', 'OOMKilled/137 at 61 s'], TOLD],
  );
});

test('6.18a › a machine that cannot run out of memory owns no timer', async (t) => {
  const own = await scene();
  add(own, 'p', { memory: '0s=1Gi, 5s=7Gi repeat 10s' });
  add(own, 'q', { requests: { memory: '500Mi' } });
  await own.run(60_000);
  t.is(own.clock.pending, 1, 'the API server forgets events in an hour');
});
