/**
 * A node's heartbeat without a beat: the lease is created once, and what readers see of it is computed.
 * Its renew time is the last one of the node's ten-second marks at which the kubelet ran and its link
 * was steady. Mirrors the lease controller of the kubelet (component-helpers/apimachinery/lease, v1.34).
 */
import type { DraftOf } from '../../api/objects/objects.js';
import type { Renewals } from '../../api/objects/renewals.js';
import type { Kernel } from '../../kernel/engine/kernel.js';

/** Namespace of all node leases. */
export const LEASE_NAMESPACE = 'kube-node-lease';

const LEASE_DURATION_SECONDS = 40;
/** A quarter of the lease's duration. */
export const RENEW_INTERVAL_MS = 10_000;

/** Says how a node's lease is renewed from now on; `undefined` = no longer. Told back when it is gone meanwhile. */
export type RenewLease = (renewals: Renewals | undefined, onGone?: () => void) => void;

/** See the file header. */
export class NodeLease {
  readonly #kernel: Kernel;
  readonly #node: string;
  readonly #phaseMs: number;
  readonly #renew: RenewLease;
  #isInContact = false;
  /** Told when the lease is gone while it is renewed: the next renewal will not find it. */
  onGone: () => void = () => undefined;

  /** @param phaseMs - offset of the node's marks, 0..9999 */
  constructor(kernel: Kernel, node: string, phaseMs: number, renew: RenewLease = () => undefined) {
    this.#kernel = kernel;
    this.#node = node;
    this.#phaseMs = phaseMs;
    this.#renew = renew;
  }

  /** The kubelet runs and its link is steady, from now on. */
  resume(): void {
    if (this.#isInContact) return;
    this.#isInContact = true;
    const marks = Math.ceil((this.#kernel.clock.now() - this.#phaseMs) / RENEW_INTERVAL_MS);
    const firstMs = marks * RENEW_INTERVAL_MS + this.#phaseMs;
    this.#renew({ firstMs, periodMs: RENEW_INTERVAL_MS }, () => this.onGone());
  }

  /** The kubelet ended, or its link is no longer steady, now. */
  pause(): void {
    if (!this.#isInContact) return;
    this.#isInContact = false;
    this.#renew(undefined);
  }

  /** The object as it is created; the creation is its first renewal. */
  draft(nodeUid: string | undefined): DraftOf<'Lease'> {
    const owner =
      nodeUid === undefined ? undefined : { apiVersion: 'v1', kind: 'Node', name: this.#node, uid: nodeUid };
    return {
      metadata: {
        name: this.#node,
        namespace: LEASE_NAMESPACE,
        ...(owner === undefined ? {} : { ownerReferences: [owner] }),
      },
      spec: {
        holderIdentity: this.#node,
        leaseDurationSeconds: LEASE_DURATION_SECONDS,
        renewTime: this.#kernel.timestamps.toMicroTime(this.#kernel.clock.now()),
      },
    };
  }
}
