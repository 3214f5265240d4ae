/** Writes what Reserve has decided into claims, one after the other (`bindClaim` of kube-scheduler v1.34). */
import { CLAIM_FINALIZER, type AllocationResult, type ResourceClaim } from '../../../api/objects/device-objects.js';
import { isReservedFor } from '../../../api/devices/pod-claims.js';
import { ApiError } from '../../../api/errors/api-error.js';
import { keyOf, type KubeObject, type Pod } from '../../../api/objects/objects.js';
import { assert } from '../../../kernel/assert.js';
import type { ClaimTracker, DeviceHandle } from './claim-tracker.js';

/** client-go's DefaultRetry. */
const MOST_TRIES = 5;
const RETRY_MS = 10;

/** What binding works with. */
export interface ClaimBindingOptions {
  readonly handle: DeviceHandle;
  readonly tracker: ClaimTracker;
  readonly pod: Pod;
  /** Claims by their place in the pod; those that are written are replaced. */
  readonly claims: ResourceClaim[];
  /** What is to be allocated, by the place of the claim. */
  readonly allocations: ReadonlyMap<number, AllocationResult>;
  /** Told once, with what went wrong if something did. */
  readonly done: (problem: string | undefined) => void;
}

/** Binds all claims of a pod. */
export function bindClaims(options: ClaimBindingOptions): void {
  bindFrom(options, 0);
}

function bindFrom(options: ClaimBindingOptions, index: number): void {
  const { claims, pod, tracker, allocations, done } = options;
  const claim = claims[index];
  if (claim === undefined) {
    done(undefined);
    return;
  }
  if (isReservedFor(pod, claim)) {
    bindFrom(options, index + 1);
    return;
  }
  const allocation = allocations.get(index);
  const write = new ClaimWrite(options.handle, pod, allocation, (outcome) => {
    if (typeof outcome !== 'string') {
      claims[index] = outcome;
      if (allocation !== undefined) tracker.assume(outcome);
    }
    if (allocation !== undefined) tracker.land(claim);
    if (typeof outcome === 'string') done(outcome);
    else bindFrom(options, index + 1);
  });
  write.try(claim);
}

/** The claim as it is stored at last, or what went wrong. */
type Outcome = ResourceClaim | string;

class ClaimWrite {
  readonly #handle: DeviceHandle;
  readonly #pod: Pod;
  readonly #allocation: AllocationResult | undefined;
  readonly #done: (outcome: Outcome) => void;
  #tries = 0;

  constructor(
    handle: DeviceHandle,
    pod: Pod,
    allocation: AllocationResult | undefined,
    done: (outcome: Outcome) => void,
  ) {
    this.#handle = handle;
    this.#pod = pod;
    this.#allocation = allocation;
    this.#done = done;
  }

  try(claim: ResourceClaim): void {
    this.#tries += 1;
    const shown = keyOf(claim);
    if (claim.metadata.deletionTimestamp !== undefined) {
      this.#done(`claim ${shown} got deleted in the meantime`);
      return;
    }
    if (this.#allocation === undefined) {
      this.#writeStatus(claim);
      return;
    }
    if (claim.status.allocation !== undefined) {
      this.#done(`claim ${shown} got allocated elsewhere in the meantime`);
      return;
    }
    const { finalizers = [] } = claim.metadata;
    if (finalizers.includes(CLAIM_FINALIZER)) {
      this.#writeStatus(claim);
      return;
    }
    const kept = { ...claim, metadata: { ...claim.metadata, finalizers: [...finalizers, CLAIM_FINALIZER] } };
    assert(this.#handle.update !== undefined, `DynamicResources needs a handle that writes, to bind claim ${shown}`);
    this.#handle.update('ResourceClaim', kept, (error, stored) => {
      if (error === undefined) this.#writeStatus((stored ?? kept) as ResourceClaim);
      else this.#failed(claim, error, `add finalizer to claim ${shown}`);
    });
  }

  #writeStatus(claim: ResourceClaim): void {
    const { name, uid } = this.#pod.metadata;
    const allocation = this.#allocation;
    const consumer = { resource: 'pods', name, uid };
    const next = {
      ...claim,
      status: {
        ...claim.status,
        ...(allocation === undefined ? {} : { allocation }),
        reservedFor: [...(claim.status.reservedFor ?? []), consumer],
      },
    };
    const what = allocation === undefined ? 'add reservation to claim' : 'add allocation and reservation to claim';
    assert(this.#handle.updateStatus !== undefined, 'DynamicResources needs a handle that writes statuses');
    this.#handle.updateStatus('ResourceClaim', next, (error, stored) => {
      if (error === undefined) this.#done((stored ?? next) as ResourceClaim);
      else this.#failed(claim, error, `${what} ${keyOf(claim)}`);
    });
  }

  /** A conflict is tried again with the claim as it is then. */
  #failed(claim: ResourceClaim, error: Error, what: string): void {
    const isConflict = error instanceof ApiError && error.reason === 'Conflict';
    const handle = this.#handle;
    if (!isConflict || this.#tries >= MOST_TRIES || handle.fetch === undefined) {
      this.#done(`${what}: ${error.message}`);
      return;
    }
    handle.clock.schedule(RETRY_MS, () => {
      handle.fetch?.('ResourceClaim', keyOf(claim), (problem, stored: KubeObject | undefined) => {
        if (stored !== undefined) this.try(stored as ResourceClaim);
        else this.#done(`get updated claim ${keyOf(claim)} after conflict: ${problem?.message ?? 'not found'}`);
      });
    });
  }
}
