/**
 * Pods that were tried and found unschedulable, and gated pods: they wait for an event. Listed by
 * the plugins that rejected them, so that an event looks only at pods of rejectors that registered
 * for it. Mirrors kube-scheduler v1.34 `unschedulablePods` of `backend/queue/scheduling_queue.go`.
 */
import { GatedPods, type GateKeepers } from './gated-pods.js';
import type { QueuedPod } from './queued-pod.js';

/** See the file header. */
export class UnschedulablePods {
  readonly #pods = new Map<string, QueuedPod>();
  readonly #byPlugin = new Map<string, Set<QueuedPod>>();
  readonly #gated: GatedPods;
  #nextArrival = 0;
  #searches = 0;

  constructor(keepers: GateKeepers) {
    this.#gated = new GatedPods(keepers);
  }

  get size(): number {
    return this.#pods.size;
  }

  /** How many of them PreEnqueue keeps out. */
  get gatedSize(): number {
    return this.#gated.size;
  }

  /** In order of arrival. */
  values(): Iterable<QueuedPod> {
    return this.#pods.values();
  }

  /** Adds a pod, or lists one anew after its rejectors may have changed; it keeps its place then. */
  addOrUpdate(info: QueuedPod): void {
    if (info.pool === 'unschedulable') {
      this.#unlist(info);
    } else {
      info.pool = 'unschedulable';
      info.arrival = this.#nextArrival;
      this.#nextArrival += 1;
      this.#pods.set(info.key, info);
    }
    this.#list(info);
  }

  delete(info: QueuedPod): void {
    this.#unlist(info);
    this.#pods.delete(info.key);
    info.pool = 'none';
  }

  /**
   * The pods that any of these plugins rejected, and those that one of them gates and would let in, in
   * order of arrival.
   */
  rejectedBy(plugins: readonly string[]): QueuedPod[] {
    const found: QueuedPod[] = [];
    if (this.#pods.size === 0) return found;
    this.#searches += 1;
    const add = (info: QueuedPod): void => {
      // A pod may stand under several plugins.
      if (info.search === this.#searches) return;
      info.search = this.#searches;
      found.push(info);
    };
    for (const plugin of plugins) {
      for (const info of this.#byPlugin.get(plugin) ?? []) add(info);
      for (const info of this.#gated.admissible(plugin)) add(info);
    }
    return found.sort((a, b) => a.arrival - b.arrival);
  }

  clear(): void {
    this.#pods.clear();
    this.#byPlugin.clear();
    this.#gated.clear();
  }

  #list(info: QueuedPod): void {
    // An event that does not interest the gating plugin never moves a gated pod.
    if (info.gatingPlugin !== undefined) {
      info.gatedUnder = info.gatingPlugin;
      this.#gated.add(info, info.gatingPlugin);
      return;
    }
    const plugins = info.rejectors();
    info.indexedUnder = plugins;
    for (const plugin of plugins) {
      let pods = this.#byPlugin.get(plugin);
      if (pods === undefined) {
        pods = new Set();
        this.#byPlugin.set(plugin, pods);
      }
      pods.add(info);
    }
  }

  #unlist(info: QueuedPod): void {
    for (const plugin of info.indexedUnder ?? []) this.#byPlugin.get(plugin)?.delete(info);
    info.indexedUnder = undefined;
    if (info.gatedUnder !== undefined) this.#gated.delete(info, info.gatedUnder);
    info.gatedUnder = undefined;
  }
}
