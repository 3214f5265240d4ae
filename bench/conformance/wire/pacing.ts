/**
 * Simulated time while kubectl itself runs. What a command finds hangs on when its requests come, and how long a
 * program takes to send them hangs on the machine: simulated time waits before the recorded moment of a request that has
 * not come yet, or of the next command, and goes on to it when it comes. In between it goes as fast as real time does.
 */
import type { Exchange } from './recording-proxy.js';
import { isOfDiscovery, keyOf } from './request-keys.js';
import type { TimedCommand } from './sightings.js';
import type { WireCluster } from './wire-cluster.js';
import type { RecordedExchange } from './wire-recording.js';

/** How often simulated time is brought up to real time, ms. */
const PACE_MS = 2;
/** Real time that a request is waited for: kubectl may never send it. */
const PATIENCE_MS = 20_000;
/** Real time for what a watch has told to be printed, before kubectl is interrupted. */
const PRINT_MS = 150;

/** A command, and what is known of when it was played. */
export interface PacedCommand {
  readonly command: TimedCommand;
  readonly next: TimedCommand | undefined;
  /** When requests find what was recorded, by the recorded clock, where that is not when they were sent. */
  readonly moments: ReadonlyMap<RecordedExchange, number>;
}

interface Awaited {
  readonly key: string;
  readonly ms: number;
}

/** See the file header. */
export class Pacing {
  readonly #cluster: WireCluster;
  /** Where the recorded command was stopped. */
  readonly #stopMs: number | undefined;
  /** Where the next one begins. */
  readonly #endMs: number;
  /** Requests that were recorded and have not come yet. */
  readonly #awaited: Awaited[];
  /** Continues the requests that wait for a moment. */
  #arrived: { readonly ms: number; readonly go: () => void }[] = [];
  /** Simulated time stands still until they are. */
  #unanswered: Exchange[] = [];
  /** Recorded time is this plus real time. */
  #offsetMs: number;
  #heardMs = performance.now();

  constructor(cluster: WireCluster, { command, next, moments }: PacedCommand) {
    this.#cluster = cluster;
    this.#offsetMs = cluster.recordedMs - performance.now();
    const awaitedOf = ({ exchanges, startMs }: TimedCommand): readonly Awaited[] =>
      exchanges
        .filter((exchange) => !isOfDiscovery(exchange))
        .map((exchange) => ({ key: keyOf(exchange), ms: moments.get(exchange) ?? startMs + exchange.ms }));
    this.#awaited = [...awaitedOf(command)];
    this.#stopMs = command.stopAfterMs === undefined ? undefined : command.startMs + command.stopAfterMs;
    const nextMs = next === undefined ? Infinity : Math.min(next.startMs, ...awaitedOf(next).map(({ ms }) => ms));
    this.#endMs = Math.max(nextMs, this.#stopMs ?? 0);
  }

  /** A request has come; it goes on at its recorded moment. */
  async arrive(asked: Exchange): Promise<void> {
    const key = keyOf(asked);
    const at = this.#awaited.findIndex((each) => each.key === key);
    const [due] = at < 0 ? [] : this.#awaited.splice(at, 1);
    this.#heardMs = performance.now();
    if (due === undefined) return;
    await new Promise<void>((resolve) => this.#arrived.push({ ms: due.ms, go: resolve }));
    this.#unanswered.push(asked);
  }

  /** Lets simulated time go on until some work is done. @param stop - ends it where the recorded command was stopped */
  async during<T>(work: Promise<T>, stop: AbortController): Promise<T> {
    const state = { isDone: false };
    const done = work.finally(() => (state.isDone = true));
    while (!state.isDone) {
      const ms = this.#nowMs();
      await this.#cluster.runUntil(ms);
      this.#release();
      if (this.#stopMs !== undefined && ms >= this.#stopMs && !stop.signal.aborted) {
        await new Promise((resolve) => setTimeout(resolve, PRINT_MS));
        stop.abort();
      }
      await new Promise((resolve) => setTimeout(resolve, PACE_MS));
    }
    return done;
  }

  /** Continues the requests whose moment has come. */
  #release(): void {
    const presentMs = this.#cluster.recordedMs;
    const due = this.#arrived.filter(({ ms }) => ms <= presentMs);
    this.#arrived = this.#arrived.filter(({ ms }) => ms > presentMs);
    for (const { go } of due) go();
  }

  /** By the recorded clock. */
  #nowMs(): number {
    const realMs = performance.now();
    const presentMs = this.#cluster.recordedMs;
    const isPatient = realMs - this.#heardMs < PATIENCE_MS;
    this.#unanswered = this.#unanswered.filter(({ status }) => status === 0);
    const isWaiting = isPatient && this.#unanswered.length > 0;
    const ms = isWaiting
      ? presentMs
      : Math.max(presentMs, this.#nextMs(Math.floor(realMs + this.#offsetMs), isPatient));
    this.#offsetMs = ms - realMs;
    return ms;
  }

  /** A request that has come goes on at its very moment, however long the machine took over its coming. */
  #nextMs(plainMs: number, isPatient: boolean): number {
    if (this.#arrived.length > 0) return Math.min(...this.#arrived.map(({ ms }) => ms));
    if (!isPatient) return plainMs;
    return Math.min(plainMs, this.#endMs, ...this.#awaited.map(({ ms }) => ms));
  }
}
