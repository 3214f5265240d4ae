/** Draws plans: the same seed, bounds and base give the same plan. It never looks at a cluster. */
import { CONTROLLER_NAMES } from '../../controllers/controller-manager.js';
import { randomStream, type RandomStream } from '../../kernel/random.js';
import type { FaultVerb } from '../../faults/fault.js';
import { FaultDraw } from './draw-faults.js';
import { claimsOf, drawBlackout, drawOddities, drawEdit, drawUpkeep, withTraits } from './draw-traits.js';
import {
  drawWorkloads,
  pinnedSet,
  POOL,
  POOL_NODES,
  pooledSet,
  quorum,
  TIGHT_CAPACITY,
  type DrawnWorkload,
} from './draw-workloads.js';
import type { PlanBase } from './plan-base.js';
import { DEFAULT_BOUNDS, type PlanBounds, type PlanDocument, type PlannedAction, type Range } from './plan-document.js';

const MINUTE_MS = 60_000;
/** Faults begin once the first pods have had time to come up. */
const QUIET_MS = MINUTE_MS;

/** What is drawn besides what the bounds say. */
export interface DrawOptions {
  readonly bounds?: PlanBounds | undefined;
  /** Takes the place of the cluster and the workloads that would be drawn. */
  readonly base?: PlanBase | undefined;
  /** Controllers of the user's own; faults befall them as they do the built-in ones. */
  readonly controllers?: readonly string[] | undefined;
}

/** The plan of a seed. */
export function drawPlan(seed: string, { bounds = {}, base, controllers = [] }: DrawOptions = {}): PlanDocument {
  const streams = {
    plan: randomStream(seed, 'fuzz/plan'),
    traits: randomStream(seed, 'fuzz/traits'),
    edits: randomStream(seed, 'fuzz/edits'),
  };
  return new PlanDraw(streams, { ...DEFAULT_BOUNDS, ...bounds }, controllers).plan(seed, base);
}

interface PlanStreams {
  readonly plan: RandomStream;
  readonly traits: RandomStream;
  readonly edits: RandomStream;
}

class PlanDraw {
  readonly #random: RandomStream;
  readonly #traits: RandomStream;
  readonly #edits: RandomStream;
  readonly #bounds: Required<PlanBounds>;
  readonly #controllers: readonly string[];
  #nodes: readonly string[] = [];
  #endMs = 0;
  #isCompared = false;

  constructor({ plan, traits, edits }: PlanStreams, bounds: Required<PlanBounds>, controllers: readonly string[]) {
    this.#random = plan;
    this.#traits = traits;
    this.#edits = edits;
    this.#bounds = bounds;
    this.#controllers = controllers;
  }

  plan(seed: string, base: PlanBase | undefined): PlanDocument {
    const count = this.#within(this.#bounds.nodes);
    this.#nodes = base?.nodes ?? namesOf(count);
    this.#endMs = this.#within(this.#bounds.minutes) * MINUTE_MS;
    const { reference, kinds } = this.#bounds;
    this.#isCompared = reference > 0 && this.#random.int(1, reference) === 1;
    const workloads = base?.workloads ?? this.#workloads(kinds);
    const changes = this.#times(this.#bounds.changes).flatMap((atMs) => this.#change(atMs, workloads));
    const draw = new FaultDraw(this.#random, this.#bounds, {
      nodes: this.#nodes,
      pools: base?.pools ?? (workloads.some(({ isPooled }) => isPooled) ? [POOL] : []),
      controllers: victimsAmong(this.#controllers),
      ownControllers: this.#controllers,
      workloads,
      areStirred: this.#bounds.changes[1] > 0,
    });
    const faults = this.#times(this.#bounds.faults).flatMap((atMs, index) => {
      const blackout = index === 0 && base === undefined ? this.#blackout(atMs) : [];
      return blackout.length > 0 ? blackout : draw.fault(atMs);
    });
    const fixed = workloads.flatMap(({ actions = [] }) => actions);
    const upkeep = base === undefined ? this.#upkeep(workloads) : [];
    const edits = changes.flatMap((change) => drawEdit(this.#edits, change));
    const drawn = [...changes, ...edits, ...faults, ...fixed, ...upkeep].sort(
      (a, b) => Number.parseInt(a.at, 10) - Number.parseInt(b.at, 10),
    );
    return {
      title: `seed ${seed}`,
      cluster: {
        nodes: nodesFor(workloads, count),
        ...kubeletsOf(faults),
        ...clusterOf(workloads),
        ...base?.cluster,
        seed,
        invariants: true,
      },
      ...(base?.scripts === undefined ? {} : { scripts: base.scripts }),
      workloads: base?.objects ?? this.#objectsOf(workloads),
      actions: [...(base?.actions ?? []), ...drawn],
      ...(this.#isCompared ? { reference: true } : {}),
    };
  }

  #within([least, most]: Range): number {
    return this.#random.int(least, most);
  }

  #oneOf<T>(values: readonly T[]): T {
    return values[this.#random.int(0, values.length - 1)] as T;
  }

  /** Where two ends are compared no process crashes by itself: a loop may be up in one of them and down in the other. */
  #objectsOf(workloads: readonly DrawnWorkload[]): PlanDocument['workloads'] {
    const objects = workloads.flatMap((workload) => workload.objects);
    if (!this.#isCompared) return objects;
    return JSON.parse(JSON.stringify(objects, withoutCrashes)) as PlanDocument['workloads'];
  }

  #times(bounds: Range): readonly number[] {
    return Array.from({ length: this.#within(bounds) }, () => this.#random.int(QUIET_MS, this.#endMs));
  }

  #workloads(kinds: PlanBounds['kinds'] = []): readonly DrawnWorkload[] {
    const site = { nodes: this.#nodes.length, endMs: this.#endMs };
    const drawn = drawWorkloads(this.#random, site);
    const needsNode = kinds.some((kind) => OF_A_NODE.includes(kind));
    const pinned = needsNode ? [pinnedSet(this.#random, this.#oneOf(this.#nodes))] : [];
    const odd = drawOddities(this.#traits, site, this.#isCompared);
    const members = [
      ...(kinds.includes('partition') ? [quorum()] : []),
      ...(kinds.includes('failPool') ? [pooledSet()] : []),
    ];
    return [...[...drawn, ...pinned].map((workload) => withTraits(this.#traits, workload)), ...odd, ...members];
  }

  /** What users do to nodes and claims. */
  #upkeep(workloads: readonly DrawnWorkload[]): readonly PlannedAction[] {
    if (this.#bounds.changes[1] === 0) return [];
    // Which claim a pod gets anew depends on the faults.
    const claims = this.#isCompared ? [] : workloads.flatMap(claimsOf);
    return drawUpkeep(this.#traits, this.#nodes, { endMs: this.#endMs, claims });
  }

  #blackout(atMs: number): readonly PlannedAction[] {
    const isDrawn = this.#bounds.kinds.includes('cut') && !this.#isCompared;
    return isDrawn ? drawBlackout(this.#traits, this.#nodes, { atMs, lastSeconds: this.#bounds.lastSeconds }) : [];
  }

  /** What a user does; where a workload gives no occasion for it, a node is uncordoned. */
  #change(atMs: number, workloads: readonly DrawnWorkload[]): readonly PlannedAction[] {
    const action = { at: `${atMs}ms`, mayFail: true };
    const kind = this.#random.int(0, 23);
    const node = this.#oneOf(this.#nodes);
    if (kind < 4) return [{ ...action, drain: { node, ignoreDaemonSets: true, force: true, timeout: '5m' } }];
    if (kind === 4) return this.#returnOf(atMs, node);
    const fitness = FITNESS.find(({ until }) => kind < until)?.isFit ?? (() => false);
    const fit = workloads.filter(fitness);
    if (fit.length === 0) return [{ ...action, uncordon: node }];
    const workload = this.#oneOf(fit);
    const pod = `pod/${workload.pod ?? ''}`;
    if (kind < 9) {
      const replicas = this.#random.int(0, this.#nodes.length + 2);
      return [{ ...action, scale: { ...named(workload), replicas } }];
    }
    if (kind < 12) return this.#deletions(atMs, { ...named(workload, pod) });
    // A risk that users take: the pod may run on.
    if (kind < 15) return [{ ...action, delete: { ...named(workload, pod), force: true } }];
    if (kind === 15) {
      // What is left behind is counted pod by pod, and what becomes of those depends on the faults.
      const policies = this.#isCompared ? POLICIES.slice(1) : POLICIES;
      return [{ ...action, delete: { ...named(workload), propagationPolicy: this.#oneOf(policies) } }];
    }
    const patch = { spec: { template: { metadata: { annotations: { release: String(atMs) } } } } };
    return [{ ...action, patch: { ...named(workload), patch } }];
  }

  /** A pod is deleted, and sometimes once more, with less time or with more, which it does not get. */
  #deletions(atMs: number, target: Readonly<Record<string, unknown>>): readonly PlannedAction[] {
    const first = { at: `${atMs}ms`, mayFail: true, delete: target };
    if (this.#random.int(0, 1) === 1) return [first];
    const laterMs = atMs + this.#random.int(500, 8000);
    const gracePeriodSeconds = this.#random.int(1, 30);
    return [first, { at: `${laterMs}ms`, mayFail: true, delete: { ...target, gracePeriodSeconds } }];
  }

  /** A node is deleted, such as for repair of its machine, and its kubelet registers it anew a little later. */
  #returnOf(atMs: number, node: string): readonly PlannedAction[] {
    const action = { at: `${atMs}ms`, mayFail: true };
    // Without the fault nothing would bring it back.
    if (this.#isCompared || this.#bounds.faults[1] === 0 || !this.#bounds.kinds.includes('stopKubelet'))
      return [{ ...action, uncordon: node }];
    const lasts = this.#random.int(20, 200);
    const lag = { controller: 'pod-garbage-collector-controller', kind: 'Node', by: `${this.#random.int(60, 200)}s` };
    const isUnseen = this.#bounds.kinds.includes('delayWatch') && this.#random.int(0, 1) === 1;
    return [
      { ...action, delete: `node/${node}` },
      { ...action, for: `${lasts}s`, stopKubelet: { node } },
      // The collector of what is left behind has seen it go, and not that it is back.
      ...(isUnseen ? [{ ...action, at: `${atMs + 1000}ms`, for: '300s', delayWatch: lag }] : []),
    ];
  }
}

/** Faults that are about what a node has: they befall one with a pod that always comes back to it. */
const OF_A_NODE: readonly FaultVerb[] = ['failVolume', 'failRuntime', 'breakAttachment'];

const POLICIES = ['Orphan', 'Background', 'Foreground'] as const;

/** Which workloads a kind of change is about. */
const FITNESS: readonly { readonly until: number; readonly isFit: (workload: DrawnWorkload) => boolean }[] = [
  { until: 9, isFit: ({ isScalable }) => isScalable },
  { until: 15, isFit: ({ pod }) => pod !== undefined },
  { until: 16, isFit: ({ isDeletable = true }) => isDeletable },
  { until: 24, isFit: ({ isUpdatable }) => isUpdatable },
];

function named({ ref, namespace }: DrawnWorkload, object = ref): Readonly<Record<string, unknown>> {
  return { object, ...(namespace === undefined ? {} : { namespace }) };
}

/** Every second controller that a fault befalls is one of the user's own, if there are any. */
function victimsAmong(own: readonly string[]): readonly string[] {
  const times = own.length === 0 ? 0 : Math.ceil(CONTROLLER_NAMES.length / own.length);
  return [...CONTROLLER_NAMES, ...Array.from({ length: times }, () => own).flat()];
}

/** Where machines are shut down their kubelets have time for it; others differ in nothing by that. */
function kubeletsOf(faults: readonly PlannedAction[]): Readonly<Record<string, unknown>> {
  if (!faults.some((fault) => 'shutDown' in fault)) return {};
  return { kubelet: { shutdownGracePeriod: '30s', shutdownGracePeriodCriticalPods: '10s' } };
}

/** What workloads ask of their cluster. */
function clusterOf(workloads: readonly DrawnWorkload[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(workloads.flatMap(({ cluster = {} }) => Object.entries(cluster)));
}

/** The names that a cluster gives to so many nodes. */
function nodesFor(workloads: readonly DrawnWorkload[], count: number): PlanDocument['cluster']['nodes'] {
  const isTight = workloads.some(({ fillsNodes }) => fillsNodes);
  const pools = workloads.some(({ isPooled }) => isPooled) ? [POOL_NODES] : [];
  if (!isTight && pools.length === 0) return count;
  return [{ count, ...(isTight ? { capacity: TIGHT_CAPACITY } : {}) }, ...pools];
}

function namesOf(count: number): readonly string[] {
  const digits = String(Math.max(count - 1, 0)).length;
  return Array.from({ length: count }, (_, index) => `node-${String(index).padStart(digits, '0')}`);
}

/** For JSON: leaves out what says when processes end. */
function withoutCrashes(key: string, value: unknown): unknown {
  return key === 'kubeloom.dev/runs' ? undefined : value;
}
