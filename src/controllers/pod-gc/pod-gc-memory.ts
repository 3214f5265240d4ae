import { isApiError } from '../../api/errors/api-error.js';
import { keyOf, type Node, type Pod } from '../../api/objects/objects.js';
import { LinkDownError, type Lister } from '../../bus/bus-types.js';
import { BY_NODE } from '../../bus/object-index.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { isDownForGood, isTerminatedPhase } from './pod-selection.js';

/** The one key of this controller: a look at everything. */
const TICK = 'tick';
const PERIOD_MS = 20_000;
const QUARANTINE_MS = 40_000;

/**
 * What a run of pod garbage collection keeps: the pods that a look may have to do with, followed event
 * by event, so that a cluster in which there are none has no looks. A look falls on a multiple of 20 s
 * from the first one, as upstream's do.
 */
export class PodGcMemory {
  readonly nodes: Lister<'Node'>;
  readonly #pods: Lister<'Pod'>;
  readonly #context: ControllerContext;
  /** Pods that have ended, or are being deleted. */
  readonly #leaving = new Set<string>();
  /** Names of nodes that pods are bound to but that the cache does not show. */
  readonly #missing = new Set<string>();
  readonly #outOfService = new Set<string>();
  /** Until when a missing node is left alone. */
  readonly #quarantineEndMs = new Map<string, number>();
  #terminated = 0;
  #terminating = 0;
  #unscheduled = 0;
  #firstMs: number | undefined;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.nodes = context.watch('Node', {
      onAdd: (node) => this.#nodeSeen(node),
      onUpdate: (_previous, node) => this.#nodeSeen(node),
      onDelete: (node) => this.#nodeGone(node),
    });
    this.#pods = context.watch(
      'Pod',
      {
        onAdd: (pod) => this.#podChanged(undefined, pod),
        onUpdate: (previous, pod) => {
          const isBound = previous.spec.nodeName !== pod.spec.nodeName;
          if (isBound || isLeaving(previous) || isLeaving(pod)) this.#podChanged(previous, pod);
        },
        onDelete: (pod) => this.#podChanged(pod, undefined),
      },
      BY_NODE,
    );
    context.queue.add(TICK);
  }

  tickBegins(): void {
    this.#firstMs ??= this.#context.kernel.clock.now();
  }

  tickEnds(): void {
    this.#arm();
  }

  /** The pods that a look has to do with, in order of arrival. */
  candidates(): Pod[] {
    const pods = new Map<string, Pod>();
    for (const key of this.#leaving) {
      const pod = this.#pods.getByKey(key);
      if (pod !== undefined) pods.set(key, pod);
    }
    for (const name of this.#missing) {
      for (const pod of this.#pods.byIndex('node', name)) pods.set(keyOf(pod), pod);
    }
    return [...pods.values()];
  }

  /** Begins the quarantine of nodes that have just been found missing; returns those that have been through it. */
  quarantined(pods: readonly Pod[]): string[] {
    const nowMs = this.#context.kernel.clock.now();
    for (const { spec } of pods) {
      const name = spec.nodeName ?? '';
      if (name === '' || this.nodes.getByKey(name) !== undefined || this.#quarantineEndMs.has(name)) continue;
      this.#quarantineEndMs.set(name, nowMs + QUARANTINE_MS);
    }
    const ended = [...this.#quarantineEndMs].filter(([, endMs]) => endMs <= nowMs).map(([name]) => name);
    for (const name of ended) this.#quarantineEndMs.delete(name);
    return ended;
  }

  /** Asks the API server itself, not the cache. */
  async lookUp(name: string): Promise<'present' | 'absent' | 'unknown'> {
    try {
      await this.#context.api.get('Node', { name });
      return 'present';
    } catch (error) {
      if (isApiError(error, 'NotFound')) return 'absent';
      if (error instanceof LinkDownError) return 'unknown';
      throw error;
    }
  }

  #nodeSeen(node: Node): void {
    const { name } = node.metadata;
    this.#missing.delete(name);
    if (isDownForGood(node)) this.#outOfService.add(name);
    else this.#outOfService.delete(name);
    this.#arm();
  }

  #nodeGone({ metadata: { name } }: Node): void {
    this.#outOfService.delete(name);
    if (this.#hasPods(name)) this.#missing.add(name);
    this.#arm();
  }

  #podChanged(previous: Pod | undefined, pod: Pod | undefined): void {
    if (previous !== undefined) this.#count(previous, -1);
    if (pod !== undefined) this.#count(pod, 1);
    const key = keyOf(pod ?? (previous as Pod));
    if (pod !== undefined && isLeaving(pod)) this.#leaving.add(key);
    else this.#leaving.delete(key);
    const nodeName = pod?.spec.nodeName;
    if (nodeName !== undefined && nodeName !== previous?.spec.nodeName && this.nodes.getByKey(nodeName) === undefined) {
      this.#missing.add(nodeName);
    }
    this.#arm();
  }

  #count(pod: Pod, change: 1 | -1): void {
    if (isTerminatedPhase(pod.status.phase)) this.#terminated += change;
    if (pod.metadata.deletionTimestamp === undefined) return;
    if ((pod.spec.nodeName ?? '') === '') this.#unscheduled += change;
    else this.#terminating += change;
  }

  /** Sets the next look, if one could find anything. */
  #arm(): void {
    if (this.#firstMs === undefined || !this.#hasWork()) return;
    const sinceMs = this.#context.kernel.clock.now() - this.#firstMs;
    this.#context.queue.addAfter(TICK, PERIOD_MS - (sinceMs % PERIOD_MS));
  }

  #hasWork(): boolean {
    const { terminatedPodGCThreshold: threshold } = this.#context.settings;
    if (threshold > 0 && this.#terminated > threshold) return true;
    if (this.#unscheduled > 0 || this.#quarantineEndMs.size > 0) return true;
    if (this.#terminating > 0 && this.#outOfService.size > 0) return true;
    for (const name of this.#missing) {
      if (this.#hasPods(name)) return true;
      this.#missing.delete(name);
    }
    return false;
  }

  #hasPods(nodeName: string): boolean {
    return !this.#pods.byIndex('node', nodeName)[Symbol.iterator]().next().done;
  }
}

function isLeaving({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined || isTerminatedPhase(status.phase);
}
