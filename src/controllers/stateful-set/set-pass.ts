/**
 * One pass over the pods of a set, in the order in which upstream goes: every ordinal that should have a
 * pod, lowest first; pods of other ordinals, highest first; then the update, highest first. With the policy
 * OrderedReady each action and each wait ends the pass; with Parallel only failures do, but the update
 * still goes pod by pod.
 *
 * A pod object is a lock: while one is there, even one that is ending on an unreachable node, its
 * ordinal gets no other. Mirrors kube-controller-manager v1.34
 * pkg/controller/statefulset/stateful_set_control.go.
 */
import { isApiError } from '../../api/errors/api-error.js';
import { isPodTerminal } from '../../api/objects/conditions.js';
import type { ControllerRevision, Pod, StatefulSet } from '../../api/objects/objects.js';
import { hasStorage } from './claim-templates.js';
import { hasIdentity, isInRange, replicasOf, revisionOf, startOf, type Seat } from './identity.js';
import { isRunningAndReady, isTerminating, type Availability } from './pod-health.js';
import type { PodWriter } from './pod-writer.js';
import type { SetRevisions } from './set-revisions.js';
import { countsOf, type SetCounts } from './set-status.js';
import type { MapOrder } from '../runtime/map-order.js';
import { inBatches } from './batches.js';

/** Whether a step lets the pass go on; only OrderedReady asks. */
type Verdict = 'go on' | 'stop';
type Step = Verdict | Promise<Verdict>;

/** What a pass found and did. */
export interface PassResult {
  readonly counts: SetCounts;
  /** The first refusal. */
  readonly failure: Error | undefined;
}

/** What a pass works with. */
export interface PassMeans {
  readonly set: StatefulSet;
  readonly revisions: SetRevisions;
  readonly availability: Availability;
  readonly writer: PodWriter;
  /** Called with each claim that has to go before the pass can go on. */
  readonly onStaleClaim: (claimKey: string) => void;
  readonly mapOrder: MapOrder | undefined;
}

/** See the file header. */
export class SetPass {
  readonly #means: PassMeans;
  readonly #set: StatefulSet;
  readonly #isOrdered: boolean;
  readonly #replicas: (Pod | undefined)[];
  readonly #condemned: readonly Seat[];
  readonly #seats: readonly Seat[];

  constructor(means: PassMeans, seats: readonly Seat[]) {
    const { set } = means;
    this.#means = means;
    this.#set = set;
    this.#seats = seats;
    this.#isOrdered = set.spec.podManagementPolicy !== 'Parallel';
    this.#replicas = Array.from({ length: replicasOf(set) });
    const condemned: Seat[] = [];
    for (const seat of seats) {
      if (isInRange(set, seat.ordinal)) this.#replicas[seat.ordinal - startOf(set)] = seat.pod;
      else condemned.push(seat);
    }
    this.#condemned = condemned.sort((left, right) => right.ordinal - left.ordinal);
  }

  /** Goes through the pods as far as this pass may. */
  async run(): Promise<PassResult> {
    const { revisions, availability } = this.#means;
    const counts = countsOf(this.#seats, revisions, availability);
    if (this.#set.metadata.deletionTimestamp !== undefined) return { counts, failure: undefined };
    try {
      const isThrough = (await this.#keepReplicas()) && (await this.#settleClaims()) && (await this.#removeCondemned());
      if (isThrough && (await this.#update())) counts.current -= 1;
    } catch (error) {
      return { counts, failure: error as Error };
    }
    return { counts, failure: undefined };
  }

  #keepReplicas(): Promise<boolean> {
    const { mapOrder } = this.#means;
    const start = startOf(this.#set);
    return this.#forAll(
      this.#replicas,
      (pod, index) => this.#keepReplica(pod, start + index),
      mapOrder && ((left, right) => mapOrder.ordinals(this.#set, start + left, start + right)),
    );
  }

  #settleClaims(): Promise<boolean> {
    const { writer } = this.#means;
    return this.#forAll(this.#condemned, (seat) => {
      if (writer.hasWantedOwners(seat)) return 'go on';
      return writer.settleOwners(seat).then(goOn);
    });
  }

  #removeCondemned(): Promise<boolean> {
    const first = this.#firstUnavailable();
    return this.#forAll(this.#condemned, ({ pod }) => this.#removeOne(pod, pod === first));
  }

  #keepReplica(pod: Pod | undefined, ordinal: number): Step {
    const { writer } = this.#means;
    if (pod === undefined) return this.#createReplica(ordinal);
    if (isPodTerminal(pod)) return isTerminating(pod) ? 'stop' : writer.delete(pod).then(stop);
    if (pod.status.phase === 'Pending' && this.#set.spec.volumeClaimTemplates !== undefined) {
      return writer.completeClaims({ ordinal, pod }).then(() => this.#keep(ordinal, pod));
    }
    return this.#keep(ordinal, pod);
  }

  /** An ordinal has to wait for the end of a claim of its own that is on its way out. */
  #createReplica(ordinal: number): Step {
    const { writer, onStaleClaim } = this.#means;
    const staleClaim = writer.staleClaimOf(ordinal);
    if (staleClaim === undefined) return writer.create(ordinal, this.#plannedRevision(ordinal)).then(stop);
    onStaleClaim(staleClaim);
    return 'stop';
  }

  #keep(ordinal: number, pod: Pod): Step {
    const { writer, availability } = this.#means;
    if (this.#isOrdered && (!isRunningAndReady(pod) || availability.isUnavailable(pod))) return 'stop';
    const seat = { ordinal, pod };
    if (hasIdentity(pod) && hasStorage(this.#set, ordinal, pod) && writer.hasWantedOwners(seat)) return 'go on';
    return writer.repair(seat).then(goOn);
  }

  #removeOne(pod: Pod, isFirstUnavailable: boolean): Step {
    const { writer, availability } = this.#means;
    if (isTerminating(pod)) return 'stop';
    const isHealthy = isRunningAndReady(pod) && availability.isAvailable(pod);
    if (this.#isOrdered && !isHealthy && !isFirstUnavailable) return 'stop';
    return writer.delete(pod).then(stop);
  }

  /** Deletes the highest pod of another revision, unless one above it is not available yet; whether it did. */
  async #update(): Promise<boolean> {
    const { revisions, writer, availability } = this.#means;
    const { type, rollingUpdate } = this.#set.spec.updateStrategy ?? {};
    if (type === 'OnDelete') return false;
    for (let index = this.#replicas.length - 1; index >= (rollingUpdate?.partition ?? 0); index -= 1) {
      const pod = this.#replicas[index];
      if (pod === undefined) return false;
      if (revisionOf(pod) !== revisions.update.metadata.name && !isTerminating(pod)) {
        await writer.delete(pod).catch((error: unknown) => {
          if (!isApiError(error, 'NotFound')) throw error;
        });
        return true;
      }
      if (availability.isUnavailable(pod)) return false;
    }
    return false;
  }

  /** Of the lowest ordinal, those that should have a pod before the condemned ones; `undefined` if that has none. */
  #firstUnavailable(): Pod | undefined {
    const { availability } = this.#means;
    const index = this.#replicas.findIndex((pod) => availability.isUnavailable(pod));
    if (index !== -1) return this.#replicas[index];
    return this.#condemned.findLast(({ pod }) => availability.isUnavailable(pod))?.pod;
  }

  /** Ordinals below the partition are made as the others among them are, the rest as the template says now. */
  #plannedRevision(ordinal: number): ControllerRevision {
    const { current, update } = this.#means.revisions;
    const { type, rollingUpdate } = this.#set.spec.updateStrategy ?? {};
    const isRolling = rollingUpdate !== undefined || type === 'RollingUpdate';
    const kept = rollingUpdate === undefined ? (this.#set.status.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
    return isRolling && ordinal < startOf(this.#set) + kept ? current : update;
  }

  /** One after the other until one stops the pass, or all of them in growing batches; whether the pass goes on. */
  async #forAll<T>(
    items: readonly T[],
    step: (item: T, index: number) => Step,
    compare?: (left: number, right: number) => number,
  ): Promise<boolean> {
    if (!this.#isOrdered) {
      await inBatches(items, step, compare);
      return true;
    }
    for (let index = 0; index < items.length; index += 1) {
      const verdict = step(items[index] as T, index);
      if ((typeof verdict === 'string' ? verdict : await verdict) === 'stop') return false;
    }
    return true;
  }
}

const goOn = (): Verdict => 'go on';
const stop = (): Verdict => 'stop';
