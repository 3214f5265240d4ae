/**
 * Pods that were tried and found unschedulable, and gated pods: they wait for an event. Listed by
 * the plugins that rejected them, so that an event looks only at pods whose rejectors registered
 * for it. Mirrors kube-scheduler v1.34 `unschedulablePods` of `backend/queue/scheduling_queue.go`.
 */
import type { QueuedPod } from './queued-pod.js';

/** See the file header. */
export class UnschedulablePods {
  readonly #pods = new Map<string, QueuedPod>();
  readonly #byPlugin = new Map<string, Set<QueuedPod>>();
  readonly #gated = new Set<QueuedPod>();
  #nextArrival = 0;

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

  /** Adds a pod, or lists one anew whose rejectors may have changed; it keeps its place then. */
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

  /** The pods that any of these plugins rejected (gated pods: that one of them gates), in order of arrival. */
  rejectedBy(plugins: readonly string[]): QueuedPod[] {
    const found = new Set<QueuedPod>();
    for (const plugin of plugins) {
      for (const info of this.#byPlugin.get(plugin) ?? []) found.add(info);
    }
    return [...found].sort((a, b) => a.arrival - b.arrival);
  }

  clear(): void {
    this.#pods.clear();
    this.#byPlugin.clear();
    this.#gated.clear();
  }

  #list(info: QueuedPod): void {
    // An event that does not interest the gating plugin never moves a gated pod.
    const plugins = info.gatingPlugin === undefined ? info.rejectors() : [info.gatingPlugin];
    info.indexedUnder = plugins;
    if (info.gatingPlugin !== undefined) this.#gated.add(info);
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
    this.#gated.delete(info);
  }
}
