/**
 * The replicas of the scheduler. One leads and decides; the others hold nothing in memory until they do.
 * Decisions of a process that ended are counted, but not explained any more.
 */
import type { Connection } from '../bus/bus-types.js';
import type { PodExplanation, PodFocus } from '../scheduler/explain/explanation.js';
import type { QueueDepths } from '../scheduler/queue/queue-types.js';
import { createScheduler, type Scheduler, type SchedulerOptions, type WayCount } from '../scheduler/scheduler.js';
import { ElectedReplica, replicaParty, type ReplicaSite } from './elected-replica.js';

const COMPONENT = 'kube-scheduler';
const DEFAULT_SCHEDULER = 'default-scheduler';

/** A scheduler with the connection that is its own. */
interface Process {
  readonly scheduler: Scheduler;
  readonly connection: Connection;
}

/** Attempts at pods. */
interface Counts {
  readonly attempts: number;
  readonly scheduled: number;
  readonly ways: readonly WayCount[];
}

const NOTHING: Counts = { attempts: 0, scheduled: 0, ways: [] };

/** See the file header. */
export class SchedulerReplicas {
  readonly #site: ReplicaSite;
  readonly #options: SchedulerOptions;
  readonly #replicas: readonly ElectedReplica[];
  /** By replica. */
  readonly #processes = new Map<number, Process>();
  readonly #ending: Promise<void>[] = [];
  #focus: PodFocus | undefined;
  #sinceMs: number | undefined;
  /** Of processes that have ended. */
  #former = NOTHING;

  /** @throws SchedulerConfigError */
  constructor(site: ReplicaSite, replicas: number, options: SchedulerOptions) {
    this.#site = site;
    this.#options = options;
    const eventSource = options.configuration?.profiles[0]?.schedulerName ?? options.schedulerName ?? DEFAULT_SCHEDULER;
    const component = { name: COMPONENT, eventSource, replicas };
    this.#replicas = Array.from({ length: replicas }, (_, index) => {
      const work = { start: () => this.#begin(index), stop: () => this.#end(index) };
      return new ElectedReplica(site, component, index, work);
    });
    // What is wrong with the options is found before anything runs.
    this.#process(0);
  }

  start(): void {
    for (const replica of this.#replicas) replica.start();
  }

  /** Ends every replica as in a crash. */
  stop(): void {
    for (const replica of this.#replicas) replica.stop();
  }

  /** Names of their links. */
  get parties(): readonly string[] {
    return this.#replicas.map(({ party }) => party);
  }

  /** Since when one of them has decided, ms; `undefined` = none does. */
  get sinceMs(): number | undefined {
    return this.#sinceMs;
  }

  get stats(): Counts {
    let sum = this.#former;
    for (const { scheduler } of this.#processes.values()) sum = plus(sum, scheduler.stats);
    return sum;
  }

  /** Pods that wait, of the one that leads. */
  get queue(): QueueDepths {
    const sum = { active: 0, backoff: 0, unschedulable: 0, gated: 0, inFlight: 0 };
    for (const { scheduler } of this.#processes.values()) {
      const { queue } = scheduler.stats;
      for (const pool of Object.keys(sum) as (keyof QueueDepths)[]) sum[pool] += queue[pool];
    }
    return sum;
  }

  explain(podKey: string): PodExplanation | undefined {
    for (const { scheduler } of this.#processes.values()) {
      const explanation = scheduler.explain(podKey);
      if (explanation !== undefined) return explanation;
    }
    return undefined;
  }

  /** Whether an attempt at a pod is known. */
  isExplained(podKey: string): boolean {
    return [...this.#processes.values()].some(({ scheduler }) => scheduler.isExplained(podKey));
  }

  focusExplanations(focus: PodFocus): void {
    this.#focus = focus;
    for (const { scheduler } of this.#processes.values()) scheduler.focusExplanations(focus);
  }

  /** Ends all of them and their worker threads. */
  async dispose(): Promise<void> {
    this.stop();
    await Promise.all(this.#ending);
  }

  #process(index: number): Process {
    const present = this.#processes.get(index);
    if (present !== undefined) return present;
    const { bus } = this.#site;
    const party = replicaParty(COMPONENT, index);
    const kernel = this.#site.kernel.at(party);
    const connection = bus.connect(party, { limit: this.#options.limit });
    const scheduler = createScheduler({ kernel, connection, options: this.#options });
    if (this.#focus !== undefined) scheduler.focusExplanations(this.#focus);
    const process = { scheduler, connection };
    this.#processes.set(index, process);
    return process;
  }

  #begin(index: number): void {
    this.#process(index).scheduler.start();
    this.#sinceMs = this.#site.kernel.clock.now();
  }

  #end(index: number): void {
    this.#sinceMs = undefined;
    const process = this.#processes.get(index);
    if (process === undefined) return;
    this.#processes.delete(index);
    this.#former = plus(this.#former, process.scheduler.stats);
    this.#ending.push(process.scheduler.dispose());
    process.connection.dispose();
  }
}

function plus(a: Counts, b: Counts): Counts {
  const ways = new Map(a.ways.map((each) => [`${each.way} ${each.reason}`, each]));
  for (const each of b.ways) {
    const key = `${each.way} ${each.reason}`;
    ways.set(key, { ...each, count: each.count + (ways.get(key)?.count ?? 0) });
  }
  return { attempts: a.attempts + b.attempts, scheduled: a.scheduled + b.scheduled, ways: [...ways.values()] };
}
