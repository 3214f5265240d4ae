/**
 * A node's heartbeat without a beat: the lease is created once, and what readers see of it is computed.
 * Its renew time is the last one of the node's ten-second marks at which the kubelet ran and its link
 * was up. Mirrors the lease controller of the kubelet (component-helpers/apimachinery/lease, v1.34).
 */
import type { DraftOf, Lease } from '../api/objects.js';
import type { Kernel } from '../kernel/kernel.js';

/** Namespace of all node leases. */
const LEASE_NAMESPACE = 'kube-node-lease';

const LEASE_DURATION_SECONDS = 40;
/** A quarter of the lease's duration. */
export const RENEW_INTERVAL_MS = 10_000;

/** See the file header. */
export class NodeLease {
  readonly #kernel: Kernel;
  readonly #node: string;
  readonly #phaseMs: number;
  /** Last renewal before the present stretch of contact. */
  #renewedMs: number | undefined;
  /** Since when the kubelet has been in contact; `undefined` while it is not. */
  #inContactSinceMs: number | undefined;

  /** @param phaseMs - offset of the node's marks, 0..9999 */
  constructor(kernel: Kernel, node: string, phaseMs: number) {
    this.#kernel = kernel;
    this.#node = node;
    this.#phaseMs = phaseMs;
  }

  /** The kubelet runs and its link is up, from now on. */
  resume(): void {
    this.#inContactSinceMs ??= this.#kernel.clock.now();
  }

  /** The kubelet ended, or its link was cut, now. */
  pause(): void {
    this.#renewedMs = this.#lastRenewalMs();
    this.#inContactSinceMs = undefined;
  }

  /** The object as it is created; the creation is its first renewal. */
  draft(nodeUid: string | undefined): DraftOf<'Lease'> {
    this.#renewedMs = this.#kernel.clock.now();
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
        renewTime: this.#kernel.timestamps.toMicroTime(this.#renewedMs),
      },
    };
  }

  /** What a reader sees now. */
  view(stored: Lease): Lease {
    const renewedMs = this.#lastRenewalMs();
    if (renewedMs === undefined) return stored;
    const renewTime = this.#kernel.timestamps.toMicroTime(renewedMs);
    return stored.spec?.renewTime === renewTime ? stored : { ...stored, spec: { ...stored.spec, renewTime } };
  }

  #lastRenewalMs(): number | undefined {
    if (this.#inContactSinceMs === undefined) return this.#renewedMs;
    const periods = Math.floor((this.#kernel.clock.now() - this.#phaseMs) / RENEW_INTERVAL_MS);
    const markMs = periods * RENEW_INTERVAL_MS + this.#phaseMs;
    if (markMs < this.#inContactSinceMs) return this.#renewedMs;
    return Math.max(markMs, this.#renewedMs ?? markMs);
  }
}
