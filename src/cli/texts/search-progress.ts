import { Presets, SingleBar } from 'cli-progress';
import { leftText } from './time-left.js';

const HOUR_MS = 3_600_000;
const LINE_INTERVAL_MS = 5000;

/** Where a search stands, while a user waits: a bar on a terminal, plain lines elsewhere. */
export class SearchProgress {
  readonly #stream: NodeJS.WriteStream;
  readonly #total: number;
  readonly #startMs = performance.now();
  readonly #bar: SingleBar | undefined;
  #seeds = 0;
  #virtualMs = 0;
  #lastLineMs = this.#startMs;

  constructor(stream: NodeJS.WriteStream, total: number) {
    this.#stream = stream;
    this.#total = total;
    if (!stream.isTTY) return;
    const format = 'seeds [{bar}] {value}/{total} · {rate} seeds/s · {hours} simulated hours · {left} left';
    this.#bar = new SingleBar({ format, stream, hideCursor: true, clearOnComplete: false }, Presets.shades_classic);
    this.#bar.start(total, 0, { rate: '0', hours: '0', left: '?' });
  }

  /** Seeds were played to their ends. */
  done(virtualMs: number, seeds = 1): void {
    this.#seeds += seeds;
    this.#virtualMs += virtualMs;
    const nowMs = performance.now();
    const perSecond = this.#seeds / ((nowMs - this.#startMs) / 1000);
    const rate = perSecond.toFixed(1);
    const left = leftText(perSecond, this.#total - this.#seeds);
    const hours = (this.#virtualMs / HOUR_MS).toFixed(1);
    if (this.#bar !== undefined) return this.#bar.update(this.#seeds, { rate, hours, left });
    if (nowMs - this.#lastLineMs < LINE_INTERVAL_MS) return;
    this.#lastLineMs = nowMs;
    this.#stream.write(
      `${this.#seeds}/${this.#total} seeds, ${rate} seeds/s, ${hours} simulated hours, ${left} left\n`,
    );
  }

  end(): void {
    this.#bar?.stop();
  }
}
