/**
 * Pods that have lost their finalizer, which the cache may not show yet: they have been counted.
 * Mirrors kube-controller-manager v1.34 uidTrackingExpectations.
 */
export class FinalizerReleases {
  readonly #uidsByJob = new Map<string, Set<string>>();

  /** The finalizers of these pods are being taken off. */
  expect(job: string, uids: readonly string[]): void {
    const known = this.#uidsByJob.get(job);
    if (known === undefined) this.#uidsByJob.set(job, new Set(uids));
    else for (const uid of uids) known.add(uid);
  }

  /** The cache shows it, or it will not happen. */
  observed(job: string, uid: string): void {
    const known = this.#uidsByJob.get(job);
    if (known?.delete(uid) === true && known.size === 0) this.#uidsByJob.delete(job);
  }

  isExpected(job: string, uid: string): boolean {
    return this.#uidsByJob.get(job)?.has(uid) === true;
  }

  /** Forgets a job. */
  drop(job: string): void {
    this.#uidsByJob.delete(job);
  }
}
