/** What a container has written to its output, as its runtime keeps it: line by line, the latest of them. */
import { textOf } from '../../shell/files/file-node.js';
import type { LogLine } from '../scripts/log-text.js';

const MOST_LINES = 10_000;
/** A line that is longer is kept in parts, as a container runtime does. */
const LONGEST_LINE = 16 * 1024;

/** See the file header. */
export class LogBook {
  readonly lines: LogLine[] = [];
  readonly #nowMs: () => number;
  readonly #open = { stdout: '', stderr: '' };

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  write(stream: 'stdout' | 'stderr', bytes: string): void {
    const parts = (this.#open[stream] + bytes).split('\n');
    this.#open[stream] = parts.pop() ?? '';
    for (const part of parts) this.#add(part, false);
    while (this.#open[stream].length > LONGEST_LINE) {
      this.#add(this.#open[stream].slice(0, LONGEST_LINE), true);
      this.#open[stream] = this.#open[stream].slice(LONGEST_LINE);
    }
  }

  /** What has no end of its own is kept as it is. */
  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (this.#open[stream] !== '') this.#add(this.#open[stream], true);
      this.#open[stream] = '';
    }
  }

  #add(bytes: string, isPartial: boolean): void {
    const line: LogLine = { atMs: this.#nowMs(), text: textOf(bytes) };
    this.lines.push(isPartial ? { ...line, isPartial } : line);
    if (this.lines.length > MOST_LINES * 2) this.lines.splice(0, MOST_LINES);
  }
}
