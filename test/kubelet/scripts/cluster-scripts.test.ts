import test from 'ava';
import { CONTROLLER_NAMES } from '../../../src/controllers/controller-manager.js';
import { createCluster, hostCluster, OptionError, ScriptError } from '../../../src/index.js';
import type { Cluster, ClusterOptions, Draft, Pod, ScriptInput } from '../../../src/index.js';

const WEB = 'registry.example/web:1';

function podDraft(name: string, metadata: Draft = {}, image = WEB): Draft {
  const spec = { restartPolicy: 'Never', containers: [{ name: 'c', image }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata }, spec };
}

async function startedCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const cluster = createCluster({ nodes: 1, ...options });
  await cluster.ready();
  return cluster;
}

/** Exit codes of pods after that much time; `undefined` = it runs. */
async function codesAfter(cluster: Cluster, limit: string): Promise<Readonly<Record<string, number | undefined>>> {
  await cluster.run({ limit });
  const pods = cluster.list('Pod').map(({ metadata, status }) => {
    const [container] = status.containerStatuses ?? [];
    return [metadata.name, container?.state?.terminated?.exitCode] as const;
  });
  return Object.fromEntries(pods);
}

/** Whole seconds from start to end of its container. */
function ranForSeconds({ status }: Pod): number {
  const { startedAt, finishedAt } = status.containerStatuses?.[0]?.state?.terminated ?? {};
  return (Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? '')) / 1000;
}

test('createCluster › its scripts say what containers do, by the labels of their pods', async (t) => {
  const cluster = await startedCluster({
    scripts: [
      { selector: { matchLabels: { app: 'web' } }, script: { runs: '10s exit 3' } },
      { selector: {}, namespace: 'kube-system', script: { runs: '10s exit 4' } },
    ],
  });
  cluster.apply([
    podDraft('web', { labels: { app: 'web' } }),
    podDraft('annotated', { labels: { app: 'web' }, annotations: { 'kubeloom.dev/exit-code': '5' } }),
    podDraft('system', { namespace: 'kube-system' }),
    podDraft('other'),
  ]);
  t.deepEqual(await codesAfter(cluster, '1m'), { web: 3, annotated: 5, system: 4, other: undefined });
  await cluster.dispose();
});

test('createCluster › refuses scripts that cannot be used', (t) => {
  const scripts = [{ selector: {}, script: { runs: [{ exitCode: 256 }] } }];
  const error = t.throws(() => createCluster({ scripts }), { instanceOf: OptionError });
  t.is(error.message, 'scripts[0].script.runs[0].exitCode must be an integer in 0..255, got 256');
  t.is(error.field, 'scripts[0].script.runs[0].exitCode');
});

test('registerImage › holds for pods that arrive at their nodes later, until it is taken back', async (t) => {
  const cluster = await startedCluster();
  cluster.apply(podDraft('before'));
  await cluster.run({ limit: '30s' });
  const takeBack = cluster.registerImage('registry.example/*', { runs: '10s exit 3' });
  cluster.registerImage('registry.example/db:1', { runs: '10s exit 4' });
  cluster.apply([podDraft('web'), podDraft('db', {}, 'registry.example/db:1')]);
  await cluster.run({ limit: '30s' });
  takeBack();
  cluster.apply(podDraft('after'));
  t.deepEqual(await codesAfter(cluster, '1m'), { before: undefined, web: 3, db: 4, after: undefined });
  await cluster.dispose();
});

/** Exit codes that a function of the pod and the container's stream has chosen. */
async function chosenCodes(): Promise<Readonly<Record<string, number | undefined>>> {
  const cluster = await startedCluster({ seed: 9 });
  cluster.registerImage('*', ({ metadata }, { name }, random) => ({
    runs: [{ duration: '10s', exitCode: metadata.name === 'fixed' ? name.length : random.int(2, 250) }],
  }));
  cluster.apply([podDraft('fixed'), podDraft('a'), podDraft('b')]);
  const codes = await codesAfter(cluster, '1m');
  await cluster.dispose();
  return codes;
}

test('registerImage › a function decides by the pod and draws from the stream of the container', async (t) => {
  const first = await chosenCodes();
  t.is(first['fixed'], 1);
  t.not(first['a'], first['b']);
  t.deepEqual(await chosenCodes(), first);
});

test('registerImage › a function that returns no script ends the run with an error that names it', async (t) => {
  const cluster = await startedCluster();
  cluster.registerImage('registry.example/*', () => ({ processes: -1 }));
  cluster.apply(podDraft('web'));
  const error = await t.throwsAsync(cluster.run({ limit: '1m' }), { instanceOf: ScriptError });
  t.is(
    error?.message,
    'registerImage("registry.example/*") for container c of pod default/web: script.processes must be a number >= 0 ' +
      'or a quantity such as 10 or 500, got -1',
  );
  await cluster.dispose();
});

test('registerImage › takes plain data across to a hosted cluster, and refuses a function there', async (t) => {
  const hosted = await hostCluster({ nodes: 1 });
  const script: ScriptInput = { runs: '10s exit 3', imagePull: { failures: 0 } };
  const takeBack = await hosted.registerImage('registry.example/*', script);
  await hosted.apply(podDraft('web'));
  await hosted.run({ limit: '30s' });
  t.is((await hosted.get('Pod', 'web')).status.containerStatuses?.[0]?.state?.terminated?.exitCode, 3);
  await takeBack();
  await hosted.apply(podDraft('after'));
  await hosted.run({ limit: '30s' });
  t.is((await hosted.get('Pod', 'after')).status.phase, 'Running');
  const behaviour = (() => ({})) as unknown as ScriptInput;
  await t.throwsAsync(hosted.registerImage('*', behaviour), {
    name: 'ScriptError',
    message:
      "behaviour must be a script as plain data: functions cannot cross to a hosted cluster's thread, got a function",
  });
  await t.throwsAsync(hosted.registerImage('', {}), {
    name: 'ScriptError',
    message: 'pattern must be an image such as nginx:1.27, or a glob such as registry.example/*, got ""',
  });
  await hosted.dispose();
});

/** How long the pod `p` runs beside others, which all draw how long they run. */
async function drawnBeside(others: readonly string[]): Promise<number> {
  const cluster = await startedCluster({ seed: 3 });
  const annotations = { 'kubeloom.dev/run-for': 'uniform(10s, 1000s)' };
  cluster.apply([...others, 'p'].map((name) => podDraft(name, { annotations })));
  await cluster.run({ limit: '20m' });
  const seconds = ranForSeconds(cluster.get('Pod', 'p'));
  await cluster.dispose();
  return seconds;
}

test('what a script draws does not depend on the other pods of the node', async (t) => {
  const alone = await drawnBeside([]);
  t.true(alone >= 10 && alone <= 1000);
  // Timestamps are whole seconds.
  t.true(Math.abs((await drawnBeside(['a', 'b', 'z'])) - alone) <= 1);
});

test("a Job's pod ends by itself, exit 0, and the profile says when", async (t) => {
  // There are no Jobs to own these pods: the garbage collector would take them away.
  const controllers = CONTROLLER_NAMES.filter((name) => name !== 'garbage-collector-controller');
  const cluster = await startedCluster({ controllers, runtime: { jobRunFor: 60_000 } });
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'j', controller: true };
  cluster.apply(podDraft('work', { ownerReferences: [owner] }));
  t.deepEqual(await codesAfter(cluster, '30s'), { work: undefined });
  t.deepEqual(await codesAfter(cluster, '1m'), { work: 0 });
  t.is(cluster.get('Pod', 'work').status.phase, 'Succeeded');
  t.is(ranForSeconds(cluster.get('Pod', 'work')), 60);
  await cluster.dispose();
});

test('InvalidScript › a Warning for each annotation that cannot be used, once for all its containers', async (t) => {
  const cluster = await startedCluster();
  const annotations = { 'kubeloom.dev/run-for': 'soon', 'kubeloom.dev/memory.b': 'much' };
  const containers = ['a', 'b'].map((name) => ({ name, image: WEB }));
  cluster.apply({ ...podDraft('p', { annotations }), spec: { containers } });
  await cluster.run({ limit: '1m' });
  const events = cluster.list('Event').filter(({ reason }) => reason === 'InvalidScript');
  t.deepEqual(
    events.map(({ type, message, involvedObject }) => [type, involvedObject.name, message]),
    [
      [
        'Warning',
        'p',
        'annotation kubeloom.dev/run-for must be a duration such as 500ms or 1m30s, uniform(1s, 3s), exponential(10s), ' +
          'lognormal(10s, 0.5) or choice(1s, 5s), got "soon"; the default is used',
      ],
      [
        'Warning',
        'p',
        'annotation kubeloom.dev/memory.b must be a quantity such as 100Mi, or several over time such as ' +
          '0s=100Mi, 10m=2Gi repeat 1h: times rise, and it repeats after the last, got "much"; the default is used',
      ],
    ],
  );
  t.is(cluster.get('Pod', 'p').status.phase, 'Running');
  await cluster.dispose();
});
