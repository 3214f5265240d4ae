/**
 * When the controller looks whether a CSI driver has done what it was asked: after half a second, then after
 * ever longer times with some jitter. Only the looks that could show something are taken. Upstream:
 * waitForVolumeAttachDetachStatusWithLister of pkg/volume/csi (v1.34).
 */
import type { RandomStream } from '../../kernel/random.js';

const FIRST_GAP_MS = 500;
const LONGEST_GAP_MS = 7000;
const GROWTH = 1.05;
const JITTER = 0.1;
/** After so long without an answer the attempt has failed. */
const ANSWER_TIMEOUT_MS = 120_000;

/** See the file header. */
export class AttachmentPolls {
  readonly endMs: number;
  readonly #random: RandomStream;
  #gapMs = FIRST_GAP_MS;
  #nextMs: number;

  constructor(random: RandomStream, nowMs: number) {
    this.#random = random;
    this.endMs = nowMs + ANSWER_TIMEOUT_MS;
    this.#nextMs = nowMs;
    this.#advance();
  }

  /** The first look that is not before that time. */
  notBefore(atMs: number): number {
    while (this.#nextMs < atMs) this.#advance();
    return this.#nextMs;
  }

  #advance(): void {
    this.#nextMs = Math.ceil(this.#nextMs + this.#gapMs * (1 + JITTER * this.#random.unit()));
    this.#gapMs = Math.min(this.#gapMs * GROWTH, LONGEST_GAP_MS);
  }
}
