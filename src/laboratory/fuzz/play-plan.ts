/**
 * Plays a plan: first what it says, under the eyes of the invariants; then, once everything is healed, whether all
 * comes to rest within a stated simulated time; and where the plan asks for it, whether it has come to the same as
 * without its faults. Everything that it tells follows from the plan.
 */
import { stringify } from 'yaml';
import { ApiError } from '../../api/errors/api-error.js';
import { controllerOf } from '../../api/objects/owners.js';
import type { Cluster } from '../../cluster/cluster.js';
import { missingEndpoints } from '../../observers/invariants/endpoint-invariants.js';
import type { Invariant } from '../../observers/invariants/invariant.js';
import type { InvariantViolation } from '../../observers/invariants/invariant-monitor.js';
import { INVARIANTS } from '../../observers/invariants/invariants.js';
import { invariantsOf } from '../../observers/invariants/read-invariants.js';
import {
  checkedOptions,
  FLAG,
  FUNCTION,
  integerIn,
  LIST,
  MAPPING,
  MAPPINGS,
  SIGNAL,
  TEXT,
  type Checks,
} from '../../options/option-checks.js';
import { createTimestamps } from '../../kernel/timestamps.js';
import { OptionError } from '../../options/option-error.js';
import { parseScenario } from '../scenario/read-scenario.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import { runScenario, type ScenarioEntry } from '../scenario/run-scenario.js';
import type { Scenario } from '../scenario/scenario.js';
import { missingWorkloads } from '../scene/workload-state.js';
import { differences, endState } from './end-state.js';
import {
  endScaling,
  makeRoomForPinnedPods,
  removeFailedPods,
  touchExpectingOwners,
  touchFailedBudgets,
  touchUnfinishedDeployments,
} from './after-faults.js';
import { missingPods } from './missing-pods.js';
import { withoutFaults, type PlanDocument } from './plan-document.js';
import { NOTHING, type Exercise, type PlanOutcome } from './plan-outcome.js';
import { SetClaims } from './set-claims.js';

/** Simulated time within which everything must be whole again after the last fault has been healed. */
const CONVERGENCE = '30m';
/**
 * How long what follows from that is given time: garbage collection, statuses, events. No whole minutes: all may
 * have become whole when a cron job replaced its job, and that must not be the moment of the next one.
 */
const REST = '2m45s';

/** How to play. */
export interface PlayOptions {
  /** Changes the cluster before its workloads come, such as by a controller of your own. */
  readonly prepare?: ((cluster: Cluster) => void) | undefined;
  /** Promises of your own, kept in sight beside those of the program. */
  readonly invariants?: readonly Invariant[] | undefined;
  /** Told of everything that happens, each pod's story included. */
  readonly onEntry?: ((entry: ScenarioEntry) => void) | undefined;
  /** Worker threads of the scheduler; what comes of a plan does not depend on them. @defaultValue those of the plan */
  readonly workers?: number | undefined;
  /** Ends the play where it is: its outcome is that of what was played, and says nothing of whether all came to rest. */
  readonly signal?: AbortSignal | undefined;
}

/** What each option of a play may be. */
export const PLAY_CHECKS: Checks<PlayOptions> = {
  prepare: FUNCTION,
  invariants: LIST,
  onEntry: FUNCTION,
  workers: integerIn(0, 64),
  signal: SIGNAL,
};
const PLAN: Checks<PlanDocument> = {
  title: TEXT,
  cluster: MAPPING,
  scripts: LIST,
  workloads: MAPPINGS,
  actions: MAPPINGS,
  reference: FLAG,
};

const SINCE_1970 = createTimestamps('1970-01-01T00:00:00Z');

const LIVENESS = 'liveness';
const BREAKDOWN = 'no-breakdown';
const REFERENCE = 'same-as-without-faults';
/** A job's longest back-off is 10 minutes (MaxJobPodFailureBackOff, v1.34); its pods run for less than 2. */
const JOB_TRY_MS = 15 * 60_000;
/** Times that jobs whose pods fail by themselves are given the time of {@link CONVERGENCE} once more. */
const MAX_JOB_TRIES = 8;
/** A plan within the ordinary bounds takes some thousand. */
const MAX_WRITES = 100_000;
const STARTED = / started \(run \d+\)$/;

/** An outcome, with what the cluster has come to if it came to rest. */
interface Played {
  readonly outcome: PlanOutcome;
  readonly end: readonly string[] | undefined;
  /** When everything was healed at last, ms. */
  readonly endMs: number;
}

/**
 * See the file header.
 *
 * @throws OptionError, ScenarioError for a plan that is none, and for options that cannot be; ApiError for workloads
 * that are refused
 */
export async function playPlan(plan: PlanDocument, options: PlayOptions = {}): Promise<PlanOutcome> {
  checkedOptions('plan.', plan, PLAN, ['title', 'cluster', 'workloads', 'actions']);
  invariantsOf(checkedOptions('', options, PLAY_CHECKS).invariants);
  const { outcome, end, endMs } = await playOnce(plan, options);
  if (plan.reference !== true || end === undefined || outcome.violations.length > 0) return outcome;
  const played = await playOnce(withoutFaults(plan), { ...options, onEntry: undefined }, endMs);
  const evaluated = new Map([...outcome.evaluated, [REFERENCE, 1]]);
  const [first] = played.outcome.violations;
  if (first !== undefined) return { ...outcome, evaluated, violations: [first] };
  const [difference, ...others] = differences(end, played.end ?? []);
  if (difference === undefined) return { ...outcome, evaluated };
  return { ...outcome, evaluated, violations: [different(plan, outcome.virtualMs, [difference, ...others])] };
}

/** @param untilMs - when the scenario ends at the earliest */
async function playOnce(plan: PlanDocument, options: PlayOptions, untilMs = 0): Promise<Played> {
  const { prepare, onEntry, signal } = options;
  const scenario = scenarioOf(plan, options, untilMs);
  const { endMs } = scenario;
  let known: Partial<PlanOutcome> = {};
  let end: readonly string[] | undefined;
  let refused = 0;
  let processesStarted = 0;
  const claims = new SetClaims();
  const played = runScenario(scenario, {
    timeline: onEntry !== undefined,
    signal,
    onEntry: (entry) => {
      if (entry.type === 'refused') refused += 1;
      onEntry?.(entry);
    },
    prepare: (cluster) => {
      prepare?.(cluster);
      stopsWhenBusy(cluster);
      claims.follow(cluster);
      cluster.truth.facts$.subscribe(({ text }) => {
        if (STARTED.test(text)) processesStarted += 1;
      });
    },
    atEnd: async (cluster) => {
      const stuck = isTooBusy(cluster) ? [goingRound(cluster)] : await settle(cluster);
      if (stuck.length === 0) end = endState(cluster, claims);
      known = { ...exerciseOf(cluster), violations: [...cluster.invariants.faults, ...stuck], asked: askedOf(cluster) };
    },
  });
  try {
    const { traceHash, endMs: virtualMs } = await played;
    return { outcome: { ...NOTHING, ...known, processesStarted, traceHash, virtualMs, refused }, end, endMs };
  } catch (error) {
    // A mistake of the plan, or of what `prepare` has asked for.
    if (error instanceof ScenarioError || error instanceof ApiError || error instanceof OptionError) throw error;
    return { outcome: { ...NOTHING, violations: [brokenDown(error, plan)], refused }, end, endMs };
  }
}

/** @param workers - worker threads of the scheduler, in place of those of the plan */
function scenarioOf(plan: PlanDocument, { workers, invariants }: PlayOptions, untilMs: number): Scenario {
  const { workloads, actions, cluster, reference: _reference, ...rest } = plan;
  const lists = { ...(workloads.length === 0 ? {} : { workloads }), ...(actions.length === 0 ? {} : { actions }) };
  const asked = workers === undefined ? cluster : { ...cluster, workers };
  const text = stringify({ ...rest, cluster: asked, ...lists, until: `${untilMs}ms` });
  const scenario = parseScenario(text, plan.title, refuseFile);
  if (invariants === undefined) return scenario;
  return { ...scenario, cluster: { ...scenario.cluster, invariants: [...INVARIANTS, ...invariants] } };
}

/** What the promises that are kept here were looked at, too. */
function exerciseOf(cluster: Cluster): Omit<Exercise, 'processesStarted'> {
  const { invariants, faults } = cluster;
  return {
    evaluated: new Map([...invariants.evaluated, [LIVENESS, 1], [BREAKDOWN, 1]]),
    faults: new Map(faults.tally.counts),
    crashes: new Map(faults.tally.crashes),
    failedRequests: faults.failedRequests,
    podsCreated: cluster.stats().podsCreated,
  };
}

function askedOf({ invariants }: Cluster): number {
  return invariants.violations.length - invariants.faults.length;
}

function different({ cluster: { seed } }: PlanDocument, atMs: number, lines: readonly string[]): InvariantViolation {
  return {
    invariant: REFERENCE,
    promise: 'once all is healed and whole, everything is as it would be without the faults',
    atMs,
    seed,
    object: lines[0]?.replace(/^with(?:out)?(?: faults)? (.*?):.*$/, '$1') ?? '',
    text: lines.join('; '),
    asked: undefined,
  };
}

/** The program itself has broken down: whatever led to it, that must not be. */
function brokenDown(error: unknown, { cluster: { seed } }: PlanDocument): InvariantViolation {
  const [text = '', at = ''] = (error instanceof Error ? (error.stack ?? error.message) : String(error)).split('\n');
  return {
    invariant: BREAKDOWN,
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
  // A drain that has just begun cordons its node first.
  await cluster.run({ limit: '10s' });
  for (const { metadata, spec } of cluster.list('Node')) {
    if (spec.unschedulable === true) cluster.patch('Node', metadata.name, { spec: { unschedulable: null } });
  }
  await cluster.run({ limit: '10s' });
  const isWhole = (): boolean => missing(cluster).length === 0;
  await cluster.run({ until: isWhole, limit: CONVERGENCE });
  for (const mend of [
    removeFailedPods,
    makeRoomForPinnedPods,
    endScaling,
    touchExpectingOwners,
    touchUnfinishedDeployments,
  ]) {
    if (!isWhole() && mend(cluster)) await cluster.run({ until: isWhole, limit: CONVERGENCE });
  }
  for (let tries = 0; tries < MAX_JOB_TRIES && !isWhole() && areJobsTrying(cluster); tries += 1) {
    await cluster.run({ until: isWhole, limit: CONVERGENCE });
  }
  if (isTooBusy(cluster)) return [goingRound(cluster)];
  if (!isWhole()) return [stuckOn(cluster)];
  touchFailedBudgets(cluster);
  await cluster.run({ limit: REST });
  cluster.invariants.checkAtRest();
  return [];
}

/** Whether nothing is missing but jobs that have each made a pod a moment ago: what fails by itself is tried again. */
function areJobsTrying(cluster: Cluster): boolean {
  const jobs = new Set(missing(cluster).map((line) => line.split(':')[0] ?? ''));
  for (const pod of cluster.list('Pod')) {
    const ageMs = cluster.epochMs + cluster.nowMs - SINCE_1970.toMs(pod.metadata.creationTimestamp);
    if (ageMs < JOB_TRY_MS) jobs.delete(`Job ${pod.metadata.namespace}/${controllerOf(pod)?.name}`);
  }
  return jobs.size === 0;
}

/** What users have asked for and have not got: as statuses say, by the pods that there are, and by the slices of services. */
function missing(cluster: Cluster): readonly string[] {
  const workloads = [...missingWorkloads(cluster), ...missingPods(cluster)];
  return workloads.length > 0 ? workloads : missingEndpoints(cluster);
}

function stuckOn(cluster: Cluster): InvariantViolation {
  const all = missing(cluster);
  return {
    invariant: LIVENESS,
    promise: `everything is whole ${CONVERGENCE} after the last fault was healed`,
    atMs: cluster.nowMs,
    seed: cluster.seed,
    object: all[0]?.split(':')[0] ?? '',
    text: all.join('; '),
    asked: undefined,
  };
}

function refuseFile(path: string): never {
  throw new Error(`a plan names no files, got ${path}`);
}
