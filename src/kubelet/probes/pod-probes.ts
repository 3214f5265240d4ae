/**
 * The probes of one pod: one timer for all of them, for the next moment at which anything visible outside
 * happens. The listener is told that what is recorded has changed, and reads it then.
 */
import type { Container } from '../../api/objects/objects.js';
import type { Clock, Timer } from '../../kernel/engine/clock.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import type { ContainerProbes, FoundProbes } from './container-probes.js';
import type { RunAnswers } from './probe-answers.js';
import type { ProbeNotice } from './probe-outcome.js';

/** One run, as far as probes need to know it. */
export interface ProbedRun {
  readonly runningMs: number;
  readonly answers: RunAnswers;
  readonly exit: { readonly atMs: number } | undefined;
}

/** A container, what it runs, and what its probes say. */
export interface WatchedContainer {
  readonly spec: Container;
  /** Holds the present run, or the last one. */
  readonly slot: { readonly current: ProbedRun | undefined };
  readonly probes: ContainerProbes;
  /** What was recorded of the present run before it was watched here. */
  found?: FoundProbes | undefined;
}

/** The kernel's part in it. */
export interface ProbeTime {
  readonly clock: Clock;
  readonly timestamps: Timestamps;
}

/** What a pod's probes report to. */
export interface ProbeListener<C extends WatchedContainer> {
  /** An attempt is worth an event. */
  onNotice(container: C, notice: ProbeNotice): void;
  /** A container is started, ready or failing that was not before, or the other way round. */
  onChange(): void;
}

/** See the file header. */
export class PodProbes<C extends WatchedContainer = WatchedContainer> {
  readonly #time: ProbeTime;
  readonly #listener: ProbeListener<C>;
  readonly #containers: readonly C[];
  /** The runs that are being probed. */
  readonly #runs: (ProbedRun | undefined)[];
  /** What ends the listening to their answers. */
  readonly #silences: ((() => void) | undefined)[] = [];
  #timer: Timer | undefined;
  #dueMs = Infinity;
  #isStopped = false;

  constructor(time: ProbeTime, containers: readonly C[], listener: ProbeListener<C>) {
    this.#time = time;
    this.#containers = containers;
    this.#listener = listener;
    this.#runs = containers.map(() => undefined);
  }

  /**
   * Takes note of the runs that began or ended since the last time. A run is probed from the moment at
   * which its pod's status shows it, so this belongs to each sync, before anything else looks.
   */
  observe(): void {
    this.#takeNote();
    this.#arm();
  }

  /** The pod is being ended: liveness and startup probes stop. */
  holdLivenessAndStartup(): void {
    const nowMs = this.#time.clock.now();
    this.#takeNote();
    for (const { probes } of this.#containers) probes.holdLivenessAndStartup(nowMs);
    this.#arm();
  }

  /** Nothing of the pod runs any more, or the kubelet ends. */
  stop(): void {
    this.#isStopped = true;
    for (const index of this.#silences.keys()) this.#silence(index);
    this.#arm();
  }

  #takeNote(): void {
    const { clock, timestamps } = this.#time;
    const nowMs = clock.now();
    for (const [index, container] of this.#containers.entries()) {
      const { slot, probes } = container;
      const run = this.#runs[index];
      if (run !== undefined && (run !== slot.current || run.exit !== undefined)) {
        probes.end(run.exit?.atMs ?? nowMs);
        this.#runs[index] = undefined;
        this.#silence(index);
      }
      const { current } = slot;
      if (current === undefined || current.exit !== undefined || current === this.#runs[index]) continue;
      const { runningMs } = current;
      const startedAtMs = timestamps.toMs(timestamps.toTime(runningMs));
      this.#runs[index] = current;
      probes.begin(current.answers, { runningMs, startedAtMs }, nowMs, container.found);
      container.found = undefined;
      this.#silences[index] = current.answers.listen?.(() => {
        probes.reconsider();
        this.#arm();
      });
    }
  }

  #silence(index: number): void {
    this.#silences[index]?.();
    this.#silences[index] = undefined;
  }

  /** Something is due. */
  #act(): void {
    const nowMs = this.#time.clock.now();
    this.#takeNote();
    let hasChanged = false;
    for (const [index, container] of this.#containers.entries()) {
      if (this.#runs[index] === undefined) continue;
      const { probes } = container;
      const { isStarted, isReady, failure } = probes;
      for (const notice of probes.advance(nowMs)) this.#listener.onNotice(container, notice);
      hasChanged ||=
        isStarted !== probes.isStarted ||
        isReady !== probes.isReady ||
        (failure === undefined) !== (probes.failure === undefined);
    }
    if (hasChanged) this.#listener.onChange();
    this.#arm();
  }

  /** Waits for the next moment that matters, if there is one. */
  #arm(): void {
    const dueMs = this.#isStopped ? Infinity : this.#nextMs();
    if (dueMs === this.#dueMs) return;
    const { clock } = this.#time;
    if (this.#timer !== undefined) clock.cancel(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = undefined;
    if (dueMs === Infinity) return;
    this.#timer = clock.schedule(dueMs - clock.now(), () => {
      this.#timer = undefined;
      this.#dueMs = Infinity;
      this.#act();
    });
  }

  #nextMs(): number {
    let nextMs = Infinity;
    for (const [index, { probes }] of this.#containers.entries()) {
      if (this.#runs[index] !== undefined) nextMs = Math.min(nextMs, probes.nextMs);
    }
    return nextMs;
  }
}
