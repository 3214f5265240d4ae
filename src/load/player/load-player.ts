/**
 * Plays a load against a cluster in simulated time: one client over a link of its own, waits that take no real time,
 * and code that reads top down. Virtual time never overtakes what follows from an answer or from the end of a wait,
 * so equal seeds give equal runs.
 */
import { AbortedError } from './aborted-error.js';
import type { Connection } from '../../bus/bus-types.js';
import type { Cluster } from '../../cluster/cluster.js';
import type { UserConnection } from '../../cluster/user-connection.js';
import type { Clock } from '../../kernel/engine/clock.js';
import { nextTurn } from '../../kernel/engine/turn.js';
import type { RandomStream } from '../../kernel/random.js';
import { LoadKinds } from './load-kinds.js';
import { LoadProgress } from './load-progress.js';
import { LoadRequests } from './load-requests.js';

/** Simulated time after which a load that does nothing is said to have stopped. */
const LONGEST_MS = 30 * 86_400_000;
/** How often a load looks whether the nodes are ready before it begins, and how long it waits for them. */
const NODES_INTERVAL_MS = 1000;
const NODES_TIMEOUT_MS = 600_000;

/** See the file header. */
export class LoadPlayer {
  readonly cluster: Cluster;
  readonly connection: Connection;
  readonly kinds: LoadKinds;
  readonly requests: LoadRequests;
  readonly progress = new LoadProgress();
  readonly #user: UserConnection;

  /** @param party - name of the link, such as `clusterloader2` */
  constructor(cluster: Cluster, party: string) {
    this.cluster = cluster;
    this.#user = cluster.connect(party);
    this.connection = this.#user.connection;
    this.kinds = new LoadKinds(this.#user.kinds);
    this.requests = new LoadRequests(this);
  }

  get clock(): Clock {
    return this.#user.clock;
  }

  /** Simulated time, ms since the start of the cluster. */
  get nowMs(): number {
    return this.#user.clock.now();
  }

  /** The present as RFC 3339. */
  timestamp(): string {
    return this.timestampOf(this.nowMs);
  }

  /** A moment as RFC 3339. */
  timestampOf(atMs: number): string {
    return this.#user.timestamps.toTime(atMs);
  }

  /** A timestamp of an object in ms since the start of the cluster. */
  msOf(timestamp: string): number {
    return this.#user.timestamps.toMs(timestamp);
  }

  random(name: string): RandomStream {
    return this.#user.random(name);
  }

  /** Waits so long; less than a millisecond is one. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.clock.schedule(Math.max(0, ms), () => {
        this.clock.settle();
        resolve();
      });
    });
  }

  /** Waits until a moment, unless it is over. */
  async sleepUntil(atMs: number): Promise<void> {
    const ms = Math.ceil(atMs) - this.nowMs;
    if (ms > 0) await this.sleep(ms);
  }

  /** Lets signals and messages of the host in; simulated time stands meanwhile. */
  letIn(): Promise<void> {
    return this.cluster.hold(nextTurn(), 'signals of the host');
  }

  /** Asks at once and then again and again until a condition holds. @returns whether it held in time */
  async poll(isMet: () => boolean | Promise<boolean>, everyMs: number, timeoutMs: number): Promise<boolean> {
    const endMs = this.nowMs + timeoutMs;
    while (!(await isMet())) {
      if (this.nowMs + everyMs > endMs) {
        await this.sleepUntil(endMs);
        return isMet();
      }
      await this.sleep(everyMs);
    }
    return true;
  }

  /**
   * Lets simulated time pass until the load is over.
   *
   * @throws AbortedError when the signal was raised before
   */
  async play<T>(load: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
    const settled = async (): Promise<void> => {
      try {
        outcome = { value: await load() };
      } catch (error) {
        outcome = { error };
      }
      this.clock.settle();
    };
    void settled();
    const until = (): boolean => outcome !== undefined;
    const { end } = await this.cluster.run({ until, limit: LONGEST_MS, ...(signal === undefined ? {} : { signal }) });
    if (outcome === undefined) throw new AbortedError(end);
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  /** Lets simulated time pass until the nodes are ready, at most ten minutes. @throws AbortedError */
  async nodesReady(signal: AbortSignal | undefined): Promise<void> {
    await this.play(() => this.poll(() => this.cluster.nodesAreReady, NODES_INTERVAL_MS, NODES_TIMEOUT_MS), signal);
  }

  dispose(): void {
    this.connection.dispose();
  }
}
