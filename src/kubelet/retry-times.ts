import type { RandomStream } from '../kernel/random.js';

/** After a sync that failed, ms: the period, and a jitter of up to half of it on top. */
const SHORTEST_RETRY_MS = 10_000;
const LONGEST_RETRY_MS = 15_000;

/**
 * When the pod workers of one kubelet try again what failed; mirrors completeWork of the kubelet's pod workers
 * (v1.34 pkg/kubelet/pod_workers.go), without the second in which its main loop looks for work that is due.
 */
export class RetryTimes {
  readonly #open: () => RandomStream;
  #random: RandomStream | undefined;

  /** @param open - opens the stream that the jitter is drawn from; called at most once */
  constructor(open: () => RandomStream) {
    this.#open = open;
  }

  /** How long the next sync waits, ms. */
  drawMs(): number {
    this.#random ??= this.#open();
    return this.#random.int(SHORTEST_RETRY_MS, LONGEST_RETRY_MS);
  }
}
