import { Presets, SingleBar } from 'cli-progress';
import type { ClusterStats } from '../../index.js';

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

class BarProgress implements Progress {
  #bar: SingleBar | undefined;

  constructor(private readonly stream: NodeJS.WriteStream) {}

  begin(stage: string, total: number): void {
    this.end();
    const format = `${stage} [{bar}] {value}/{total} · {virtual} simulated · {nodes} nodes`;
    this.#bar = new SingleBar(
      { format, stream: this.stream, hideCursor: true, clearOnComplete: false },
      Presets.shades_classic,
    );
    this.#bar.start(total, 0, { virtual: '0s', nodes: 0 });
  }

  update(done: number, stats: ClusterStats): void {
    this.#bar?.update(done, { virtual: seconds(stats.nowMs), nodes: stats.nodes.schedulable });
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

  constructor(private readonly stream: NodeJS.WriteStream) {}

  begin(stage: string, total: number): void {
    this.#stage = stage;
    this.#total = total;
    this.stream.write(`${stage} …\n`);
  }

  update(done: number, stats: ClusterStats): void {
    const line = `${this.#stage}: ${done}/${this.#total} · ${seconds(stats.nowMs)} simulated · ${stats.nodes.schedulable} nodes\n`;
    if (line !== this.#last) this.stream.write(line);
    this.#last = line;
  }

  end(): void {
    this.#last = '';
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)}s`;
}
