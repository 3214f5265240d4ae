/**
 * Pod garbage collection: the only controller that removes pods without their kubelets, where no
 * kubelet will: pods of nodes that are gone or declared out of service, pods that were never bound, and
 * terminated pods beyond a number. It looks every 20 s, but only while there is something to look at.
 * Mirrors kube-controller-manager v1.34 pkg/controller/podgc.
 */
import type { Pod } from '../../api/objects/objects.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import { forceDelete, type CollectionReason } from './force-delete.js';
import { PodGcMemory } from './pod-gc-memory.js';
import { isDownForGood, isTerminatedPhase, podsInOrder } from './pod-selection.js';

const ORPHANED = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByPodGC',
  message: 'PodGC: node no longer exists',
} as const;

/** See the file header. */
export const podGarbageCollector = defineController({
  name: 'pod-garbage-collector-controller',
  concurrentSyncs: 1,
  setup: (context) => new PodGcMemory(context),
  async reconcile(context, _key, memory) {
    memory.tickBegins();
    await new Tick(context, memory).run();
    memory.tickEnds();
  },
});

/** One look, over the pods as the cache shows them at its start. */
class Tick {
  readonly #context: ControllerContext;
  readonly #memory: PodGcMemory;
  readonly #pods: readonly Pod[];

  constructor(context: ControllerContext, memory: PodGcMemory) {
    this.#context = context;
    this.#memory = memory;
    this.#pods = memory.candidates();
  }

  async run(): Promise<void> {
    await this.#collectTerminated();
    await this.#collectOutOfService();
    await this.#collectOrphaned();
    await this.#collectUnscheduled();
  }

  async #collectTerminated(): Promise<void> {
    const { terminatedPodGCThreshold: threshold } = this.#context.settings;
    if (threshold <= 0) return;
    const terminated = this.#pods.filter(({ status }) => isTerminatedPhase(status.phase));
    const excess = Math.max(0, terminated.length - threshold);
    await this.#deleteAll(podsInOrder(terminated).slice(0, excess), 'terminated');
  }

  async #collectOutOfService(): Promise<void> {
    const terminating = this.#pods.filter(({ metadata, spec }) => {
      if (metadata.deletionTimestamp === undefined || spec.nodeName === undefined) return false;
      const node = this.#memory.nodes.getByKey(spec.nodeName);
      return node !== undefined && isDownForGood(node);
    });
    await this.#deleteAll(podsInOrder(terminating), 'out-of-service');
  }

  /** A node that the cache does not show is asked for once more, after its quarantine. */
  async #collectOrphaned(): Promise<void> {
    const gone = new Set<string>();
    for (const name of this.#memory.quarantined(this.#pods)) if (await this.#isGone(name)) gone.add(name);
    for (const pod of this.#pods) {
      if (!gone.has(pod.spec.nodeName ?? '')) continue;
      await forceDelete(this.#context, pod, 'orphaned', {
        ...ORPHANED,
        ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
        lastProbeTime: null,
        lastTransitionTime: this.#context.timestamp(),
      });
    }
  }

  /** By a request of its own beside the cache; a request without an answer spares the node until the next look. */
  async #isGone(name: string): Promise<boolean> {
    if (this.#memory.nodes.getByKey(name) !== undefined) return false;
    return (await this.#memory.lookUp(name)) === 'absent';
  }

  async #collectUnscheduled(): Promise<void> {
    const unscheduled = this.#pods.filter(
      ({ metadata, spec }) => metadata.deletionTimestamp !== undefined && (spec.nodeName ?? '') === '',
    );
    await this.#deleteAll(podsInOrder(unscheduled), 'unscheduled');
  }

  async #deleteAll(pods: readonly Pod[], reason: CollectionReason): Promise<void> {
    await Promise.all(pods.map((pod) => forceDelete(this.#context, pod, reason)));
  }
}
