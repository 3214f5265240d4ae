/**
 * Plays a plan twice over: first what it says, under the eyes of the invariants; then, once everything is healed,
 * whether all comes to rest within a stated simulated time. Everything that it tells follows from the plan.
 */
import { stringify } from 'yaml';
import { ApiError } from '../../api/api-error.js';
import type { Cluster } from '../cluster.js';
import type { InvariantViolation } from '../invariants/invariant-monitor.js';
import { parseScenario } from '../scenario/read-scenario.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import { runScenario, type ScenarioEntry } from '../scenario/run-scenario.js';
import { missingWorkloads } from '../workload-state.js';
import type { PlanDocument } from './plan-document.js';

/** Simulated time within which everything must be whole again after the last fault has been healed. */
const CONVERGENCE = '30m';
/**
 * How long what follows from that is given time: garbage collection, statuses, events. No whole minutes: all may
 * have become whole when a cron job replaced its job, and that must not be the moment of the next one.
 */
const REST = '2m45s';

/** What became of a plan. */
export interface PlanOutcome {
  /** What components have done wrong, the first first; liveness among it. */
  readonly violations: readonly InvariantViolation[];
  /** What users had asked for knowing the risk. */
  readonly asked: number;
  readonly traceHash: string;
  /** Simulated time that was played, ms. */
  readonly virtualMs: number;
  /** How often each invariant was looked at. */
  readonly evaluated: ReadonlyMap<string, number>;
  /** Actions that were refused: what they were about was not there, or a budget said no. */
  readonly refused: number;
}

/** How to play. */
export interface PlayOptions {
  /** Changes the cluster before its workloads come, such as by a controller of your own. */
  readonly prepare?: ((cluster: Cluster) => void) | undefined;
  /** Told of everything that happens, each pod's story included. */
  readonly onEntry?: (entry: ScenarioEntry) => void;
}

const LIVENESS = 'liveness';
/** A plan within the ordinary bounds takes some thousand. */
const MAX_WRITES = 100_000;
const NOTHING: PlanOutcome = {
  violations: [],
  asked: 0,
  traceHash: '',
  virtualMs: 0,
  evaluated: new Map(),
  refused: 0,
};

/** See the file header. @throws ScenarioError for a plan that is none */
export async function playPlan(plan: PlanDocument, { prepare, onEntry }: PlayOptions = {}): Promise<PlanOutcome> {
  const { workloads, actions, ...rest } = plan;
  const lists = { ...(workloads.length === 0 ? {} : { workloads }), ...(actions.length === 0 ? {} : { actions }) };
  const scenario = parseScenario(stringify({ ...rest, ...lists }), plan.title, refuseFile);
  let outcome: Omit<PlanOutcome, 'traceHash' | 'virtualMs' | 'refused'> | undefined;
  let refused = 0;
  const played = runScenario(scenario, {
    timeline: onEntry !== undefined,
    onEntry: (entry) => {
      if (entry.type === 'refused') refused += 1;
      onEntry?.(entry);
    },
    prepare: (cluster) => {
      prepare?.(cluster);
      stopsWhenBusy(cluster);
    },
    atEnd: async (cluster) => {
      const stuck = isTooBusy(cluster) ? [goingRound(cluster)] : await settle(cluster);
      const faults = [...cluster.invariants.faults, ...stuck];
      const asked = cluster.invariants.violations.length - cluster.invariants.faults.length;
      outcome = { violations: faults, asked, evaluated: cluster.invariants.evaluated };
    },
  });
  try {
    const { traceHash, endMs } = await played;
    return { ...NOTHING, ...outcome, traceHash, virtualMs: endMs, refused };
  } catch (error) {
    if (error instanceof ScenarioError || error instanceof ApiError) throw error;
    return { ...NOTHING, violations: [brokenDown(error, plan)], refused };
  }
}

/** The program itself has broken down: whatever led to it, that must not be. */
function brokenDown(error: unknown, { cluster: { seed } }: PlanDocument): InvariantViolation {
  const [text = '', at = ''] = (error instanceof Error ? (error.stack ?? error.message) : String(error)).split('\n');
  return {
    invariant: 'no-breakdown',
    promise: 'no component breaks down',
    atMs: 0,
    seed,
    object: at.trim().replace(/^at (\S+) .*$/, '$1'),
    text,
    asked: undefined,
  };
}

/** Ends the run once so much was written that it would never end. */
function stopsWhenBusy(cluster: Cluster): void {
  cluster.watch('Pod').subscribe(() => {
    if (isTooBusy(cluster)) cluster.pause();
  });
}

function isTooBusy({ version }: Cluster): boolean {
  return version > MAX_WRITES;
}

function goingRound(cluster: Cluster): InvariantViolation {
  return {
    invariant: LIVENESS,
    promise: `a plan takes no more than ${MAX_WRITES} writes`,
    atMs: cluster.nowMs,
    seed: cluster.seed,
    object: '',
    text: `components go round in circles: ${cluster.version} writes so far`,
    asked: undefined,
  };
}

/** Heals everything, and waits until everything is whole. */
async function settle(cluster: Cluster): Promise<readonly InvariantViolation[]> {
  cluster.faults.healAll();
  for (const { metadata, spec } of cluster.list('Node')) {
    if (spec.unschedulable === true) cluster.patch('Node', metadata.name, { spec: { unschedulable: null } });
  }
  await cluster.run({ limit: '10s' });
  const isWhole = (): boolean => missingWorkloads(cluster).length === 0;
  const { end } = await cluster.run({ until: isWhole, limit: CONVERGENCE });
  if (isTooBusy(cluster)) return [goingRound(cluster)];
  if (end !== 'done' && !isWhole()) return [stuckOn(cluster)];
  await cluster.run({ limit: REST });
  cluster.invariants.checkAtRest();
  return [];
}

function stuckOn(cluster: Cluster): InvariantViolation {
  const missing = missingWorkloads(cluster);
  return {
    invariant: LIVENESS,
    promise: `everything is whole ${CONVERGENCE} after the last fault was healed`,
    atMs: cluster.nowMs,
    seed: cluster.seed,
    object: missing[0]?.split(':')[0] ?? '',
    text: missing.join('; '),
    asked: undefined,
  };
}

function refuseFile(path: string): never {
  throw new Error(`a plan names no files, got ${path}`);
}
