/** A controller that crashes after any of its writes: the next one counts every pod once and makes none twice. */
import test from 'ava';
import type { Job } from '../../../src/api/objects/batch-objects.js';
import type { Harness } from '../harness.js';
import { createJobHarness, jobDraft, jobOf, verdicts, type PodFate } from './jobs.js';

const COMPLETIONS = 4;
/** More than any of these stories needs. */
const MOST_WRITES = 60;

/** Two fail, all others succeed; of an indexed job the first pods of the indexes 1 and 3 fail. */
function fates(): (pod: { readonly metadata: { readonly name: string } }) => PodFate {
  const seen = new Set<string>();
  let runs = 0;
  return ({ metadata: { name } }) => {
    runs += 1;
    const index = /^j-([13])-/.exec(name)?.[1];
    const fails =
      index === undefined ? !name.startsWith('j-0-') && !name.startsWith('j-2-') && runs <= 2 : !seen.has(index);
    if (index !== undefined) seen.add(index);
    return { phase: fails ? 'Failed' : 'Succeeded', afterMs: 2000 };
  };
}

/** Crashes the controller right after its write number `at`, with the answer still under way. */
function crashAfter(harness: Harness, at: number): () => number {
  const controller = harness.manager.controller('job-controller');
  let writes = 0;
  const written = (): void => {
    writes += 1;
    if (writes !== at) return;
    controller.stop();
    harness.kernel.clock.schedule(3000, () => controller.start());
  };
  const resourceVersion = String(harness.server.version);
  harness.server.watch('Job', { resourceVersion }, ({ type }) => {
    if (type === 'MODIFIED') written();
  });
  const held = new Set<string>();
  harness.server.watch('Pod', { resourceVersion }, (event) => {
    if (event.type === 'BOOKMARK' || !('metadata' in event.object)) return;
    const { uid, finalizers } = event.object.metadata as {
      readonly uid: string;
      readonly finalizers?: readonly string[];
    };
    if (event.type === 'ADDED') {
      held.add(uid);
      written();
    } else if (finalizers === undefined && held.delete(uid)) written();
  });
  return () => writes;
}

async function play(
  spec: object,
  at: number,
): Promise<{ readonly job: Job; readonly pods: number; readonly writes: number }> {
  const harness = createJobHarness(fates());
  await harness.run(100);
  const writes = crashAfter(harness, at);
  harness.server.create('Job', jobDraft('j', { completions: COMPLETIONS, parallelism: 2, ...spec }));
  await harness.run(300_000);
  const outcome = { job: jobOf(harness), pods: harness.list('Pod').length, writes: writes() };
  harness.dispose();
  return outcome;
}

for (const [name, spec] of [
  ['without indexes', {}],
  ['with indexes', { completionMode: 'Indexed' }],
  ['with a limit per index', { completionMode: 'Indexed', backoffLimitPerIndex: 2 }],
] as const) {
  test(`7.5.3 › a crash after any write of a job ${name} loses no pod and counts none twice`, async (t) => {
    const { writes } = await play(spec, Number.POSITIVE_INFINITY);
    t.true(writes > 15 && writes < MOST_WRITES, `${writes} writes`);
    for (let at = 1; at <= writes; at += 1) {
      const { job, pods } = await play(spec, at);
      const { succeeded, failed, active, uncountedTerminatedPods } = job.status;
      const ends = ['SuccessCriteriaMet CompletionsReached', 'Complete CompletionsReached'];
      t.deepEqual(verdicts(job), ends, `write ${at}`);
      t.deepEqual([succeeded, failed, active], [COMPLETIONS, 2, undefined], `write ${at}`);
      t.deepEqual(uncountedTerminatedPods, {}, `write ${at}`);
      t.is(pods, COMPLETIONS + 2, `write ${at}`);
    }
  });
}

test('7.5.3 › a status names at most 500 pods that are not counted yet', async (t) => {
  const harness = createJobHarness(() => ({ phase: 'Succeeded', afterMs: 60_000 }));
  harness.server.create('Job', jobDraft('j', { completions: 700, parallelism: 700 }));
  await harness.run(90_000);
  const named = harness.log.map((event) => {
    const { uncountedTerminatedPods: uncounted } = (event as { readonly object: Job }).object.status;
    return uncounted?.succeeded?.length ?? 0;
  });
  t.is(Math.max(...named), 500);
  t.is(jobOf(harness).status.succeeded, 700);
  const metrics = await harness.metrics.samples();
  const shown = metrics
    .filter(({ name }) => /^job_controller_(jobs_finished|job_pods)/.test(name))
    .map(({ name, labels, value }) => [name, Object.values(labels).join(' '), value]);
  t.deepEqual(shown, [
    ['job_controller_job_pods_creation_total', 'new succeeded', 700],
    ['job_controller_job_pods_finished_total', 'NonIndexed succeeded', 700],
    ['job_controller_jobs_finished_total', 'NonIndexed succeeded ', 1],
  ]);
  harness.dispose();
});
