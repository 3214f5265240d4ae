/** The time of a cluster in the hands of its page: pause, step, speed. */
import { timer } from 'rxjs';
import type { ClockSpec } from '../api/objects/own-objects.js';
import type { Cluster } from '../cluster/cluster.js';

/** How time passes. */
export interface TimeState {
  readonly isPaused: boolean;
  /** Simulated seconds per real second. */
  readonly speed: number;
}

/** See the file header. */
export interface LiveTime {
  readonly state: TimeState;
  pause(): void;
  resume(): void;
  /** Goes on for so long, and stands still again. */
  step(ms: number): void;
  setSpeed(speed: number): void;
  /** Lets time pass on for good. */
  release(): void;
}

/** As fast as the machine can. */
const HIGHEST_SPEED = 1_000_000;

/** Of a cluster that a program drives: time is held between two ticks. @param speed - with which the cluster was made */
export class HeldTime implements LiveTime {
  readonly #cluster: Cluster;
  #speed: number;
  #go: (() => void) | undefined;

  constructor(cluster: Cluster, speed: number) {
    this.#cluster = cluster;
    this.#speed = speed;
  }

  get state(): TimeState {
    return { isPaused: this.#go !== undefined, speed: this.#speed };
  }

  pause(): void {
    if (this.#go !== undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#go = resolve;
    void this.#cluster.hold(promise, 'its page, which is paused');
  }

  resume(): void {
    // What passed meanwhile is not caught up with.
    this.#cluster.setSpeed(this.#speed);
    this.release();
  }

  step(ms: number): void {
    this.#cluster.setSpeed(HIGHEST_SPEED);
    timer(ms, this.#cluster.scheduler).subscribe(() => {
      this.pause();
      this.#cluster.setSpeed(this.#speed);
    });
    this.release();
  }

  setSpeed(speed: number): void {
    this.#cluster.setSpeed(speed);
    this.#speed = speed;
  }

  release(): void {
    this.#go?.();
    this.#go = undefined;
  }
}

/** Of a cluster that goes by the object `clocks/cluster`: the page writes what kubectl could. */
export class ClockTime implements LiveTime {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  get state(): TimeState {
    const { paused = false, speed = 1 }: ClockSpec = this.#cluster.get('Clock', 'cluster').spec ?? {};
    return { isPaused: paused, speed };
  }

  pause(): void {
    this.#write({ paused: true });
  }

  resume(): void {
    this.#write({ paused: false });
  }

  step(ms: number): void {
    this.#write({ paused: true, advanceBy: `${ms / 1000}s` });
  }

  setSpeed(speed: number): void {
    this.#write({ speed });
  }

  release(): void {
    /* the object says how time passes */
  }

  #write(spec: object): void {
    this.#cluster.patch('Clock', 'cluster', { spec }, 'merge');
  }
}
