import test from 'ava';
import { runBurner, type BurnerOptions, type BurnerResult, type LoadStanding } from '../../../src/index.js';
import { stepsOf, type LoadPattern } from '../../../src/load/kube-burner/load-steps.js';

const POD = `
apiVersion: v1
kind: Pod
metadata: {name: "pod-{{.Iteration}}"}
spec: {containers: [{name: main, image: registry.k8s.io/pause:3.9}]}
`;

/** @param job - fields of the only job, besides those that every job here has */
function played(job: string, options: Partial<BurnerOptions> = {}, global = ''): Promise<BurnerResult> {
  const config = `
global: {measurements: [{name: podLatency}]${global}}
jobs:
- name: pods
  namespace: pods
  qps: 20
  burst: 20
  preLoadImages: false
  objects: [{objectTemplate: pod.yml}]
${job}
`;
  const files: Readonly<Record<string, string>> = { 'w/config.yml': config, 'w/pod.yml': POD };
  return runBurner({ config: 'w/config.yml', nodes: 2, seed: 3, readFile: (path) => files[path] ?? '', ...options });
}

function documents(result: BurnerResult, name: string): readonly Readonly<Record<string, unknown>>[] {
  const text = result.files.find((file) => file.name === name)?.text ?? '[]';
  return JSON.parse(text) as readonly Readonly<Record<string, unknown>>[];
}

function steps(pattern: LoadPattern, startIterations: number, totalIterations: number): readonly number[] {
  return stepsOf({ startIterations, totalIterations, pattern, stepDelayMs: 0, healthCheckScript: '' }, 7);
}

function hook(when: string, background = false): string {
  return `  - {cmd: [run, ${when}], when: ${when}, background: ${background}}`;
}

async function elapsed(closing: string): Promise<unknown> {
  const result = await played(`  jobPause: 10m\n  metricsClosing: ${closing}`);
  return documents(result, 'jobSummary.json')[0]?.['elapsedTime'];
}

test('a load grows by steps of one size, by as many steps as it must have, or by powers', (t) => {
  t.deepEqual(steps({ type: 'linear', stepSize: 10, minSteps: 0 }, 10, 45), [10, 20, 30, 40, 45]);
  t.deepEqual(steps({ type: 'linear', stepSize: 100, minSteps: 4 }, 10, 50), [10, 20, 30, 40, 50]);
  t.deepEqual(steps({ type: 'linear', stepSize: 1, minSteps: 0 }, 0, 0), [7]);
  const exponential = { type: 'exponential', base: 2, maxIncrease: 0, warmupSteps: 0 } as const;
  t.deepEqual(steps(exponential, 5, 100), [5, 25, 65, 100]);
  t.deepEqual(steps({ ...exponential, maxIncrease: 20 }, 5, 60), [5, 25, 45, 60]);
  t.deepEqual(steps({ ...exponential, warmupSteps: 3 }, 5, 60), [5, 10, 15, 25, 45, 60]);
});

test('incrementalLoad plays the job anew with more iterations, measures and deletes each time', async (t) => {
  const result = await played(
    '  incrementalLoad: {startIterations: 2, totalIterations: 6, stepDelay: 30s, pattern: {linear: {stepSize: 2}}}',
  );
  t.deepEqual(result.errors, []);
  t.is(result.exitCode, 0);
  t.is(result.pods, 2 + 4 + 6);
  const pods = documents(result, 'podLatencyMeasurement-pods.json');
  t.is(pods.length, 12);
  t.is(new Set(pods.map(({ metadata }) => JSON.stringify(metadata))).size, 3);
  const summaries = documents(result, 'jobSummary.json');
  t.deepEqual(
    summaries.map(({ incrementalLoadUUID }) => typeof incrementalLoadUUID),
    ['undefined', 'string', 'string', 'string', 'undefined'],
  );
  t.true(result.virtualSeconds > 60);
});

test('incrementalLoad ends with the step after which a node is not well', async (t) => {
  const begun: string[] = [];
  const result = await played('  jobIterationDelay: 2m\n  incrementalLoad: {startIterations: 1, totalIterations: 9}', {
    onMessage: (message, cluster) => {
      const [step] = /step \d+ of/.exec(message) ?? [];
      if (step !== undefined) begun.push(step);
      if (step === 'step 1 of') cluster.faults.inject({ stopKubelet: { node: 'node-1' }, for: '1h' });
    },
  });
  t.is(result.exitCode, 1);
  t.deepEqual(begun, ['step 1 of']);
  t.regex(result.errors.join(), /^cluster is not healthy: .*node node-1 is not Ready$/);
});

test('hooks are run at their stages, while simulated time stands still, and those in the background are waited for', async (t) => {
  const stages: string[] = [];
  const job = [
    '  jobIterations: 2',
    '  gc: true',
    '  churnConfig: {cycles: 1, percent: 100, mode: objects}',
    '  hooks:',
    ...['beforeGC', 'afterGC', 'onEachIteration', 'afterJobExecution', 'beforeChurn', 'afterChurn'].map((each) =>
      hook(each),
    ),
    ...['beforeCleanup', 'afterCleanup'].map((each) => hook(each)),
    hook('beforeJobExecution', true),
  ].join('\n');
  let isOver = false;
  const result = await played(job, {
    runHook: async ({ cmd, when, background, job: name }) => {
      t.deepEqual([cmd, name], [['run', when], 'pods']);
      stages.push(when);
      await new Promise((resolve) => setTimeout(resolve, background ? 50 : 5));
      if (background) isOver = true;
    },
  });
  const quick = await played(job, { runHook: () => Promise.resolve() });
  t.is(quick.traceHash, result.traceHash);
  t.deepEqual(result.errors, []);
  t.is(result.exitCode, 0);
  t.true(isOver);
  t.deepEqual(stages, [
    'beforeGC',
    'afterGC',
    'beforeJobExecution',
    'onEachIteration',
    'onEachIteration',
    'afterJobExecution',
    'beforeChurn',
    'afterChurn',
    'beforeCleanup',
    'afterCleanup',
  ]);
  const without = await played(job);
  t.deepEqual(without.ignored, ['hooks']);
});

test('a hook that fails makes exit code 1, in the background as well, and the job goes on', async (t) => {
  for (const background of [false, true]) {
    const result = await played(`  hooks: [{cmd: [run], when: beforeJobExecution, background: ${background}}]`, {
      runHook: () => Promise.reject(new Error('it said no')),
    });
    t.is(result.exitCode, 1);
    t.regex(
      result.errors.join(),
      background ? /^background hook failed: it said no$/ : /^foreground .* 'beforeJobExecution': it said no$/,
    );
    t.is(result.pods, 1);
  }
});

test('where a workload stands can be read while it is played', async (t) => {
  const told: string[] = [];
  let standing: LoadStanding | undefined;
  await played('  jobIterations: 3', {
    onProgress: (given) => {
      standing = given;
    },
    onMessage: () =>
      told.push(`${standing?.title} ${standing?.part}/${standing?.parts} ${standing?.done}/${standing?.total}`),
  });
  t.is(told[0], 'job pods 1/1 0/0');
  t.is(told.at(-1), 'job pods 1/1 3/3');
});

test('watchers hold watches open while their job goes on, and tell what they were sent', async (t) => {
  const messages: string[] = [];
  await played(
    '  jobIterations: 3\n  watchers: [{kind: Pod, apiVersion: v1, replicas: 2}, {kind: Deployment, apiVersion: apps/v1}]',
    {
      onMessage: (message) => messages.push(message),
    },
  );
  const [told = ''] = messages.filter((message) => /watchers/.test(message));
  const [, events = ''] = /^3 watchers of job pods were sent (\d+) events$/.exec(told) ?? [];
  t.true(Number(events) >= 2 * 3 * 3, told);
});

test('objects of a group are deleted once the group is there, if they say so', async (t) => {
  const config = `
jobs:
- name: groups
  namespace: groups
  jobIterations: 2
  qps: 20
  burst: 20
  preLoadImages: false
  objects:
  - {objectTemplate: pod.yml, group: {id: 1, gc: true, pauseBeforeGC: 1m, pauseAfterGC: 2m}}
  - {objectTemplate: other.yml, group: {id: 2}}
`;
  const files: Readonly<Record<string, string>> = {
    'w/config.yml': config,
    'w/pod.yml': POD,
    'w/other.yml': POD.replace('pod-', 'other-'),
  };
  const result = await runBurner({
    config: 'w/config.yml',
    nodes: 2,
    readFile: (path) => files[path] ?? '',
    measure: true,
  });
  t.deepEqual(result.errors, []);
  t.true(result.virtualSeconds > 180);
  const deleted = result.measured?.metrics.find(({ name }) => name === 'pods_deleted')?.values['count'];
  t.is(deleted, 2);
});

test('metricsClosing says which moment is the end of a job in the documents', async (t) => {
  t.true(Number(await elapsed('afterJob')) < 60);
  t.true(Number(await elapsed('afterJobPause')) >= 600);
});

test('what is wrong in these parts of a job is refused by its file, line and field', async (t) => {
  const refusals = {
    '  hooks: [{cmd: [], when: afterGC}]':
      /jobs\[0\]\.hooks\[0\]\.cmd must be a program with its arguments, got nothing$/,
    '  hooks: [{cmd: [a], when: later}]': /jobs\[0\]\.hooks\[0\]\.when must be one of beforeGC, .*, got "later"$/,
    '  watchers: [{replicas: 2}]': /jobs\[0\]\.watchers\[0\]\.kind /,
    '  incrementalLoad: {pattern: {type: cubic}}': /pattern\.type must be one of linear, exponential, got "cubic"$/,
    '  incrementalLoad: {steps: 3}': /incrementalLoad\.steps is not known here; known are startIterations, /,
    '  metricsClosing: never': /metricsClosing must be one of afterJob, afterJobPause, afterMeasurements, got "never"$/,
  };
  for (const [job, message] of Object.entries(refusals)) {
    await t.throwsAsync(played(job), { message }, job);
  }
});
