/**
 * Outcomes of dry runs by slot, for pods of one kind: what the choice among candidates goes by stands in
 * columns, so that hundreds of them are compared without a look at any object.
 */
import type { Status } from '../framework/status.js';
import type { Candidate } from './candidate.js';

/** What is known of a node; 0 = nothing. */
export const Known = { Nothing: 0, Rejected: 1, Candidate: 2, ViolatingCandidate: 3 } as const;

/** What candidates are compared by first; those that have it in common share one number. */
export interface Tier {
  readonly violations: number;
  /** Priority of the most important victim. */
  readonly highestPriority: number;
  /** Sum over the victims; each priority is raised by 2^31 first, so that more victims never weigh less. */
  readonly prioritySum: number;
  readonly victimCount: number;
}

/** See the file header. */
export class TrialTable {
  /** Entries of {@link Known}. */
  known = new Uint8Array(0);
  /** Index into `tiers`. */
  tier = new Int32Array(0);
  /** When the first of the victims with the highest priority started, simulated milliseconds; or Infinity = not yet. */
  earliestStartMs = new Float64Array(0);
  readonly tiers: Tier[] = [];
  readonly #tierByContent = new Map<string, number>();
  /** Nodes that are tried together tend to be alike. */
  #lastTier = 0;
  readonly #results: (Candidate | Status | undefined)[] = [];
  /** Slots with an outcome that holds for the present preemption only. */
  #momentary: number[] = [];

  /** Forgets everything, and makes room for so many slots. */
  reset(capacity: number): void {
    this.#momentary = [];
    this.tiers.length = 0;
    this.#tierByContent.clear();
    if (this.known.length >= capacity) {
      this.known.fill(Known.Nothing);
      return;
    }
    this.known = new Uint8Array(capacity);
    this.tier = new Int32Array(capacity);
    this.earliestStartMs = new Float64Array(capacity);
  }

  forget(slot: number): void {
    this.known[slot] = Known.Nothing;
  }

  /** Forgets what held for the last preemption only. */
  forgetMomentary(): void {
    if (this.#momentary.length === 0) return;
    for (const slot of this.#momentary) this.forget(slot);
    this.#momentary = [];
  }

  /** What is, or will be, known of a node is forgotten after this preemption. */
  makeMomentary(slot: number): void {
    this.#momentary.push(slot);
  }

  noteRejected(slot: number, status: Status): void {
    this.known[slot] = Known.Rejected;
    this.#results[slot] = status;
  }

  noteCandidate(slot: number, candidate: Candidate, tier: Tier, earliestStartMs: number): void {
    this.known[slot] = candidate.violations === 0 ? Known.Candidate : Known.ViolatingCandidate;
    this.#results[slot] = candidate;
    this.tier[slot] = this.#numberOf(tier);
    this.earliestStartMs[slot] = earliestStartMs;
  }

  candidateAt(slot: number): Candidate {
    return this.#results[slot] as Candidate;
  }

  statusAt(slot: number): Status {
    return this.#results[slot] as Status;
  }

  #numberOf(tier: Tier): number {
    const { violations, highestPriority, prioritySum, victimCount } = tier;
    const last = this.tiers[this.#lastTier];
    if (
      last !== undefined &&
      last.violations === violations &&
      last.highestPriority === highestPriority &&
      last.prioritySum === prioritySum &&
      last.victimCount === victimCount
    ) {
      return this.#lastTier;
    }
    const content = `${violations}/${highestPriority}/${prioritySum}/${victimCount}`;
    let number = this.#tierByContent.get(content);
    if (number === undefined) {
      number = this.tiers.push(tier) - 1;
      this.#tierByContent.set(content, number);
    }
    this.#lastTier = number;
    return number;
  }
}
