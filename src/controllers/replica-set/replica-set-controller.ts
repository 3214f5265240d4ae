/**
 * The replica set controller: as many active pods as the specification says, and a status that tells
 * what it saw. It never looks inside a pod template and never schedules anything. Mirrors
 * kube-controller-manager v1.34 pkg/controller/replicaset; as there, it keeps replication controllers
 * too (replica-kind.ts), in a second controller.
 *
 * One deliberate difference: counts follow the cache event by event (pod-ledger.ts), and syncs that
 * only report are spaced by the number of pods, which stands for the time that upstream's sync takes.
 */
import type { Pod, ReplicaSet } from '../../api/objects/objects.js';
import { adoptAndRelease } from '../shared/adoption.js';
import { isPodActive } from '../shared/pod-state.js';
import {
  defineController,
  type ControllerContext,
  type ControllerDefinition,
} from '../runtime/controller-definition.js';
import { availabilityOf } from './availability.js';
import { BURST_REPLICAS, createPods, deletePods } from './manage-replicas.js';
import type { PodLedger, PodTally } from './pod-ledger.js';
import { podsToDelete } from './ranking.js';
import { REPLICA_SETS, REPLICATION_CONTROLLERS, type ReplicaKind } from './replica-kind.js';
import { ReplicaSetMemory } from './replica-set-memory.js';
import { statusOf, writeStatus } from './replica-set-status.js';
import { isSameJson } from '../../api/values/canonical-json.js';

/** See the file header. */
export const replicaSetController = replicaController('replicaset-controller', 'replicaset-controller', REPLICA_SETS);

/** Keeps the pods of replication controllers. */
export const replicationController = replicaController(
  'replicationcontroller-controller',
  'replication-controller',
  REPLICATION_CONTROLLERS,
);

function replicaController(name: string, component: string, kind: ReplicaKind): ControllerDefinition<ReplicaSetMemory> {
  return defineController({
    name,
    component,
    setup: (context) => new ReplicaSetMemory(context, kind),
    reconcile(context, key, memory) {
      const replicaSet = memory.replicaSets.getByKey(key);
      if (replicaSet === undefined) {
        memory.forget(key);
        return undefined;
      }
      return new ReplicaSetSync(context, memory, key, replicaSet).run();
    },
  });
}

/** One sync of one replica set. */
class ReplicaSetSync {
  readonly #context: ControllerContext;
  readonly #memory: ReplicaSetMemory;
  readonly #key: string;
  readonly #replicaSet: ReplicaSet;
  readonly #ledger: PodLedger;
  readonly #startMs: number;

  constructor(context: ControllerContext, memory: ReplicaSetMemory, key: string, replicaSet: ReplicaSet) {
    this.#context = context;
    this.#memory = memory;
    this.#key = key;
    this.#replicaSet = replicaSet;
    this.#ledger = memory.ledgerOf(replicaSet);
    this.#startMs = context.kernel.clock.now();
  }

  /** Nearly all syncs find nothing to do but, perhaps, to report; they cost no promise. */
  run(): Promise<void> | void {
    const isFree = this.#memory.expectations.isSatisfied(this.#key);
    if (this.#ledger.needsAdoption) return this.#adoptAndManage(isFree);
    const { tally } = this.#ledger;
    if (isFree && this.#differenceOf(tally) !== 0) return this.#manage(tally, []);
    return this.#report(tally, [], undefined);
  }

  async #adoptAndManage(isFree: boolean): Promise<void> {
    const { metadata } = this.#replicaSet;
    const { selector, tally } = this.#ledger;
    this.#ledger.needsAdoption = false;
    const adoption = {
      api: this.#context.api,
      owner: this.#replicaSet,
      ownerKind: this.#memory.kind,
      kind: 'Pod',
      selector,
    } as const;
    const strays = [...this.#memory.podsOf(metadata.uid)].filter(
      (pod) => isPodActive(pod) && !selector.matches(pod.metadata.labels),
    );
    const orphans = [...this.#memory.orphansIn(metadata.namespace)].filter(
      (pod) => isPodActive(pod) && selector.matches(pod.metadata.labels),
    );
    let adopted: Pod[];
    try {
      const candidates = [...strays, ...orphans];
      const kept = new Set((await adoptAndRelease(adoption, candidates)).map((pod) => pod.metadata.uid));
      // As upstream they count as they were when the sync began.
      adopted = candidates.filter((pod) => kept.has(pod.metadata.uid));
    } catch (error) {
      this.#ledger.needsAdoption = true;
      throw error;
    }
    const extra = this.#ledger.tallyOf(adopted);
    const seen = {
      active: tally.active + extra.active,
      ready: tally.ready + extra.ready,
      labelled: tally.labelled + extra.labelled,
    };
    if (isFree && this.#differenceOf(seen) !== 0) await this.#manage(seen, adopted);
    else await this.#report(seen, adopted, undefined);
  }

  /** Active pods beyond the wish, negative when some are missing; a replica set on its way out wants nothing. */
  #differenceOf({ active }: PodTally): number {
    const { metadata, spec } = this.#replicaSet;
    return metadata.deletionTimestamp === undefined ? active - (spec.replicas ?? 1) : 0;
  }

  async #manage(seen: PodTally, adopted: readonly Pod[]): Promise<void> {
    const { expectations } = this.#memory;
    const difference = this.#differenceOf(seen);
    const available = this.#availabilityOf(seen, adopted);
    const failure =
      difference < 0
        ? await createPods(this.#context, expectations, this.#replicaSet, this.#ledger, -difference)
        : await deletePods(this.#context, expectations, this.#replicaSet, this.#choose(difference, adopted));
    await this.#report(seen, adopted, failure, available);
    if (failure !== undefined) throw failure;
  }

  #choose(excess: number, adopted: readonly Pod[]): Pod[] {
    const ranks = this.#memory.rosterOf(this.#replicaSet).ranks(adopted);
    return podsToDelete(ranks, Math.min(excess, BURST_REPLICAS), this.#startMs, this.#context.mapOrder);
  }

  /** Active pods that the replica set owns and selects. */
  #active(adopted: readonly Pod[]): Pod[] {
    const pods = [...adopted];
    const { selector, uid } = this.#ledger;
    for (const pod of this.#memory.podsOf(uid)) {
      if (
        isPodActive(pod) &&
        selector.matches(pod.metadata.labels) &&
        !adopted.some(({ metadata }) => metadata.uid === pod.metadata.uid)
      ) {
        pods.push(pod);
      }
    }
    return pods;
  }

  #availabilityOf({ ready }: PodTally, adopted: readonly Pod[]): ReturnType<typeof availabilityOf> {
    const { minReadySeconds = 0 } = this.#replicaSet.spec;
    if (minReadySeconds === 0 || ready === 0) return { available: ready, nextInMs: undefined };
    return availabilityOf(this.#active(adopted), minReadySeconds, this.#startMs, this.#context.kernel.timestamps);
  }

  #report(
    seen: PodTally,
    adopted: readonly Pod[],
    failure: Error | undefined,
    { available, nextInMs } = this.#availabilityOf(seen, adopted),
  ): Promise<void> | void {
    const { api, kernel, queue } = this.#context;
    if (nextInMs !== undefined) queue.addAfter(this.#key, this.#startMs + nextInMs - kernel.clock.now());
    const status = statusOf(this.#replicaSet, {
      tally: seen,
      available,
      failure,
      timestamp: this.#context.timestamp(),
    });
    if (isSameJson(status, this.#replicaSet.status)) return undefined;
    return writeStatus(api, this.#memory.kind, this.#replicaSet, status);
  }
}
