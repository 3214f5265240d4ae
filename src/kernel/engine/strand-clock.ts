import type { EngineClock, PassageListener, RunEnd, RunLimits, Timer } from './clock.js';
import type { ExternalInput, PlannedInput } from './external-inputs.js';
import type { InstantObserver } from './standstill.js';
import type { HoldListener } from './hold-warnings.js';
import type { Strands, StrandWait } from './strands.js';

/** The clock as the user's program is given it: a timer that the code of a strand sets is something that it waits for. */
export class StrandClock implements EngineClock {
  readonly #clock: EngineClock;
  readonly #waits = new WeakMap<Timer, StrandWait>();

  constructor(clock: EngineClock) {
    this.#clock = clock;
  }

  get pending(): number {
    return this.#clock.pending;
  }

  get lagMs(): number {
    return this.#clock.lagMs;
  }

  get ticks(): number {
    return this.#clock.ticks;
  }

  get strands(): Strands {
    return this.#clock.strands;
  }

  now(): number {
    return this.#clock.now();
  }

  schedule(delayMs: number, task: () => void): Timer {
    const wait = this.strands.wait();
    if (wait === undefined) return this.#clock.schedule(delayMs, task);
    const timer = this.#clock.schedule(delayMs, () => wait.over(task));
    this.#waits.set(timer, wait);
    return timer;
  }

  cancel(timer: Timer): void {
    this.#clock.cancel(timer);
    this.#waits.get(timer)?.drop();
  }

  hold(work: Promise<unknown>): void {
    this.#clock.hold(work);
  }

  keep<T>(work: PromiseLike<T>, label: string): Promise<T> {
    return this.#clock.keep(work, label);
  }

  admit(input: ExternalInput): void {
    this.#clock.admit(input);
  }

  plan(inputs: readonly PlannedInput[]): void {
    this.#clock.plan(inputs);
  }

  setSpeed(speed: number): void {
    this.#clock.setSpeed(speed);
  }

  attend(): () => void {
    return this.#clock.attend();
  }

  listenToHolds(listener: HoldListener): void {
    this.#clock.listenToHolds(listener);
  }

  observeInstants(observer: InstantObserver): void {
    this.#clock.observeInstants(observer);
  }

  onPassage(listener: PassageListener): () => void {
    return this.#clock.onPassage(listener);
  }

  settle(): void {
    this.#clock.settle();
  }

  step(): Promise<boolean> {
    return this.#clock.step();
  }

  run(limits?: RunLimits): Promise<RunEnd> {
    return this.#clock.run(limits);
  }

  dispose(): void {
    this.#clock.dispose();
  }
}
