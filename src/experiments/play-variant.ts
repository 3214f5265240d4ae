/** Plays a variant with a seed, and tells what was measured, where pods were placed, and why those of interest were. */
import { createCluster, type Cluster } from '../cluster/cluster.js';
import { runScene } from '../laboratory/scene/run-scene.js';
import { runScenario } from '../laboratory/scenario/run-scenario.js';
import { keyOf } from '../api/objects/objects.js';
import { assert } from '../kernel/assert.js';
import { summarize, type RunSummary } from '../report/run-summary.js';
import type { AttemptExplanation } from '../scheduler/explain/explanation.js';
import type { Variant } from './read-variant.js';

/** What is played how. */
export interface PlayOrder {
  readonly seed: number;
  /** Version of the program, for the summary. */
  readonly program: string;
  /** Keys of pods whose placement is to be explained. */
  readonly explained?: readonly string[];
}

/** What became of one run; plain data. */
export interface VariantRun {
  readonly summary: RunSummary;
  /** Nodes by the keys of pods, in the order in which they were bound. */
  readonly placements: readonly (readonly [pod: string, node: string])[];
  readonly explanations: Readonly<Record<string, AttemptExplanation>>;
}

/** See the file header. */
export async function playVariant(variant: Variant, { seed, program, explained = [] }: PlayOrder): Promise<VariantRun> {
  const placements = new Map<string, string>();
  const explanations: Record<string, AttemptExplanation> = {};
  const watch = (cluster: Cluster): void => {
    cluster.watch('Pod').subscribe((event) => {
      if (event.type === 'DELETED') return;
      const { nodeName } = event.object.spec;
      const key = keyOf(event.object);
      if (nodeName === undefined || placements.has(key)) return;
      placements.set(key, nodeName);
      if (!explained.includes(key)) return;
      const attempt = cluster.explain(event.object.metadata)?.attempts.at(-1);
      if (attempt !== undefined) explanations[key] = attempt;
    });
  };
  const summary =
    'scenario' in variant
      ? await ofScenario(variant, seed, program, watch)
      : await ofRun(variant, seed, program, watch);
  return { summary, placements: [...placements], explanations };
}

type Of<Field extends string> = Extract<Variant, { readonly [field in Field]: unknown }>;

async function ofScenario(
  { title, scenario }: Of<'scenario'>,
  seed: number,
  program: string,
  watch: (cluster: Cluster) => void,
): Promise<RunSummary> {
  const result = await runScenario(scenario, { seed, measure: true, prepare: watch });
  const { measured, expectations, refusals, thresholds, traceHash, epochMs } = result;
  assert(measured !== undefined, 'a scenario that is to be measured must have been');
  const checks = [
    ...expectations.map(({ title: name, isMet, problem = null, atMs }) => ({ name, ok: isMet, problem, atMs })),
    ...refusals.map((refusal) => ({ name: refusal, ok: false, problem: 'it was refused', atMs: null })),
  ];
  return summarize(measured, {
    title,
    kind: 'scenario',
    program,
    seed: String(seed),
    traceHash,
    epochMs,
    checks,
    thresholds,
  });
}

async function ofRun(
  { title, cluster: options, scene, limitMs }: Of<'scene'>,
  seed: number,
  program: string,
  watch: (cluster: Cluster) => void,
): Promise<RunSummary> {
  const cluster = createCluster({ ...options, seed });
  try {
    watch(cluster);
    const measurement = cluster.measure();
    const { goal, isReached, missing } = await runScene(cluster, scene, {
      ...(limitMs === undefined ? {} : { limit: limitMs }),
      validate: 'ignore',
    });
    const problem = isReached ? null : missing.slice(0, 3).join('; ');
    measurement.stop();
    return summarize(measurement.read(), {
      title,
      kind: 'run',
      program,
      seed: cluster.seed,
      traceHash: cluster.traceHash,
      epochMs: cluster.epochMs,
      checks: [{ name: goal, ok: isReached, problem, atMs: null }],
      thresholds: [],
    });
  } finally {
    await cluster.dispose();
  }
}
