/**
 * The nodes of one zone that wait for their NoExecute taint, first come, first served, as fast as a token
 * bucket of one token lets them. It never taints: its owner does. Mirrors RateLimitedTimedQueue
 * (pkg/controller/nodelifecycle/scheduler, v1.34).
 */
import { SECOND_MS } from '../../kernel/time-units.js';

/** See the file header. */
export class EvictionQueue {
  /** From when each node may be taken, in order of arrival. */
  readonly #waiting = new Map<string, number>();
  /** Nodes per second. */
  #rate: number;
  /** When there is a token again; with rate 0 there never is. */
  #tokenMs = 0;

  /** @param rate - nodes per second, at least 0 */
  constructor(rate: number) {
    this.#rate = rate;
  }

  get rate(): number {
    return this.#rate;
  }

  has(node: string): boolean {
    return this.#waiting.has(node);
  }

  /** Adds a node; one that waits already keeps its place. */
  add(node: string, nowMs: number): void {
    if (!this.#waiting.has(node)) this.#waiting.set(node, nowMs);
  }

  remove(node: string): void {
    this.#waiting.delete(node);
  }

  /** Queues a node again after an attempt that failed. */
  putBack(node: string, fromMs: number): void {
    this.#waiting.delete(node);
    this.#waiting.set(node, fromMs);
  }

  /** A rate that is new begins without a token if the former one had none left. */
  setRate(rate: number, nowMs: number): void {
    if (rate === this.#rate) return;
    const hadToken = this.#hasToken(nowMs);
    this.#rate = rate;
    if (rate > 0) this.#tokenMs = hadToken ? nowMs : nowMs + SECOND_MS / rate;
  }

  /** The next node, for a token; `undefined` when no node waits or there is no token. */
  take(nowMs: number): string | undefined {
    const [head] = this.#waiting;
    if (head === undefined || head[1] > nowMs || !this.#hasToken(nowMs)) return undefined;
    this.#tokenMs = nowMs + SECOND_MS / this.#rate;
    this.#waiting.delete(head[0]);
    return head[0];
  }

  /** When {@link take} may give a node; Infinity = not before something changes. */
  nextMs(): number {
    const [head] = this.#waiting;
    if (head === undefined || this.#rate <= 0) return Number.POSITIVE_INFINITY;
    return Math.max(head[1], this.#tokenMs);
  }

  #hasToken(nowMs: number): boolean {
    return this.#rate > 0 && nowMs >= this.#tokenMs;
  }
}
