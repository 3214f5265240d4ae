/** A machine goes off and on again: what its disk has kept, and what its kubelet makes of it. */
import test, { type ExecutionContext } from 'ava';
import type { ContainerStatus } from '../../src/api/objects/objects.js';
import { createCluster, type Cluster, type Draft } from '../../src/index.js';

const NODE = 'node-0';

/** One node and a pod `p` on it, 30 s old, with the writes and events about it from then on. */
async function createScene(
  t: ExecutionContext,
  spec: Draft,
  annotations: Readonly<Record<string, string>> = {},
): Promise<{ readonly cluster: Cluster; readonly lines: string[] }> {
  const cluster = createCluster({
    nodes: 1,
    seed: 5,
    latency: 1,
    runtime: { imagePull: 1000, sandbox: 200, containerStart: 100, shutdown: 0 },
  });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  const scripts = Object.entries(annotations).map(([word, text]) => [`kubeloom.dev/${word}`, text]);
  cluster.create('Pod', {
    metadata: { name: 'p', annotations: Object.fromEntries(scripts) as Record<string, string> },
    spec: { nodeName: NODE, ...spec },
  });
  await cluster.run({ limit: '30s' });
  const lines: string[] = [];
  cluster.watch('Pod').subscribe((event) => {
    const { initContainerStatuses = [], containerStatuses = [], phase, podIP } = event.object.status;
    lines.push(
      [
        event.type,
        phase,
        ...(podIP === undefined ? ['without address'] : []),
        ...[...initContainerStatuses, ...containerStatuses].map(shown),
      ].join(' '),
    );
  });
  cluster.events$.subscribe(({ event: { involvedObject, reason, message } }) => {
    if (involvedObject.kind === 'Pod') lines.push(`event ${reason}: ${message}`);
  });
  await cluster.run({ limit: '10ms' });
  lines.length = 0;
  return { cluster, lines };
}

/** Off for a minute, then on for that long. */
async function reboot(cluster: Cluster, runFor = '20s'): Promise<void> {
  const fault = cluster.faults.powerOff(NODE);
  await cluster.run({ limit: '1m' });
  fault.heal();
  await cluster.run({ limit: runFor });
}

function shown({ name, state, restartCount, lastState }: ContainerStatus): string {
  const { terminated, waiting } = state ?? {};
  const now = terminated === undefined ? (waiting?.reason ?? 'running') : `${terminated.reason}/${terminated.exitCode}`;
  const before = lastState?.terminated;
  const after = before === undefined ? '' : `(after ${before.reason}/${before.exitCode})`;
  return `${name}=${now}#${restartCount}${after}`;
}

const container = (name: string): Draft => ({ name, image: 'busybox:1' });
const present = 'event Pulled: Container image "busybox:1" already present on machine';
const changed = 'event SandboxChanged: Pod sandbox changed, it will be killed and re-created.';
const started = (name: string): readonly string[] => [
  present,
  `event Created: Created container: ${name}`,
  `event Started: Started container ${name}`,
];

test('2.12a › what ran comes back as ended with code 255 for unknown reasons, in a sandbox that is gone, and runs anew', async (t) => {
  const { cluster, lines } = await createScene(t, { containers: [container('a')] });
  const { startTime, podIP } = cluster.get('Pod', 'p').status;
  const fault = cluster.faults.powerOff(NODE);
  await cluster.run({ limit: '30s' });
  t.deepEqual([lines, cluster.truth.processes()], [[], []]);
  fault.heal();
  const bootMs = cluster.nowMs;
  await cluster.run({ limit: '20s' });
  t.deepEqual(lines, [
    'MODIFIED Running without address a=Unknown/255#0',
    changed,
    ...started('a'),
    'MODIFIED Running a=running#1(after Unknown/255)',
  ]);
  const { status } = cluster.get('Pod', 'p');
  const { terminated } = status.containerStatuses?.[0]?.lastState ?? {};
  const finishedAt = new Date(cluster.epochMs + bootMs).toISOString().replace(/\.\d+Z$/, 'Z');
  t.deepEqual([terminated?.finishedAt, terminated?.message, status.startTime], [finishedAt, undefined, startTime]);
  t.not(status.podIP, podIP);
  t.is(cluster.readyPods, 1);
});

test('2.12 2.12a › with OnFailure init containers run again, and what had succeeded does not', async (t) => {
  const { cluster, lines } = await createScene(
    t,
    { restartPolicy: 'OnFailure', initContainers: [container('i')], containers: [container('a'), container('b')] },
    { 'run-for.i': '2s', 'run-for.a': '5s' },
  );
  const done = cluster.get('Pod', 'p').status.containerStatuses?.[0];
  await reboot(cluster);
  t.deepEqual(
    lines.filter((line) => line.startsWith('event')),
    [changed, ...started('i'), ...started('b')],
  );
  const { phase, containerStatuses = [], initContainerStatuses = [] } = cluster.get('Pod', 'p').status;
  t.deepEqual(
    [phase, ...[...initContainerStatuses, ...containerStatuses].map(shown)],
    ['Running', 'i=Completed/0#1', 'a=Completed/0#0', 'b=running#1(after Unknown/255)'],
  );
  t.deepEqual(containerStatuses[0], done);
});

test('2.12 2.12a › a pod that is never restarted fails', async (t) => {
  const { cluster, lines } = await createScene(
    t,
    { restartPolicy: 'Never', containers: [container('a'), container('b')] },
    { 'run-for.a': '5s' },
  );
  await reboot(cluster);
  t.deepEqual(lines, [
    'MODIFIED Running without address a=Completed/0#0 b=Unknown/255#0',
    'MODIFIED Failed without address a=Completed/0#0 b=Unknown/255#0',
  ]);
});

test('2.12a › a pod that ends successfully with what it has done before has ended', async (t) => {
  const { cluster, lines } = await createScene(
    t,
    { restartPolicy: 'OnFailure', containers: [container('a')] },
    { 'run-for.a': '5s' },
  );
  await reboot(cluster);
  t.deepEqual([lines, cluster.get('Pod', 'p').status.phase], [[], 'Succeeded']);
});

test('2.12a 2.14 › the back-off is forgotten with the process that knew it', async (t) => {
  const { cluster, lines } = await createScene(t, { containers: [container('a')] }, { runs: '1s exit 1' });
  await cluster.run({ limit: '3m' });
  t.is(cluster.get('Pod', 'p').status.containerStatuses?.[0]?.state?.waiting?.reason, 'CrashLoopBackOff');
  lines.length = 0;
  await reboot(cluster, '1s');
  t.deepEqual(lines.slice(0, 2), ['MODIFIED Running without address a=Error/1#5(after Error/1)', changed]);
  t.is(cluster.get('Pod', 'p').status.containerStatuses?.[0]?.restartCount, 6);
});

test('2.12a 5.10 › a pod that was deleted meanwhile needs no stopping: its end is told, and it goes', async (t) => {
  const { cluster, lines } = await createScene(t, { containers: [container('a')] });
  const fault = cluster.faults.powerOff(NODE);
  cluster.delete('Pod', 'p', { gracePeriodSeconds: 20 });
  await cluster.run({ limit: '10s' });
  lines.length = 0;
  fault.heal();
  await cluster.run({ limit: '5s' });
  t.deepEqual(lines.at(-1), 'DELETED Failed without address a=Unknown/255#0');
  t.deepEqual(
    lines.filter((line) => line.startsWith('event')),
    [],
  );
});

test('2.12a 5.14 › of a pod whose object went meanwhile nothing is left, and nothing is told', async (t) => {
  const { cluster, lines } = await createScene(t, { containers: [container('a')] });
  const fault = cluster.faults.powerOff(NODE);
  cluster.delete('Pod', 'p', { force: true });
  await cluster.run({ limit: '10s' });
  lines.length = 0;
  fault.heal();
  await cluster.run({ limit: '1m' });
  t.deepEqual([lines, cluster.truth.processes(), cluster.truth.counts.unconfirmedDeletions], [[], [], 0]);
});

test('2.12a › addresses and sandboxes of before are given back, however often the machine is switched off', async (t) => {
  const { cluster } = await createScene(t, { containers: [container('a')] });
  for (let boot = 1; boot <= 300; boot += 1) {
    cluster.faults.powerOff(NODE).heal();
    await cluster.run({ limit: '2s' });
  }
  const { restartCount } = cluster.get('Pod', 'p').status.containerStatuses?.[0] ?? {};
  t.deepEqual([restartCount, cluster.readyPods], [300, 1]);
});

test('2.12a › a pull that was under way begins anew; an image that had arrived is still there', async (t) => {
  const { cluster, lines } = await createScene(t, { containers: [container('a')] });
  cluster.create('Pod', {
    metadata: { name: 'q' },
    spec: { nodeName: NODE, containers: [{ name: 'b', image: 'nginx:1' }] },
  });
  await cluster.run({ limit: '700ms' });
  t.is(lines.filter((line) => line === 'event Pulling: Pulling image "nginx:1"').length, 1);
  lines.length = 0;
  await reboot(cluster);
  t.is(lines.filter((line) => line === 'event Pulling: Pulling image "nginx:1"').length, 1);
  t.is(lines.filter((line) => line === present).length, 1);
  t.is(cluster.readyPods, 2);
});

test('2.12a › a machine that is off uses nothing: what its containers have used stays as it was', async (t) => {
  const { cluster } = await createScene(t, { containers: [container('a')] }, { cpu: '500m' });
  const spent = async (): Promise<number> => {
    const line = (await cluster.metrics.text()).split('\n').find((each) => each.startsWith('pod_cpu_usage_seconds'));
    return Number(line?.split(' ').at(-1));
  };
  const before = await spent();
  await reboot(cluster, '10s');
  const after = await spent();
  t.true(before > 10 && after > before && after < before + 6, `${before} ${after}`);
});
