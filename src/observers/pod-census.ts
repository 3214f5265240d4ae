import { getCondition } from '../api/objects/conditions.js';
import type { Pod, PodPhase } from '../api/objects/objects.js';
import type { ObjectEvent } from '../apiserver/store/server-types.js';
import type { Lookout } from '../bus/bus-types.js';
import { listen } from '../bus/rx/listen.js';
import { UnschedulableGroups, unschedulableMessage, type UnschedulableGroup } from './unschedulable.js';

/** How many pods there are, by what they do. */
export interface PodCounts {
  readonly total: number;
  /** Pods with the condition Ready at True. */
  readonly ready: number;
  readonly byPhase: Readonly<Record<PodPhase, number>>;
}

/** Quantiles of the time from a pod's creation to its first Ready, in simulated seconds. */
export interface StartupQuantiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

interface Entry {
  phase: PodPhase;
  isReady: boolean;
  isBound: boolean;
  hasWaited: boolean;
  readonly createdMs: number;
  hasBeenReady: boolean;
}

/** Counts pods as they change, so that asking costs nothing however many there are. */
export class PodCensus {
  readonly #entries = new Map<string, Entry>();
  readonly #byPhase: Record<PodPhase, number> = { Pending: 0, Running: 0, Succeeded: 0, Failed: 0, Unknown: 0 };
  /** How many pods took how long from their creation to Ready, by milliseconds. */
  readonly #startups = new Map<number, number>();
  #startupCount = 0;
  readonly #waited = new UnschedulableGroups();
  #quantiles: StartupQuantiles | undefined;
  /** Startups that the quantiles are of. */
  #quantileSamples = -1;
  #created = 0;
  #ready = 0;
  #bound = 0;

  constructor(lookout: Lookout) {
    listen(lookout.watch('Pod'), (event) => this.#count(event));
  }

  /** Pods ever created. */
  get created(): number {
    return this.#created;
  }

  counts(): PodCounts {
    return { total: this.#entries.size, ready: this.#ready, byPhase: { ...this.#byPhase } };
  }

  get total(): number {
    return this.#entries.size;
  }

  get ready(): number {
    return this.#ready;
  }

  /** Pods that are bound to a node. */
  get bound(): number {
    return this.#bound;
  }

  /** Pods that could not be placed at first, by the reason of their first refusal. */
  waited(): readonly UnschedulableGroup[] {
    return this.#waited.sorted();
  }

  /** `undefined` while no pod has ever been Ready. */
  startupSeconds(): StartupQuantiles | undefined {
    if (this.#startupCount === this.#quantileSamples) return this.#quantiles;
    if (this.#startupCount === 0) return undefined;
    const lengths = Float64Array.from(this.#startups.keys()).sort();
    this.#quantiles = {
      p50: this.#quantile(lengths, 0.5),
      p90: this.#quantile(lengths, 0.9),
      p99: this.#quantile(lengths, 0.99),
    };
    this.#quantileSamples = this.#startupCount;
    return this.#quantiles;
  }

  /** Seconds that a part of all startups stays below. */
  #quantile(lengths: Float64Array, quantile: number): number {
    let before = Math.min(this.#startupCount - 1, Math.floor(quantile * this.#startupCount));
    for (const lengthMs of lengths) {
      before -= this.#startups.get(lengthMs) ?? 0;
      if (before < 0) return lengthMs / 1000;
    }
    return 0;
  }

  #count(event: ObjectEvent<'Pod'>): void {
    const { object: pod, atMs } = event;
    const { uid } = pod.metadata;
    let entry = this.#entries.get(uid);
    if (event.type === 'DELETED') {
      if (entry !== undefined) this.#leave(uid, entry);
      return;
    }
    if (entry === undefined) {
      entry = {
        phase: pod.status.phase,
        isReady: false,
        isBound: false,
        hasWaited: false,
        createdMs: atMs,
        hasBeenReady: false,
      };
      this.#entries.set(uid, entry);
      this.#byPhase[entry.phase] += 1;
      this.#created += 1;
    }
    this.#update(entry, pod, atMs);
  }

  #update(entry: Entry, pod: Pod, atMs: number): void {
    const { phase } = pod.status;
    if (phase !== entry.phase) {
      this.#byPhase[entry.phase] -= 1;
      this.#byPhase[phase] += 1;
      entry.phase = phase;
    }
    if (!entry.isBound) this.#countBinding(entry, pod);
    const isReady = getCondition(pod.status.conditions, 'Ready')?.status === 'True';
    if (isReady === entry.isReady) return;
    entry.isReady = isReady;
    this.#ready += isReady ? 1 : -1;
    if (!isReady || entry.hasBeenReady) return;
    entry.hasBeenReady = true;
    const lengthMs = atMs - entry.createdMs;
    this.#startups.set(lengthMs, (this.#startups.get(lengthMs) ?? 0) + 1);
    this.#startupCount += 1;
  }

  #countBinding(entry: Entry, pod: Pod): void {
    if (pod.spec.nodeName !== undefined) {
      entry.isBound = true;
      this.#bound += 1;
    } else if (!entry.hasWaited) {
      const message = unschedulableMessage(pod);
      if (message === undefined) return;
      entry.hasWaited = true;
      this.#waited.add(message);
    }
  }

  #leave(uid: string, entry: Entry): void {
    this.#entries.delete(uid);
    this.#byPhase[entry.phase] -= 1;
    if (entry.isReady) this.#ready -= 1;
    if (entry.isBound) this.#bound -= 1;
  }
}
