/**
 * Writes a watch: a line of JSON for each change, as fast as its reader takes them. The engine is never kept waiting:
 * changes that a reader has not taken yet are noted, and a reader that stays behind too far is cut off, as
 * kube-apiserver's cacher does (staging/src/k8s.io/apiserver/pkg/storage/cacher/cache_watcher.go). It resumes from
 * the last version that it has seen.
 */
import type { Writable } from 'node:stream';
import { ApiError } from '../api/errors/api-error.js';
import { AdmissionPending } from '../apiserver/store/request-context.js';
import type { OpenWatch, WatchAnswer, WatchFrame } from '../requests/api-request.js';
import type { FrameTexts } from './frame-texts.js';
import type { EventTally } from './server-metrics.js';
import type { Turns } from './turns.js';

/** Changes that may wait for a slow reader; the state at the beginning does not count. */
const LONGEST_BACKLOG = 10_000;

/** Changes after which those that are written are let go of, while there are always more. */
const FORGET_AFTER = 4096;

/** Characters that are handed to the socket at once. */
const CHUNK_CHARS = 64 * 1024;

/** How often a watch says how far it has come, as upstream: every minute, and shortly before it ends. */
const BOOKMARK_EVERY_MS = 60_000;
const BOOKMARK_BEFORE_END_MS = 2000;

/** How often what was renewed is told: often enough for a controller that gives a lease 40 s. */
const RENEWALS_EVERY_MS = 2500;

/** A watch without `timeoutSeconds`, or with 0 of them, ends after this, and up to twice as long, so that not all end at once. */
const SHORTEST_WATCH_MS = 1_800_000;
/** The longest time that Node waits for. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What watches share. */
export interface WatchMeans {
  readonly texts: FrameTexts;
  readonly turns: Turns;
  /** Counts the changes that are told. */
  readonly told: EventTally;
}

/** See the file header. */
export class WatchWriter {
  readonly #out: Writable;
  readonly #texts: FrameTexts;
  readonly #turns: Turns;
  readonly #told: EventTally;
  readonly #timers: NodeJS.Timeout[] = [];
  #frames: WatchFrame[] = [];
  /** The first of them that is not written yet. */
  #next = 0;
  /** Where the state at the beginning ends in them, which does not count as backlog. */
  #stateEnd = 0;
  #isOpening = true;
  #isFlushing = false;
  /** What is to be written ends with an error. */
  #isLast = false;
  #isOver = false;
  #watch: OpenWatch | undefined;
  readonly #onEnd: () => void;

  /** @param onEnd - told once it is over, for whatever reason */
  constructor(out: Writable, { texts, turns, told }: WatchMeans, onEnd: () => void) {
    this.#out = out;
    this.#texts = texts;
    this.#turns = turns;
    this.#told = told;
    this.#onEnd = onEnd;
  }

  /** Opens the watch; the headers of the answer are out. */
  open(answer: WatchAnswer): void {
    this.#out.on('close', () => this.#finish());
    this.#out.on('error', () => this.#finish());
    const { timeoutSeconds = 0 } = answer;
    // It is over before it has begun.
    if (timeoutSeconds < 0) return this.end();
    this.#watch = answer.open((frame) => this.#note(frame));
    this.#isOpening = false;
    if (this.#isOver) {
      this.#watch.close();
      return;
    }
    const lastsMs =
      timeoutSeconds === 0
        ? SHORTEST_WATCH_MS * (1 + Math.random())
        : Math.min(timeoutSeconds * 1000, LONGEST_TIMER_MS);
    this.#timers.push(setTimeout(() => this.end(), lastsMs));
    const { renewed } = this.#watch;
    if (renewed !== undefined) {
      this.#timers.push(setInterval(() => renewed().forEach((frame) => this.#note(frame)), RENEWALS_EVERY_MS));
    }
    if (!answer.allowsBookmarks) return;
    this.#timers.push(setInterval(() => this.#bookmark(), BOOKMARK_EVERY_MS));
    if (lastsMs > BOOKMARK_BEFORE_END_MS) {
      this.#timers.push(setTimeout(() => this.#bookmark(), lastsMs - BOOKMARK_BEFORE_END_MS));
    }
  }

  /** Ends the watch; its reader sees the end of the body. */
  end(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#out.end();
  }

  #note(frame: WatchFrame): void {
    if (this.#isOver) return;
    this.#told.count += 1;
    this.#frames.push(frame);
    if (this.#isOpening) this.#stateEnd = this.#frames.length;
    else if (this.#frames.length - Math.max(this.#next, this.#stateEnd) > LONGEST_BACKLOG) return this.#cut();
    if (frame.type === 'ERROR') this.#isLast = true;
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => void this.#flush());
  }

  #bookmark(): void {
    if (this.#watch !== undefined) this.#note(this.#watch.bookmark());
  }

  /** Writes what there is, as long as the reader takes it. */
  async #flush(): Promise<void> {
    while (this.#next < this.#frames.length && !this.#isOver) {
      const text = await this.#nextChunk();
      if (this.#isOver) return;
      if (!this.#out.write(text)) await this.#room();
    }
    this.#frames = [];
    this.#next = 0;
    this.#stateEnd = 0;
    this.#isFlushing = false;
    if (this.#isLast) this.end();
  }

  async #nextChunk(): Promise<string> {
    const turn = await this.#turns.begin();
    let text = '';
    let pending: Promise<unknown> | undefined;
    try {
      do {
        const frame = this.#frames[this.#next];
        if (frame === undefined) break;
        text += this.#textOf(frame);
        this.#next += 1;
      } while (text.length < CHUNK_CHARS && !turn.isLong);
    } catch (error) {
      if (!(error instanceof AdmissionPending)) throw error;
      pending = error.settled;
    } finally {
      turn.end();
    }
    if (pending !== undefined && text === '') {
      await pending;
      return this.#isOver ? '' : this.#nextChunk();
    }
    if (this.#next >= FORGET_AFTER) this.#forget();
    return text;
  }

  /** An object that no webhook converts ends the watch with its error. @throws AdmissionPending */
  #textOf(frame: WatchFrame): string {
    try {
      return this.#texts.of(frame);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#isLast = true;
      this.#frames = this.#frames.slice(0, this.#next + 1);
      return this.#texts.of({ type: 'ERROR', object: error.toStatus() });
    }
  }

  /** Lets go of what is written. */
  #forget(): void {
    this.#frames = this.#frames.slice(this.#next);
    this.#stateEnd = Math.max(0, this.#stateEnd - this.#next);
    this.#next = 0;
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        this.#out.off('drain', go);
        this.#out.off('close', go);
        resolve();
      };
      this.#out.on('drain', go);
      this.#out.on('close', go);
    });
  }

  /** The reader is too slow: it sees its connection, or its stream, break off. */
  #cut(): void {
    this.#finish();
    this.#out.destroy();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#frames = [];
    this.#watch?.close();
    this.#onEnd();
  }
}
