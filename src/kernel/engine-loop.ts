/**
 * What the virtual and the real clock share: the event heap, the holds that keep time still while
 * other threads work, and the order in which one entry after another runs.
 */
import { dueAt, type EngineClock, type RunEnd, type RunLimits, type Timer } from './clock.js';
import { EventHeap } from './event-heap.js';
import { nextTurn } from './turn.js';

/** Entries run before the loop lets the host breathe, so that signals and messages get through. */
const TICKS_PER_TURN = 4096;

/** Base of both clocks: see the file header. */
export abstract class EngineLoop implements EngineClock {
  protected readonly heap = new EventHeap();
  #held: Promise<unknown>[] = [];
  #mustSettle = false;
  #ticks = 0;
  #disposed = false;

  abstract now(): number;

  /** Makes `dueMs` the present: at once in virtual time, after a wait in real time. */
  protected abstract reach(dueMs: number, signal: AbortSignal | undefined): Promise<boolean> | boolean;

  get pending(): number {
    return this.heap.size;
  }

  get ticks(): number {
    return this.#ticks;
  }

  protected get isDisposed(): boolean {
    return this.#disposed;
  }

  schedule(delayMs: number, task: () => void): Timer {
    const timer = dueAt(this.heap, this.now(), delayMs, task);
    this.onScheduled(timer);
    return timer;
  }

  cancel(timer: Timer): void {
    this.heap.cancel(timer);
  }

  hold(work: Promise<unknown>): void {
    this.#held.push(work);
  }

  settle(): void {
    this.#mustSettle = true;
  }

  async step(): Promise<boolean> {
    this.onGo();
    await this.#settled();
    const dueMs = this.heap.peekDueMs();
    if (dueMs === undefined || !(await this.reach(dueMs, undefined))) return false;
    const isRun = this.#tick();
    await this.#settled();
    return isRun;
  }

  async run(limits: RunLimits = {}): Promise<RunEnd> {
    const { untilMs = Number.MAX_SAFE_INTEGER, isDone, signal } = limits;
    this.onGo();
    await this.#settled();
    if (isDone?.() === true) return 'done';
    for (;;) {
      if (signal?.aborted === true || this.#disposed) return 'aborted';
      const dueMs = this.heap.peekDueMs();
      if (dueMs === undefined || dueMs > untilMs) {
        const end = await this.#rest(dueMs, limits);
        if (end !== undefined) return end;
        continue;
      }
      const reached = this.reach(dueMs, signal);
      if (reached !== true && !(await reached)) continue;
      this.#tick();
      if (this.#mustSettle || this.#held.length > 0) await this.#settled();
      else if (this.#ticks % TICKS_PER_TURN === 0) await nextTurn();
      if (isDone?.() === true) return 'done';
    }
  }

  dispose(): void {
    this.#disposed = true;
    this.heap.clear();
    this.#held = [];
  }

  /** Told when a run or a step begins, so that a real clock goes on from where it stood. */
  protected onGo(): void {
    /* virtual time stands still by itself */
  }

  /** Told of each new entry, so that a real clock that sleeps can wake for an earlier one. */
  protected onScheduled(_timer: Timer): void {
    /* virtual time has nothing to wake */
  }

  /** Nothing is due within the limits: goes to the limit, or says that the loop is idle. */
  async #rest(dueMs: number | undefined, { untilMs, signal }: RunLimits): Promise<RunEnd | undefined> {
    if (untilMs === undefined) return this.waitsForInput() ? this.#awaitInput(signal) : 'idle';
    const reached = await this.reach(untilMs, signal);
    if (!reached) return undefined;
    const nextDueMs = this.heap.peekDueMs();
    if (nextDueMs !== undefined && nextDueMs <= untilMs) return undefined;
    return dueMs === undefined && !this.waitsForInput() ? 'idle' : 'limit';
  }

  async #awaitInput(signal: AbortSignal | undefined): Promise<RunEnd | undefined> {
    await this.reach(Number.MAX_SAFE_INTEGER, signal);
    return undefined;
  }

  /** Whether new entries may come from outside while the heap is empty. */
  protected waitsForInput(): boolean {
    return false;
  }

  #tick(): boolean {
    const task = this.heap.pop();
    if (task === undefined) return false;
    this.#ticks += 1;
    task();
    return true;
  }

  async #settled(): Promise<void> {
    while (this.#mustSettle || this.#held.length > 0) {
      this.#mustSettle = false;
      const held = this.#held;
      this.#held = [];
      if (held.length > 0) await Promise.all(held);
      await nextTurn();
    }
  }
}
