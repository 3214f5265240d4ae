/**
 * Where something stands that is read again and again: a bar with the time that is left on a terminal, a line every few
 * seconds elsewhere. What else is told goes through {@link FollowedProgress.aside}, so that it does not run into the bar.
 */
import { Presets, SingleBar } from 'cli-progress';
import { leftText } from './time-left.js';

const BAR_INTERVAL_MS = 200;
const LINE_INTERVAL_MS = 5000;

/** What is shown. */
export interface Standing {
  /** Another title begins anew. */
  readonly title: string;
  /** 0 = there is nothing to count. */
  readonly total: number;
  readonly done: number;
  /** What else is told, such as `12.0s simulated`. */
  readonly text: string;
}

/** See the file header. */
export class FollowedProgress {
  readonly #stream: NodeJS.WriteStream;
  readonly #read: () => Standing | undefined;
  readonly #timer: NodeJS.Timeout;
  #bar: SingleBar | undefined;
  #title = '';
  #beganMs = performance.now();

  /** @param read - `undefined` = nothing has begun */
  constructor(stream: NodeJS.WriteStream, read: () => Standing | undefined) {
    this.#stream = stream;
    this.#read = read;
    this.#timer = setInterval(() => this.show(), stream.isTTY ? BAR_INTERVAL_MS : LINE_INTERVAL_MS);
  }

  /** Shows where it stands now. */
  show(): void {
    const standing = this.#read();
    if (standing === undefined) return;
    if (standing.title !== this.#title) {
      this.#clear();
      this.#title = standing.title;
      this.#beganMs = performance.now();
    }
    if (this.#stream.isTTY) this.#draw(standing);
    else this.#stream.write(`${standing.title} … · ${standing.text}${this.#counts(standing)}\n`);
  }

  /** How far it has come, for an end before its own; empty where nothing has begun. */
  summary(): string {
    const standing = this.#read();
    if (standing === undefined) return '';
    const { title, text, done, total } = standing;
    return `in ${title}${total === 0 ? '' : `, ${done} of ${total}`} · ${text}`;
  }

  /** Tells something else, in lines of its own. */
  aside(tell: () => void): void {
    this.#clear();
    tell();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#clear();
  }

  #counts({ done, total }: Standing): string {
    return total === 0 ? '' : ` · ${done}/${total} · ${this.#left(done, total)} left`;
  }

  #left(done: number, total: number): string {
    const seconds = (performance.now() - this.#beganMs) / 1000;
    return leftText(seconds > 0 ? done / seconds : 0, Math.max(0, total - done));
  }

  #draw({ title, total, done, text }: Standing): void {
    const values = { text, left: total === 0 ? '?' : this.#left(done, total) };
    if (this.#bar !== undefined) {
      this.#bar.setTotal(Math.max(1, total));
      this.#bar.update(done, values);
      return;
    }
    const format = `${title} [{bar}] {value}/{total} · {text} · {left} left`;
    const options = { format, stream: this.#stream, hideCursor: true, clearOnComplete: true };
    this.#bar = new SingleBar(options, Presets.shades_classic);
    this.#bar.start(Math.max(1, total), done, values);
  }

  #clear(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }
}
