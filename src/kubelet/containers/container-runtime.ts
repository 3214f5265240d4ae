/**
 * The truth of one machine: which sandboxes and containers its container runtime holds, whatever the
 * API shows. Stands for containerd behind the CRI. It runs what it is told, lets processes end as
 * their scripts say, and goes on doing so while no kubelet is listening. It knows nothing of restart
 * policies, statuses or the API server. Faults act here, from outside.
 */
import type { Pod } from '../../api/objects/objects.js';
import { assert } from '../../kernel/assert.js';
import type { PlayedProgram } from './played-program.js';
import type { ProcessWatch } from './process-facts.js';
import type { Clock, Timer } from '../../kernel/engine/clock.js';
import type { RandomStream } from '../../kernel/random.js';
import type { RunAnswers } from '../probes/probe-answers.js';
import type { UsageCurve } from '../scripts/script-types.js';
import { LateMap } from '../../kernel/late-collections.js';

const KILLED = 137;
/** How containers end that the kernel has killed for want of memory. */
export const KILLED_FOR_MEMORY = { code: KILLED, reason: 'OOMKilled' } as const;
/** What containerd reports of a container without its process when it starts itself (unknownExitCode). */
const LOST_WITH_MACHINE = { code: 255, reason: 'Unknown' } as const;

/** How a run ended, in the runtime's words. */
export interface ContainerExit {
  /** When the runtime noticed. */
  readonly atMs: number;
  readonly code: number;
  readonly reason: 'Completed' | 'Error' | 'OOMKilled' | 'StartError' | 'Unknown';
  readonly message?: string;
  /** When its process ended, if the runtime could not notice then: the machine had gone dark. @defaultValue `atMs` */
  readonly unnoticedMs?: number;
}

/** One run of a container. */
export interface ContainerInstance {
  /** Such as `containerd://…`. */
  readonly id: string;
  /** 0 for the first run in its pod, then one more each time. */
  readonly attempt: number;
  readonly image: string;
  /** Which of the pod's sandboxes it is in. */
  readonly sandboxAttempt: number;
  readonly runningMs: number;
  /** What it would answer to probes. */
  readonly answers: RunAnswers;
  /** Memory that its process uses; `undefined` = what its container asks for. */
  readonly memory: UsageCurve | undefined;
  /** What it computes; `undefined` = it does what its script says. */
  program?: PlayedProgram | undefined;
  /** How it ended; `undefined` while it runs. */
  exit: ContainerExit | undefined;
  /** The runtime cannot tell how it is. */
  isUnknown: boolean;
}

/** One container of a pod, over all its runs. */
export class ContainerSlot {
  readonly name: string;
  /** The present run, or the last one. */
  current: ContainerInstance | undefined;
  /** The run before that. */
  previous: ContainerInstance | undefined;
  /** How many runs there have been, as the names of their log files tell. */
  attempts = 0;
  /** Attempts to create it that failed. */
  failedCreations = 0;
  /** CPU time of the runs before the present one. */
  spentCpuSeconds = 0;
  /** What its script draws step by step. */
  random: RandomStream | undefined;
  /** @internal what ends the present run */
  ending: Ending | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get isRunning(): boolean {
    return this.current !== undefined && this.current.exit === undefined;
  }
}

/** How a process obeys SIGTERM. */
export interface Obedience {
  /** From SIGTERM to its exit; Infinity = never. */
  readonly afterMs: number;
  readonly code: number;
}

/** Pending ends of a running process; the earliest wins. */
interface Ending {
  readonly own: ContainerExit | undefined;
  readonly termMs: number;
  readonly termCode: number;
  readonly killMs: number;
}

/** What the runtime holds of one pod. */
export class PodSandbox {
  /** The pod as its kubelet last knew it. */
  pod: Pod;
  /** Address that the pod was given last. */
  address: string | undefined;
  /** The sandbox is up, with its network. */
  isReady = false;
  /** How many sandboxes the pod has had. */
  attempts = 0;
  /** In the order of its spec: init containers, app containers, ephemeral ones as they came. */
  readonly slots: ContainerSlot[];
  /** @internal the earliest end among the slots */
  timer: Timer | undefined;

  constructor(pod: Pod, slots: ContainerSlot[]) {
    this.pod = pod;
    this.slots = slots;
  }
}

/** What a runtime is asked to do and may be in trouble with. */
type RuntimeOperation = 'pullImage' | 'createSandbox' | 'stopContainer';

/** See the file header. */
export class ContainerRuntime {
  /** Of the kubelet: called with pods of which a process has ended or something was lost. */
  onChange: ((uid: string) => void) | undefined;
  /** Called with pods of which a process has begun to run. */
  onRun: ((uid: string) => void) | undefined;
  /** Of the kernel: called with containers of which the process has begun or is gone. */
  onProcess: ((slot: ContainerSlot) => void) | undefined;
  /** A fault: while it is set, no sandbox can be created, and this is what the runtime says. */
  sandboxError: string | undefined;
  /** A fault: while it is set, no image can be pulled, and this is what the runtime says. */
  pullError: string | undefined;
  /** A fault: while it is set, no container can be stopped, and this is what the runtime says. */
  stopError: string | undefined;
  /** A fault: how much longer the pull of an image takes, ms. */
  pullDelayMs = 0;
  /** A fault: how much longer the creation of a sandbox takes, ms. */
  sandboxDelayMs = 0;
  #troubles: Map<RuntimeOperation, () => void> | undefined;
  readonly #clock: Clock;
  readonly #node: string;
  readonly #processes: ProcessWatch;
  readonly #sandboxes = new Map<string, PodSandbox>();
  /** Containers of pods that have ended and whose objects are there. */
  readonly #logged = new LateMap<string, readonly ContainerSlot[]>();
  /** Runs that ended when the machine went dark; the runtime finds them when it is on again. */
  readonly #unnoticed: ContainerInstance[] = [];

  constructor(clock: Clock, node: string, processes: ProcessWatch) {
    this.#clock = clock;
    this.#node = node;
    this.#processes = processes;
  }

  /** Sets what is called when an operation meets one of these faults. */
  onTrouble(operation: RuntimeOperation, met: () => void): void {
    this.#troubles ??= new Map();
    this.#troubles.set(operation, met);
  }

  /** @internal one of these faults is met */
  meet(operation: RuntimeOperation): void {
    this.#troubles?.get(operation)?.();
  }

  /** Everything that is there, in order of arrival. */
  get sandboxes(): Iterable<PodSandbox> {
    return this.#sandboxes.values();
  }

  /** What is held of a pod, if anything. */
  held(uid: string): PodSandbox | undefined {
    return this.#sandboxes.get(uid);
  }

  /** What is held of a pod; an empty place when nothing is yet. */
  sandboxOf(pod: Pod): PodSandbox {
    const { uid } = pod.metadata;
    let sandbox = this.#sandboxes.get(uid);
    if (sandbox === undefined) {
      const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec;
      sandbox = new PodSandbox(
        pod,
        [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => new ContainerSlot(name)),
      );
      this.#sandboxes.set(uid, sandbox);
    }
    return sandbox;
  }

  /** Forgets a pod of which nothing runs any more; what its containers have logged stays. */
  remove(uid: string): void {
    const sandbox = this.#sandboxes.get(uid);
    this.#sandboxes.delete(uid);
    if (sandbox?.slots.some(({ current }) => current?.program !== undefined) === true) {
      this.#logged.set(uid, sandbox.slots);
    }
  }

  /** The containers of a pod with their logs, as long as its object is there. */
  logged(uid: string): readonly ContainerSlot[] {
    return this.#sandboxes.get(uid)?.slots ?? this.#logged.get(uid) ?? [];
  }

  /** The object of a pod is gone: what it has logged goes, too. */
  removeLogs(uid: string): void {
    this.#logged.delete(uid);
  }

  /**
   * Runs a container anew; an instance that has an exit could not be started.
   *
   * @param own - how it ends by itself; absent = never
   */
  run(sandbox: PodSandbox, slot: ContainerSlot, instance: ContainerInstance, own?: ContainerExit): void {
    assert(!slot.isRunning, `container ${slot.name} of pod ${sandbox.pod.metadata.name} must not run twice`);
    if (slot.current !== undefined) slot.previous = slot.current;
    slot.current = instance;
    slot.attempts = instance.attempt + 1;
    slot.ending = undefined;
    if (this.#processes.isListening) this.#tellStart(sandbox, slot.name, instance);
    this.onRun?.(sandbox.pod.metadata.uid);
    this.onProcess?.(slot);
    if (own === undefined || instance.exit !== undefined) return;
    slot.ending = { own, termMs: Infinity, termCode: 0, killMs: Infinity };
    this.#schedule(sandbox);
  }

  /**
   * Puts back what was there before: runs that nothing is told of.
   *
   * @param own - how the present one ends by itself; absent = never
   */
  restore(
    sandbox: PodSandbox,
    slot: ContainerSlot,
    { current, previous }: Pick<ContainerSlot, 'current' | 'previous'>,
    own?: ContainerExit,
  ): void {
    slot.current = current;
    slot.previous = previous;
    if (current === undefined || current.exit !== undefined) return;
    this.onProcess?.(slot);
    if (own === undefined) return;
    slot.ending = { own, termMs: Infinity, termCode: 0, killMs: Infinity };
    this.#schedule(sandbox);
  }

  /**
   * Asks a process to end (SIGTERM), and ends it (SIGKILL) after the window. Asking again may only
   * shorten the window.
   *
   * @param obey - asked once for each run
   * @returns what the runtime says if it cannot
   */
  stop(sandbox: PodSandbox, slot: ContainerSlot, windowMs: number, obey: () => Obedience): string | undefined {
    if (!slot.isRunning) return undefined;
    if (this.stopError !== undefined) {
      this.meet('stopContainer');
      return this.stopError;
    }
    const nowMs = this.#clock.now();
    const { ending } = slot;
    if (this.#processes.isListening && (ending === undefined || ending.termMs === Infinity)) {
      this.#tell(sandbox, `SIGTERM to process of ${slot.name}, SIGKILL after ${windowMs} ms`);
    }
    const killMs = Math.min(ending?.killMs ?? Infinity, nowMs + windowMs);
    if (ending !== undefined && ending.termMs !== Infinity) slot.ending = { ...ending, killMs };
    else {
      const { afterMs, code } = obey();
      slot.ending = { own: ending?.own, termMs: nowMs + afterMs, termCode: code, killMs };
    }
    this.#schedule(sandbox);
    return undefined;
  }

  /** A process will end by itself after all. */
  foresee(sandbox: PodSandbox, slot: ContainerSlot, own: ContainerExit): void {
    if (!slot.isRunning || slot.ending !== undefined) return;
    slot.ending = { own, termMs: Infinity, termCode: 0, killMs: Infinity };
    this.#schedule(sandbox);
  }

  /** A process ends at once, for a reason of its own or because the kernel kills it. */
  exit(sandbox: PodSandbox, slot: ContainerSlot, how: Pick<ContainerExit, 'code' | 'reason' | 'message'>): void {
    slot.ending = { own: { atMs: this.#clock.now(), ...how }, termMs: Infinity, termCode: 0, killMs: Infinity };
    this.#end(sandbox);
  }

  /** Forgets the runs of containers that have ended; how many there were is still known. */
  purge(slots: Iterable<ContainerSlot>): void {
    for (const slot of slots) {
      if (slot.isRunning) continue;
      slot.current = undefined;
      slot.previous = undefined;
    }
  }

  /** The kubelet has gone amid its stops: processes were told to end, but those that do not are killed no more. */
  abandonStops(): void {
    for (const sandbox of this.#sandboxes.values()) {
      for (const slot of sandbox.slots) {
        if (slot.ending !== undefined) slot.ending = { ...slot.ending, killMs: Infinity };
      }
      this.#schedule(sandbox);
    }
  }

  /** A fault: the pod's sandbox dies; its containers run on. */
  loseSandbox(uid: string): void {
    const sandbox = this.#sandboxes.get(uid);
    if (sandbox === undefined) return;
    sandbox.isReady = false;
    this.onChange?.(uid);
  }

  /** A fault: nothing is left of a container's runs, nor of how the last one ended. */
  loseContainer(uid: string, name: string): void {
    const found = this.#find(uid, name);
    if (found === undefined) return;
    const { sandbox, slot } = found;
    slot.current?.program?.end();
    slot.current = undefined;
    slot.previous = undefined;
    slot.ending = undefined;
    this.onProcess?.(slot);
    this.#schedule(sandbox);
    this.onChange?.(uid);
  }

  /** A fault: the runtime cannot tell any more how a container is, which may run on. */
  loseTrackOf(uid: string, name: string): void {
    const instance = this.#find(uid, name)?.slot.current;
    if (instance === undefined || instance.exit !== undefined) return;
    instance.isUnknown = true;
    this.onChange?.(uid);
  }

  /** The machine goes dark: nothing runs any more, and nothing is reported. What is on its disk stays. */
  powerOff(): void {
    this.onChange = undefined;
    this.onRun = undefined;
    const exit = { atMs: this.#clock.now(), ...LOST_WITH_MACHINE };
    for (const sandbox of this.#sandboxes.values()) {
      if (sandbox.timer !== undefined) this.#clock.cancel(sandbox.timer);
      sandbox.timer = undefined;
      sandbox.isReady = false;
      for (const slot of sandbox.slots) this.#endWithMachine(sandbox, slot, exit);
    }
  }

  /** The machine boots: its runtime finds its records, and of processes that ran no trace. */
  powerOn(): void {
    const atMs = this.#clock.now();
    for (const instance of this.#unnoticed) {
      const { exit } = instance;
      if (exit !== undefined) instance.exit = { ...exit, atMs, unnoticedMs: exit.atMs };
    }
    this.#unnoticed.length = 0;
  }

  #endWithMachine(sandbox: PodSandbox, slot: ContainerSlot, exit: ContainerExit): void {
    const { current } = slot;
    slot.ending = undefined;
    if (current === undefined || current.exit !== undefined) return;
    current.exit = exit;
    current.program?.end();
    this.#unnoticed.push(current);
    if (this.#processes.isListening) this.#tell(sandbox, `process of ${slot.name} ended with its machine`);
  }

  #tellStart(sandbox: PodSandbox, name: string, { attempt, exit }: ContainerInstance): void {
    const what = exit === undefined ? 'started' : `could not be started: ${exit.reason}`;
    this.#tell(sandbox, `process of ${name} ${what} (run ${attempt + 1})`);
  }

  #tellEnd(sandbox: PodSandbox, name: string, { code, reason }: ContainerExit): void {
    this.#tell(sandbox, `process of ${name} ended: ${reason}, exit code ${code}`);
  }

  #tell({ pod }: PodSandbox, text: string): void {
    this.#processes.tell({ atMs: this.#clock.now(), node: this.#node, pod, text });
  }

  #find(uid: string, name: string): { readonly sandbox: PodSandbox; readonly slot: ContainerSlot } | undefined {
    const sandbox = this.#sandboxes.get(uid);
    const slot = sandbox?.slots.find((each) => each.name === name);
    return sandbox === undefined || slot === undefined ? undefined : { sandbox, slot };
  }

  /** One timer for a pod: the next end of one of its processes. */
  #schedule(sandbox: PodSandbox): void {
    let atMs = Infinity;
    for (const { ending } of sandbox.slots) if (ending !== undefined) atMs = Math.min(atMs, endMs(ending));
    const { timer } = sandbox;
    if (timer !== undefined) {
      if (timer.dueMs === atMs) return;
      this.#clock.cancel(timer);
    }
    const delayMs = atMs - this.#clock.now();
    sandbox.timer = atMs === Infinity ? undefined : this.#clock.schedule(delayMs, () => this.#end(sandbox));
  }

  #end(sandbox: PodSandbox): void {
    const nowMs = this.#clock.now();
    sandbox.timer = undefined;
    for (const slot of sandbox.slots) {
      const { current, ending } = slot;
      if (current === undefined || ending === undefined || endMs(ending) > nowMs) continue;
      current.exit = exitOf(ending, nowMs);
      current.program?.end();
      slot.ending = undefined;
      if (this.#processes.isListening) this.#tellEnd(sandbox, slot.name, current.exit);
      this.onProcess?.(slot);
    }
    this.#schedule(sandbox);
    this.onChange?.(sandbox.pod.metadata.uid);
  }
}

/** Whether processes run or may be started again: a sandbox goes when its pod has ended. */
export function isAlive({ isReady, slots }: PodSandbox): boolean {
  return isReady || slots.some(({ isRunning }) => isRunning);
}

/** When the process of a run ended that is over. */
export function endOfProcessMs({ atMs, unnoticedMs }: ContainerExit): number {
  return unnoticedMs ?? atMs;
}

/** What a runtime calls the exit of a process with that code. */
export function exitReason(code: number): 'Completed' | 'Error' {
  return code === 0 ? 'Completed' : 'Error';
}

function endMs({ own, termMs, killMs }: Ending): number {
  return Math.min(own?.atMs ?? Infinity, termMs, killMs);
}

/** The earliest end counts; a process that obeys in the last moment was not killed. */
function exitOf({ own, termMs, termCode, killMs }: Ending, atMs: number): ContainerExit {
  if (own !== undefined && own.atMs <= termMs && own.atMs <= killMs) return own;
  const code = termMs <= killMs ? termCode : KILLED;
  return { atMs, code, reason: exitReason(code) };
}
