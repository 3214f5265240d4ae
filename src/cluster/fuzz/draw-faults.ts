/** Draws faults: each kind that there is, with parties, amounts and times within the bounds of the plan. */
import type { FaultVerb } from '../../faults/fault.js';
import { STORE } from '../../faults/fault-seams.js';
import type { RandomStream } from '../../kernel/random.js';
import type { PlanBounds, PlannedAction, Range } from './plan-document.js';

const DIRECTIONS = ['in', 'out', undefined] as const;
const COMPONENTS = ['kube-scheduler', 'kube-controller-manager'] as const;
const LATENCIES = ['200ms', 'uniform(10ms, 2s)', 'exponential(1s)'] as const;
const LOSSES = ['before', 'after', 'either'] as const;
const REFUSALS = ['Conflict', 'InternalError', 'TooManyRequests', 'ServerTimeout'] as const;
const OPERATIONS = ['pullImage', 'createSandbox', 'stopContainer'] as const;
const VOLUME_OPERATIONS = ['attach', 'mount', 'unmount', 'detach'] as const;
/** Not all kinds at once: a job that is older than its pods gets one too many, from upstream's controller as well. */
const LAGGING_KINDS = ['Pod', 'Node', 'ReplicaSet'] as const;

const MOST_WRITES_AT_ONCE = 3;
const SELDOM_WRITING: ReadonlySet<string> = new Set([
  'namespace-controller',
  'persistentvolumeclaim-protection-controller',
  'persistentvolume-protection-controller',
  'ttl-after-finished-controller',
  'pod-garbage-collector-controller',
]);

type Fields = Readonly<Record<string, unknown>>;
type Party = { readonly node: string } | { readonly component: string } | { readonly controller: string };

/** Whom faults may befall. */
export interface Victims {
  readonly nodes: readonly string[];
  readonly controllers: readonly string[];
}

/** See the file header. */
export class FaultDraw {
  readonly #random: RandomStream;
  readonly #bounds: Required<PlanBounds>;
  readonly #victims: Victims;

  constructor(random: RandomStream, bounds: Required<PlanBounds>, victims: Victims) {
    this.#random = random;
    this.#bounds = bounds;
    this.#victims = victims;
  }

  /** A fault that begins then. */
  fault(atMs: number): PlannedAction {
    const lasts = `${this.#within(this.#bounds.lastSeconds)}s`;
    const verb = this.#oneOf(this.#bounds.kinds);
    return { at: `${atMs}ms`, for: lasts, mayFail: true, [verb]: this.#drawers[verb]() };
  }

  readonly #drawers: Readonly<Record<FaultVerb, () => Fields>> = {
    cut: () => {
      const direction = this.#oneOf(DIRECTIONS);
      // A node that is cut off is what most else follows from.
      const party = this.#random.int(0, 2) === 0 ? this.#party() : this.#node();
      return { ...party, ...(direction === undefined ? {} : { direction }) };
    },
    partition: () => this.#node(),
    slow: () => ({ ...this.#party(), latency: this.#oneOf(LATENCIES) }),
    lossy: () => ({ ...this.#party(), requests: this.#share(), when: this.#oneOf(LOSSES) }),
    refuse: () => ({ ...this.#party(), share: this.#share(), with: this.#oneOf(REFUSALS) }),
    delayWatch: () => this.#lag(),
    coalesceWatch: () => this.#lag(),
    staleReads: () => (this.#random.int(0, 3) === 0 ? { ...this.#lag(), isPinned: true } : this.#lag()),
    restartApiServer: () => ({ forgetsHistory: this.#random.int(0, 1) === 1 }),
    stopKubelet: () => this.#node(),
    powerOff: () => this.#node(),
    shutDown: () => this.#node(),
    failRuntime: () => {
      const operation = this.#oneOf(OPERATIONS);
      const isSlow = operation !== 'stopContainer' && this.#random.int(0, 1) === 1;
      return { ...this.#node(), operation, ...(isSlow ? { by: this.#seconds(this.#bounds.lagSeconds) } : {}) };
    },
    failVolume: () => {
      const slowness = this.#random.int(0, 1) === 1 ? { by: this.#seconds(this.#bounds.lagSeconds) } : {};
      return { ...this.#node(), operation: this.#oneOf(VOLUME_OPERATIONS), ...slowness };
    },
    breakAttachment: () => ({ ...this.#node(), claim: 'ledger' }),
    stopController: () => this.#controller(),
    runTwice: () => this.#controller(),
    crashAfterWrites: () => {
      const [least, most] = this.#bounds.writes;
      const kind = this.#random.int(0, 3);
      if (kind === 0) return { component: this.#oneOf(COMPONENTS), writes: this.#within([least, most]) };
      if (kind === 1) return { ...this.#writer(), writes: this.#within([least, most]) };
      // Few reconciles write much.
      const writes = this.#within([least, Math.max(least, Math.min(most, MOST_WRITES_AT_ONCE))]);
      return { ...this.#writer(), writes, inOneReconcile: true };
    },
    stopComponent: () => ({ component: this.#oneOf(COMPONENTS) }),
    skewClock: () => {
      const party = this.#oneOf([
        () => this.#node(),
        () => this.#controller(),
        () => ({ component: this.#oneOf(COMPONENTS) }),
      ]);
      return { ...party(), by: this.#seconds(this.#bounds.skewSeconds) };
    },
  };

  /** Whose link a fault is about: a node's more often than another. */
  #party(): Party {
    const kind = this.#random.int(0, 7);
    if (kind < 4) return this.#node();
    if (kind < 6) return { component: this.#oneOf(COMPONENTS) };
    return kind === 6 ? this.#controller() : { component: STORE };
  }

  #node(): { readonly node: string } {
    return { node: this.#oneOf(this.#victims.nodes) };
  }

  #controller(): { readonly controller: string } {
    return { controller: this.#oneOf(this.#victims.controllers) };
  }

  /** A controller that has something to write in clusters as they are drawn. */
  #writer(): { readonly controller: string } {
    const writers = this.#victims.controllers.filter((name) => !SELDOM_WRITING.has(name));
    return writers.length === 0 ? this.#controller() : { controller: this.#oneOf(writers) };
  }

  #lag(): Fields {
    return { ...this.#party(), kind: this.#oneOf(LAGGING_KINDS), by: this.#seconds(this.#bounds.lagSeconds) };
  }

  /** In tenths. */
  #share(): number {
    const [least, most] = this.#bounds.shares;
    return this.#random.int(Math.round(least * 10), Math.round(most * 10)) / 10;
  }

  #seconds(bounds: Range): string {
    return `${this.#within(bounds)}s`;
  }

  #within([least, most]: Range): number {
    return this.#random.int(least, most);
  }

  #oneOf<T>(values: readonly T[]): T {
    return values[this.#random.int(0, values.length - 1)] as T;
  }
}
