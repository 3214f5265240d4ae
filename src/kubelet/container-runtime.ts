/**
 * The truth of one machine: which sandboxes and containers its container runtime holds, whatever the
 * API shows. Stands for containerd behind the CRI. It runs what it is told, lets processes end as
 * their scripts say, and goes on doing so while no kubelet is listening. It knows nothing of restart
 * policies, statuses or the API server.
 */
import type { Pod } from '../api/objects.js';
import { assert } from '../kernel/assert.js';
import type { Clock, Timer } from '../kernel/clock.js';
import { sample, type Distribution } from '../kernel/distribution.js';
import type { RandomStream } from '../kernel/random.js';
import type { StartUp } from './probe-schedule.js';

const KILLED = 137;

/** One run of a container. */
export interface ContainerInstance {
  /** Such as `containerd://…`. */
  readonly id: string;
  /** 0 for the first run in its pod, then one more each time. */
  readonly attempt: number;
  readonly runningMs: number;
  readonly startUp: StartUp;
  /** How it ended; `undefined` while it runs. */
  exit: { readonly atMs: number; readonly code: number } | undefined;
}

/** One container of a pod, over all its runs. */
export class ContainerSlot {
  readonly name: string;
  /** The present run, or the last one. */
  current: ContainerInstance | undefined;
  /** The run before that. */
  previous: ContainerInstance | undefined;
  /** @internal what ends the present run */
  ending: Ending | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get isRunning(): boolean {
    return this.current !== undefined && this.current.exit === undefined;
  }
}

/** Pending ends of a running process; the earliest wins. */
interface Ending {
  readonly ownMs: number;
  readonly ownCode: number;
  readonly termMs: number;
  readonly killMs: number;
  timer: Timer | undefined;
}

/** What the runtime holds of one pod. */
export class PodSandbox {
  /** The pod as its kubelet last knew it. */
  pod: Pod;
  /** Address while the sandbox is up. */
  address: string | undefined;
  readonly slots: readonly ContainerSlot[];

  constructor(pod: Pod, slots: readonly ContainerSlot[]) {
    this.pod = pod;
    this.slots = slots;
  }
}

/** See the file header. */
export class ContainerRuntime {
  /** The kubelet's ear: told of each process that ended, after it has. */
  onExit: ((uid: string) => void) | undefined;
  readonly #clock: Clock;
  readonly #random: RandomStream;
  readonly #sandboxes = new Map<string, PodSandbox>();

  constructor(clock: Clock, random: RandomStream) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Everything that is there, in order of arrival. */
  get sandboxes(): Iterable<PodSandbox> {
    return this.#sandboxes.values();
  }

  /** What is held of a pod; an empty place when nothing is yet. */
  sandboxOf(pod: Pod): PodSandbox {
    const { uid } = pod.metadata;
    let sandbox = this.#sandboxes.get(uid);
    if (sandbox === undefined) {
      const { initContainers = [], containers } = pod.spec;
      sandbox = new PodSandbox(
        pod,
        [...initContainers, ...containers].map(({ name }) => new ContainerSlot(name)),
      );
      this.#sandboxes.set(uid, sandbox);
    }
    return sandbox;
  }

  /** Forgets a pod of which nothing runs any more. */
  remove(uid: string): void {
    this.#sandboxes.delete(uid);
  }

  /**
   * Runs a container anew.
   *
   * @param runFor - after which it ends by itself with `exitCode`; absent = never
   */
  run(
    sandbox: PodSandbox,
    slot: ContainerSlot,
    instance: ContainerInstance,
    runFor: Distribution | undefined,
    exitCode: number,
  ): void {
    assert(!slot.isRunning, `container ${slot.name} of pod ${sandbox.pod.metadata.name} must not run twice`);
    if (slot.current !== undefined) slot.previous = slot.current;
    slot.current = instance;
    slot.ending = undefined;
    if (runFor === undefined) return;
    const ownMs = this.#clock.now() + sample(runFor, this.#random);
    this.#endAs(sandbox, slot, { ownMs, ownCode: exitCode, termMs: Infinity, killMs: Infinity, timer: undefined });
  }

  /**
   * Asks a process to end (SIGTERM), and ends it (SIGKILL) after the window. Asking again may only
   * shorten the window.
   *
   * @param shutdown - how long the process takes to obey; it then exits 0
   */
  stop(sandbox: PodSandbox, slot: ContainerSlot, windowMs: number, shutdown: Distribution): void {
    if (!slot.isRunning) return;
    const nowMs = this.#clock.now();
    const { ownMs, ownCode, termMs, killMs } = slot.ending ?? {
      ownMs: Infinity,
      ownCode: 0,
      termMs: Infinity,
      killMs: Infinity,
    };
    this.#endAs(sandbox, slot, {
      ownMs,
      ownCode,
      termMs: termMs === Infinity ? nowMs + sample(shutdown, this.#random) : termMs,
      killMs: Math.min(killMs, nowMs + windowMs),
      timer: slot.ending?.timer,
    });
  }

  /** Who asked to stop is gone: processes were told to end, but nobody is left to kill those that do not. */
  abandonStops(): void {
    for (const sandbox of this.#sandboxes.values()) {
      for (const slot of sandbox.slots) {
        if (slot.ending !== undefined) this.#endAs(sandbox, slot, { ...slot.ending, killMs: Infinity });
      }
    }
  }

  /** The machine goes dark: nothing runs any more, and nobody hears of it. */
  powerOff(): void {
    this.onExit = undefined;
    for (const { slots } of this.#sandboxes.values()) {
      for (const { ending } of slots) if (ending?.timer !== undefined) this.#clock.cancel(ending.timer);
    }
    this.#sandboxes.clear();
  }

  #endAs(sandbox: PodSandbox, slot: ContainerSlot, ending: Ending): void {
    if (ending.timer !== undefined) this.#clock.cancel(ending.timer);
    slot.ending = ending;
    const { ownMs, termMs, killMs } = ending;
    const atMs = Math.min(ownMs, termMs, killMs);
    assert(atMs !== Infinity, `container ${slot.name} must have an end to wait for`);
    ending.timer = this.#clock.schedule(atMs - this.#clock.now(), () => this.#end(sandbox, slot));
  }

  #end(sandbox: PodSandbox, slot: ContainerSlot): void {
    const { current, ending } = slot;
    assert(current !== undefined && ending !== undefined, `container ${slot.name} must run to be able to end`);
    const atMs = this.#clock.now();
    current.exit = { atMs, code: exitCodeOf(ending) };
    slot.ending = undefined;
    this.onExit?.(sandbox.pod.metadata.uid);
  }
}

/** Who comes first decides; a process that obeys in the last moment was not killed. */
function exitCodeOf({ ownMs, ownCode, termMs, killMs }: Ending): number {
  if (ownMs <= termMs && ownMs <= killMs) return ownCode;
  return termMs <= killMs ? 0 : KILLED;
}
