import { Presets, SingleBar } from 'cli-progress';
import { leftText } from './time-left.js';

const LINE_INTERVAL_MS = 5000;
/** Rates are those of the last so many milliseconds: what comes is more like them than like the beginning. */
const WINDOW_MS = 60_000;

/** How far many runs are, and how long the rest takes: a bar on a terminal, plain lines elsewhere. */
export class SweepProgress {
  readonly #stream: NodeJS.WriteStream;
  readonly #noun: string;
  readonly #marks: { readonly ms: number; readonly done: number }[] = [];
  #bar: SingleBar | undefined;
  #lastLineMs = performance.now();

  constructor(stream: NodeJS.WriteStream, noun = 'runs') {
    this.#stream = stream;
    this.#noun = noun;
  }

  update(done: number, total: number): void {
    const nowMs = performance.now();
    const first = this.#marks[0];
    if (first !== undefined && nowMs - first.ms > WINDOW_MS && this.#marks.length > 2) this.#marks.shift();
    if (nowMs - (this.#marks.at(-1)?.ms ?? 0) > 100 || done === total) this.#marks.push({ ms: nowMs, done });
    const rate = this.#rate(nowMs, done);
    const told = { rate: rate.toFixed(1), left: leftText(rate, total - done) };
    if (this.#stream.isTTY) {
      this.#bar ??= this.#started(total, done, told);
      this.#bar.update(done, told);
      return;
    }
    if (nowMs - this.#lastLineMs < LINE_INTERVAL_MS) return;
    this.#lastLineMs = nowMs;
    this.#stream.write(`${done}/${total} ${this.#noun}, ${told.rate} a second, ${told.left} left\n`);
  }

  end(): void {
    this.#bar?.stop();
  }

  #started(total: number, done: number, told: object): SingleBar {
    const format = `${this.#noun} [{bar}] {value}/{total} · {rate} a second · {left} left`;
    const bar = new SingleBar(
      { format, stream: this.#stream, hideCursor: true, clearOnComplete: false },
      Presets.shades_classic,
    );
    bar.start(total, done, told);
    return bar;
  }

  #rate(nowMs: number, done: number): number {
    const first = this.#marks[0];
    return first === undefined || nowMs === first.ms ? 0 : (done - first.done) / ((nowMs - first.ms) / 1000);
  }
}
