/**
 * The memory of one machine as its kernel hands it out: when all processes together use more than there is, or than
 * their pod or all pods may, the worst of them is killed in that moment, whether a kubelet looks or not. When that
 * will be is computed from the curves; a machine on which no script has memory in it owns no timer, since pods are
 * admitted by what they request. Stands for Linux and its memory cgroups; a container's own limit is part of its
 * run (run-script.ts).
 */
import type { Clock, Timer } from '../../kernel/engine/clock.js';
import { hash32 } from '../../kernel/random.js';
import { KILLED_FOR_MEMORY, type ContainerRuntime, type ContainerSlot } from '../containers/container-runtime.js';
import { memoryDomains, memoryOf, type MemoryDomain, type MemoryUser, type PodsLimit } from './memory-domains.js';
import { oomBadness, oomScoreAdjust } from './oom-score.js';
import { LateSet } from '../../kernel/late-collections.js';

/** What a machine's memory is divided by. */
export interface MachineLimits {
  /** All of it. */
  readonly machineBytes: number;
  readonly pods: PodsLimit;
}

/** The kernel's ring buffer holds about that many reports of a kill. */
const LONGEST_LOG = 25;
/** Longest name of a process (TASK_COMM_LEN). */
const LONGEST_NAME = 15;
/** Linux hands pids out anew from here (RESERVED_PIDS), up to PID_MAX_LIMIT. */
const FIRST_PID = 300;
const PIDS = 4_194_304 - FIRST_PID;

/** See the file header. */
export class OomKiller {
  /** Of the kubelet: called when the machine itself has run out of memory. */
  onSystemOom: ((message: string) => void) | undefined;
  readonly #clock: Clock;
  readonly #runtime: ContainerRuntime;
  readonly #limits: MachineLimits;
  /** Containers that use other amounts of memory than they request. */
  readonly #curved = new LateSet<ContainerSlot>();
  #log: string[] = [];
  #timer: Timer | undefined;

  constructor(clock: Clock, runtime: ContainerRuntime, limits: MachineLimits) {
    this.#clock = clock;
    this.#runtime = runtime;
    this.#limits = limits;
    runtime.onProcess = (slot) => this.#processChanged(slot);
  }

  /** What the kernel has logged of the machine's shortages since it was switched on: each kubelet reads it from its beginning. */
  get log(): readonly string[] {
    return this.#log;
  }

  /** The machine goes dark. */
  powerOff(): void {
    this.#curved.clear();
    this.#log = [];
    this.#wakeAt(Infinity);
  }

  #processChanged(slot: ContainerSlot): void {
    if (slot.isRunning && slot.current?.memory !== undefined) this.#curved.add(slot);
    else if (!this.#curved.delete(slot) && this.#curved.size === 0) return;
    this.#plan();
  }

  /** Decides when something will run out next. */
  #plan(): void {
    const nowMs = this.#clock.now();
    let nextMs = Infinity;
    if (this.#curved.size > 0) {
      for (const { sum, limitBytes } of this.#domains()) {
        nextMs = Math.min(nextMs, sum.at(nowMs) > limitBytes ? nowMs : sum.nextCrossing(limitBytes, nowMs));
      }
    }
    this.#wakeAt(nextMs);
  }

  #domains(): readonly MemoryDomain[] {
    return memoryDomains(this.#runtime.sandboxes, this.#limits.pods);
  }

  #wakeAt(atMs: number): void {
    if (this.#timer !== undefined) {
      if (this.#timer.dueMs === atMs) return;
      this.#clock.cancel(this.#timer);
    }
    this.#timer = atMs === Infinity ? undefined : this.#clock.schedule(atMs - this.#clock.now(), () => this.#wake());
  }

  #wake(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.now();
    const exceeded = this.#domains().find(({ sum, limitBytes }) => sum.at(nowMs) > limitBytes);
    const victim = exceeded === undefined ? undefined : this.#worst(exceeded, nowMs);
    if (exceeded === undefined || victim === undefined) return this.#plan();
    if (exceeded.isMachine) this.#report(victim);
    // Its end leads to the next plan.
    this.#runtime.exit(victim.sandbox, victim.slot, KILLED_FOR_MEMORY);
  }

  /** Of equals the one that was started last; one that uses nothing has nothing to give. */
  #worst({ users, limitBytes }: MemoryDomain, nowMs: number): MemoryUser | undefined {
    let worst: MemoryUser | undefined;
    let most = -Infinity;
    for (const user of users) {
      const bytes = memoryOf(user, nowMs);
      if (bytes === 0) continue;
      const adjust = oomScoreAdjust(user.sandbox.pod, user.container, this.#limits.machineBytes);
      const badness = oomBadness(bytes, adjust, limitBytes);
      if (badness < most || (badness === most && startMs(user) < startMs(worst))) continue;
      worst = user;
      most = badness;
    }
    return worst;
  }

  /** As the kubelet's watcher reads it out of the kernel's log (pkg/kubelet/oom/oom_watcher_linux.go). */
  #report({ slot, container }: MemoryUser): void {
    const name = processName(container.command?.[0] ?? container.image ?? '');
    const pid = FIRST_PID + (hash32(slot.current?.id ?? '') % PIDS);
    const message = `System OOM encountered, victim process: ${name}, pid: ${pid}`;
    this.#log = [...this.#log, message].slice(-LONGEST_LOG);
    this.onSystemOom?.(message);
  }
}

function startMs(user: MemoryUser | undefined): number {
  return user?.slot.current?.runningMs ?? -Infinity;
}

/** The last part of a path, or of an image's name without its tag. */
function processName(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1).replace(/[@:].*$/, '');
  return last.slice(0, LONGEST_NAME);
}
