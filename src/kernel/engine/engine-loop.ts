/**
 * What the virtual and the real clock share: the event heap, the holds that keep time still while other threads
 * and the user's program work, and the order in which one entry after another runs.
 *
 * Between two ticks all that follows from the first one is done before the second: promise reactions, work on
 * other threads, what the program holds, and its strands, one after the other. Nothing that is due runs meanwhile,
 * not even at the same millisecond.
 */
import { assert } from '../assert.js';
import { dueAt, type EngineClock, type PassageListener, type RunEnd, type RunLimits, type Timer } from './clock.js';
import { EventHeap } from './event-heap.js';
import { ExternalInputs, type ExternalInput, type PlannedInput } from './external-inputs.js';
import { HoldWarnings, type HoldListener } from './hold-warnings.js';
import { Holds } from './holds.js';
import { HOST_CLOCK } from './host-clock.js';
import type { InstantObserver } from './standstill.js';
import { Strands } from './strands.js';
import { drained, nextTurn } from './turn.js';

/** Entries run before the loop lets the host breathe, so that signals and messages get through. */
const TICKS_PER_TURN = 4096;

/** Real time after which an engine that others wait for lets them in: an answer is not to wait for 10 ms. */
const LONGEST_TURN_MS = 5;

/**
 * Real time for which inputs that never end keep waiting what is due, and for which it keeps them waiting then: under
 * more requests than it can answer a cluster goes on at a quarter of its pace, and does not stand still.
 */
const INPUT_SHARE_MS = 6;
const TICK_SHARE_MS = 2;

/** Base of both clocks: see the file header. */
export abstract class EngineLoop implements EngineClock {
  protected readonly heap = new EventHeap();
  readonly #warnings = new HoldWarnings();
  readonly #holds = new Holds(this.#warnings, () => this.#changed());
  readonly strands = new Strands(this.#warnings, () => this.#changed());
  /** Work of the engine's own on other threads. */
  #work: Promise<unknown>[] = [];
  /** Something may follow from what was done, and comes before the next tick. */
  #mustSettle = false;
  /** Told when something has changed about what the loop waits for. */
  #waiting: (() => void)[] = [];
  #ticks = 0;
  #isDisposed = false;
  readonly #inputs = new ExternalInputs();
  /** Runs and steps that are under way, and the work on inputs while there is none. */
  #drivers = 0;
  /** Parties that wait for answers; see `attend`. */
  #attended = 0;
  #turnBeganMs = 0;
  #passages: readonly PassageListener[] = [];
  /** Of inputs and of what is due, each of which waits while the other one has its share. */
  #share: { readonly isOfTicks: boolean; readonly endsMs: number } | undefined;

  abstract now(): number;

  abstract readonly lagMs: number;

  abstract setSpeed(speed: number): void;

  observeInstants(_observer: InstantObserver): void {
    /* an instant of real time ends by itself */
  }

  onPassage(listener: PassageListener): () => void {
    this.#passages = [...this.#passages, listener];
    return () => {
      this.#passages = this.#passages.filter((other) => other !== listener);
    };
  }

  /** To be called before a later moment becomes the present. */
  protected pass(nextMs: number): void {
    for (const listener of this.#passages) listener(nextMs);
  }

  /** Makes `dueMs` the present: at once in virtual time, after a wait in real time. */
  protected abstract reach(dueMs: number, signal: AbortSignal | undefined): Promise<boolean> | boolean;

  /** Whether an entry of that time may run without a wait. */
  protected abstract isDue(dueMs: number): boolean;

  get pending(): number {
    return this.heap.size;
  }

  get ticks(): number {
    return this.#ticks;
  }

  protected get isDisposed(): boolean {
    return this.#isDisposed;
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
    this.#work.push(work);
    this.#changed();
  }

  keep<T>(work: PromiseLike<T>, label: string): Promise<T> {
    return this.#holds.hold(work, label);
  }

  listenToHolds(listener: HoldListener): void {
    this.#warnings.listen(listener);
  }

  settle(): void {
    this.#mustSettle = true;
  }

  admit(input: ExternalInput): void {
    if (this.#isDisposed) return;
    this.#inputs.add(input);
    this.wake();
    if (this.#drivers === 0) void this.#driven(() => this.#takeInputs());
  }

  plan(inputs: readonly PlannedInput[]): void {
    this.#inputs.plan(inputs);
  }

  attend(): () => void {
    this.#attended += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#attended -= 1;
      this.wake();
    };
  }

  step(): Promise<boolean> {
    return this.#driven(() => this.#step());
  }

  run(limits: RunLimits = {}): Promise<RunEnd> {
    return this.#driven(() => this.#run(limits));
  }

  async #step(): Promise<boolean> {
    this.onGo();
    for (;;) {
      await this.#settled(undefined);
      const dueMs = this.heap.peekDueMs();
      if (this.#isDisposed || dueMs === undefined) return false;
      const reached = this.reach(dueMs, undefined);
      if (reached === true || (await reached)) break;
    }
    const isRun = this.#tick();
    await this.#settled(undefined);
    return isRun;
  }

  async #run(limits: RunLimits): Promise<RunEnd> {
    const { untilMs = Number.MAX_SAFE_INTEGER, isDone, signal } = limits;
    this.onGo();
    await this.#settled(signal);
    if (!this.#mustSettle && isDone?.() === true) return 'done';
    for (;;) {
      if (this.#isToEnd(signal)) return 'aborted';
      if (this.#mustSettle) {
        await this.#settled(signal);
        if (!this.#mustSettle && isDone?.() === true) return 'done';
        continue;
      }
      const isInput = !this.#isShareOfTicks(untilMs) && this.#takeInput();
      if (!isInput) {
        const dueMs = this.heap.peekDueMs();
        if (dueMs === undefined || dueMs > untilMs) {
          const end = await this.#rest(dueMs, limits);
          if (end !== undefined) return end;
          continue;
        }
        const reached = this.reach(dueMs, signal);
        if (reached !== true && !(await reached)) continue;
        this.#tick();
      }
      if (this.#ticks % TICKS_PER_TURN === 0 || this.#isTurnLong()) await this.#turn();
      if (this.#mustSettle) await this.#settled(signal);
      if (!this.#mustSettle && isDone?.() === true) return 'done';
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    this.heap.clear();
    this.#inputs.clear();
    this.#work = [];
    this.#holds.dispose();
    this.strands.dispose();
    this.#changed();
  }

  /** Told when a run or a step begins, so that a real clock goes on from where it stood. */
  protected onGo(): void {
    /* virtual time stands still by itself */
  }

  /** Told of each new entry, so that a real clock that sleeps can wake for an earlier one. */
  protected onScheduled(_timer: Timer): void {
    /* virtual time has nothing to wake */
  }

  /** Ends the wait of a clock that sleeps, so that the loop looks at what is held. */
  protected wake(): void {
    /* virtual time never sleeps */
  }

  /** Nothing is due within the limits: goes to the limit, or says that the loop is idle. */
  async #rest(dueMs: number | undefined, { untilMs, signal }: RunLimits): Promise<RunEnd | undefined> {
    if (untilMs === undefined) return this.waitsForInput() ? this.#awaitInput(signal) : 'idle';
    const reached = await this.reach(untilMs, signal);
    if (!reached || this.#mustSettle || this.#inputs.isWaiting) return undefined;
    const nextDueMs = this.heap.peekDueMs();
    if (nextDueMs !== undefined && nextDueMs <= untilMs) return undefined;
    return dueMs === undefined && !this.waitsForInput() ? 'idle' : 'limit';
  }

  async #awaitInput(signal: AbortSignal | undefined): Promise<undefined> {
    await this.awaitInput(signal);
  }

  /** Whether new entries may come from outside while the heap is empty. */
  protected waitsForInput(): boolean {
    return this.#attended > 0;
  }

  /** Ends when there is something to look at: an input, an entry, or the signal. */
  protected abstract awaitInput(signal: AbortSignal | undefined): Promise<unknown>;

  /** Counts what drives the loop: inputs that come while nothing does need a driver of their own. */
  async #driven<T>(drive: () => Promise<T>): Promise<T> {
    this.#drivers += 1;
    this.#turnBeganMs = HOST_CLOCK.nowMs();
    try {
      return await drive();
    } finally {
      this.#drivers -= 1;
      if (this.#drivers === 0 && this.#inputs.isWaiting) void this.#driven(() => this.#takeInputs());
    }
  }

  /** Takes the inputs that wait, where simulated time stands, until a run begins. */
  async #takeInputs(): Promise<void> {
    while (this.#drivers === 1 && this.#inputs.isWaiting && !this.#isDisposed) {
      await this.#settled(undefined);
      if (this.#drivers === 1) this.#takeInput();
      if (this.#isTurnLong()) await this.#turn();
    }
    await this.#settled(undefined);
  }

  /** Whether inputs that wait are to wait on, because what is due has waited for them. */
  #isShareOfTicks(untilMs: number): boolean {
    const mayBeContended = this.#inputs.isWaiting && this.#inputs.planned === undefined;
    const dueMs = mayBeContended ? this.heap.peekDueMs() : undefined;
    const isContended = dueMs !== undefined && dueMs <= untilMs && this.isDue(dueMs);
    if (!isContended) {
      this.#share = undefined;
      return false;
    }
    const nowMs = HOST_CLOCK.nowMs();
    if (this.#share === undefined || nowMs >= this.#share.endsMs) {
      const isOfTicks = this.#share?.isOfTicks === false;
      this.#share = { isOfTicks, endsMs: nowMs + (isOfTicks ? TICK_SHARE_MS : INPUT_SHARE_MS) };
    }
    return this.#share.isOfTicks;
  }

  /** Runs the input whose place is here. */
  #takeInput(): boolean {
    if (!this.#inputs.isAny) return false;
    const { planned } = this.#inputs;
    const place = { ticks: this.#ticks, atMs: this.now() };
    if (planned?.ticks === place.ticks) {
      assert(this.reach(planned.atMs, undefined) === true, 'inputs of an earlier run are taken in virtual time');
      place.atMs = planned.atMs;
    }
    const input = this.#inputs.take(place.ticks);
    if (input === undefined) return false;
    input(place);
    return true;
  }

  /** Whether clients of an engine that attends to them have waited for long. */
  #isTurnLong(): boolean {
    return this.#attended > 0 && HOST_CLOCK.nowMs() - this.#turnBeganMs >= LONGEST_TURN_MS;
  }

  async #turn(): Promise<void> {
    await nextTurn();
    this.#turnBeganMs = HOST_CLOCK.nowMs();
  }

  #tick(): boolean {
    const task = this.heap.pop();
    if (task === undefined) return false;
    this.#ticks += 1;
    task();
    return true;
  }

  /** Until nothing more follows from what was done, or the run is to end: then `#mustSettle` stays. */
  async #settled(signal: AbortSignal | undefined): Promise<void> {
    while (this.#mustSettle && !this.#isToEnd(signal)) {
      if (this.#work.length > 0) {
        await this.#workDone();
        continue;
      }
      this.#mustSettle = false;
      await drained();
      if (this.#mustSettle) continue;
      const state = this.#holds.isHolding ? 'real time' : this.#look();
      this.#mustSettle = state !== 'rest';
      if (state === 'real time') await this.#change(signal);
    }
  }

  #isToEnd(signal: AbortSignal | undefined): boolean {
    return this.#isDisposed || signal?.aborted === true;
  }

  /** A strand that goes on may throw: there is more to settle then. */
  #look(): ReturnType<Strands['look']> {
    this.#mustSettle = true;
    return this.strands.look();
  }

  /** Until the engine's own work is done, or never will be because all has ended. */
  async #workDone(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let isWaiting = true;
    const look = (): void => {
      if (this.#isDisposed) resolve();
      else if (isWaiting) this.#waiting.push(look);
    };
    this.#waiting.push(look);
    Promise.all(this.#work).then(() => resolve(), reject);
    this.#work = [];
    try {
      await promise;
    } finally {
      isWaiting = false;
    }
  }

  /** Waits until something has changed about what is held, or the run is to end. */
  async #change(signal: AbortSignal | undefined): Promise<void> {
    const held = this.#holds.isHolding ? [...this.#holds.all] : this.strands.held;
    for (const each of held) this.#warnings.begin(each);
    await new Promise<void>((resolve) => {
      const end = (): void => {
        signal?.removeEventListener('abort', end);
        resolve();
      };
      signal?.addEventListener('abort', end);
      this.#waiting.push(end);
    });
    if (signal?.aborted === true) for (const each of held) this.#warnings.end(each);
    this.onGo();
  }

  #changed(): void {
    this.#mustSettle = true;
    this.wake();
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    for (const tell of waiting) tell();
  }
}
