/**
 * What a controller has asked for and not yet seen in its cache. A controller that created ten pods
 * must not create ten more because its cache is late. Mirrors kube-controller-manager v1.34
 * UIDTrackingControllerExpectations.
 */
import type { Clock } from '../../kernel/clock.js';

/** Milliseconds after which unmet expectations no longer hold anybody up. */
export const EXPECTATIONS_TIMEOUT_MS = 5 * 60_000;

interface Expected {
  creations: number;
  /** Keys of objects whose deletion was asked for. */
  deletions: Set<string> | undefined;
  readonly sinceMs: number;
}

/** See the file header. Keys are those of the controller's work queue. */
export class Expectations {
  readonly #clock: Clock;
  readonly #byKey = new Map<string, Expected>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces the expectations of a key by `count` creations. */
  expectCreations(key: string, count: number): void {
    this.#byKey.set(key, { creations: count, deletions: undefined, sinceMs: this.#clock.now() });
  }

  /** Replaces the expectations of a key by the deletion of these objects. */
  expectDeletions(key: string, objectKeys: readonly string[]): void {
    this.#byKey.set(key, { creations: 0, deletions: new Set(objectKeys), sinceMs: this.#clock.now() });
  }

  /** A creation was seen, or will never come. */
  creationObserved(key: string, count = 1): void {
    const expected = this.#byKey.get(key);
    if (expected !== undefined) expected.creations -= count;
  }

  /** A deletion was seen, or will never come; seeing the same one twice counts once. */
  deletionObserved(key: string, objectKey: string): void {
    this.#byKey.get(key)?.deletions?.delete(objectKey);
  }

  /** Whether everything was seen, nothing is expected, or the wait has lasted too long. */
  isSatisfied(key: string): boolean {
    const expected = this.#byKey.get(key);
    if (expected === undefined) return true;
    if (expected.creations <= 0 && (expected.deletions?.size ?? 0) === 0) return true;
    return this.#clock.now() - expected.sinceMs > EXPECTATIONS_TIMEOUT_MS;
  }

  /** Forgets a key whose object is gone. */
  drop(key: string): void {
    this.#byKey.delete(key);
  }
}
