/**
 * What a controller has asked for and not yet seen in its cache. A controller that created ten pods
 * must not create ten more because its cache is late. Mirrors kube-controller-manager v1.34
 * UIDTrackingControllerExpectations.
 */
import type { Clock } from '../../kernel/engine/clock.js';

/** Milliseconds after which unmet expectations no longer hold a sync up. */
export const EXPECTATIONS_TIMEOUT_MS = 5 * 60_000;

const NOTHING: readonly string[] = [];

interface Expected {
  creations: number;
  /** Keys of objects for which a deletion was requested. */
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
    this.expect(key, count, NOTHING);
  }

  /** Replaces the expectations of a key by the deletion of these objects. */
  expectDeletions(key: string, objectKeys: readonly string[]): void {
    this.expect(key, 0, objectKeys);
  }

  /** Replaces the expectations of a key by `count` creations and the deletion of these objects. */
  expect(key: string, count: number, objectKeys: readonly string[]): void {
    const deletions = objectKeys.length === 0 ? undefined : new Set(objectKeys);
    this.#byKey.set(key, { creations: count, deletions, sinceMs: this.#clock.now() });
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

  /** Drops a key once its object is gone. */
  drop(key: string): void {
    this.#byKey.delete(key);
  }
}
