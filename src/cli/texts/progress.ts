import { Presets, SingleBar } from 'cli-progress';
import type { ClusterStats } from '../../index.js';
import { leftText } from './time-left.js';

/** Where a run stands, while a user waits. */
export interface Progress {
  /** A new stage of the run begins, with that many pods to become Ready or to be accounted for. */
  begin(stage: string, total: number): void;
  update(done: number, stats: ClusterStats): void;
  end(): void;
}

/** How often a bar is drawn and a line is printed, milliseconds of real time. */
const BAR_INTERVAL_MS = 100;
const LINE_INTERVAL_MS = 2000;

/** A bar on a terminal, plain lines elsewhere; always on standard error. */
export function createProgress(stream: NodeJS.WriteStream): Progress {
  return stream.isTTY ? new BarProgress(stream) : new LineProgress(stream);
}

/** Milliseconds of real time between two updates that are worth making. */
export function updateIntervalMs(stream: NodeJS.WriteStream): number {
  return stream.isTTY ? BAR_INTERVAL_MS : LINE_INTERVAL_MS;
}

/** The time that the rest of a stage takes if it goes on as it has from its beginning. */
class Remaining {
  #beganMs = 0;
  #total = 0;

  begin(total: number): void {
    this.#beganMs = performance.now();
    this.#total = total;
  }

  text(done: number): string {
    const elapsed = (performance.now() - this.#beganMs) / 1000;
    return leftText(elapsed > 0 ? done / elapsed : 0, Math.max(0, this.#total - done));
  }
}

class BarProgress implements Progress {
  #bar: SingleBar | undefined;
  readonly #remaining = new Remaining();

  constructor(private readonly stream: NodeJS.WriteStream) {}

  begin(stage: string, total: number): void {
    this.end();
    const format = `${stage} [{bar}] {value}/{total} · {virtual} simulated · {nodes} nodes · {left} left`;
    this.#remaining.begin(total);
    this.#bar = new SingleBar(
      { format, stream: this.stream, hideCursor: true, clearOnComplete: false },
      Presets.shades_classic,
    );
    this.#bar.start(total, 0, { virtual: '0s', nodes: 0, left: '?' });
  }

  update(done: number, stats: ClusterStats): void {
    const left = this.#remaining.text(done);
    this.#bar?.update(done, { virtual: seconds(stats.nowMs), nodes: stats.nodes.schedulable, left });
  }

  end(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }
}

class LineProgress implements Progress {
  #stage = '';
  #total = 0;
  #last = '';
  readonly #remaining = new Remaining();

  constructor(private readonly stream: NodeJS.WriteStream) {}

  begin(stage: string, total: number): void {
    this.#stage = stage;
    this.#total = total;
    this.#remaining.begin(total);
    this.stream.write(`${stage} …\n`);
  }

  update(done: number, stats: ClusterStats): void {
    const line = `${this.#stage}: ${done}/${this.#total} · ${seconds(stats.nowMs)} simulated · ${stats.nodes.schedulable} nodes`;
    if (line !== this.#last) this.stream.write(`${line} · ${this.#remaining.text(done)} left\n`);
    this.#last = line;
  }

  end(): void {
    this.#last = '';
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)}s`;
}
