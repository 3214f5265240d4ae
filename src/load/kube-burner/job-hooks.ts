/**
 * Commands that a job has run at its stages (pkg/burner/hooks.go). They are the user's, on the machine of the user: they
 * take real time, in which simulated time stands still, but for those in the background, which are waited for at the end.
 */
import type { Cluster } from '../../cluster/cluster.js';

/** Stages at which a job runs commands, in their order. */
export const HOOK_STAGES = [
  'beforeGC',
  'afterGC',
  'beforeJobExecution',
  'onEachIteration',
  'afterJobExecution',
  'beforeChurn',
  'afterChurn',
  'beforeCleanup',
  'afterCleanup',
] as const;

/** One of them. */
export type HookStage = (typeof HOOK_STAGES)[number];

/** A command of a job. */
export interface BurnerHook {
  /** The program with its arguments. */
  readonly cmd: readonly string[];
  readonly when: HookStage;
  readonly background: boolean;
}

/** A command that is to be run. */
export interface HookCall extends BurnerHook {
  /** The job's name. */
  readonly job: string;
  /** Raised when the workload ends before the command does. */
  readonly signal: AbortSignal;
}

/** Runs a command; what it rejects with is what went wrong. */
export type HookRunner = (call: HookCall) => Promise<void>;

/** How hooks are run. */
export interface HookMeans {
  readonly cluster: Pick<Cluster, 'hold'>;
  readonly run: HookRunner;
  readonly signal: AbortSignal;
}

/** The hooks of one job. */
export class JobHooks {
  readonly #job: string;
  readonly #hooks: readonly BurnerHook[];
  readonly #means: HookMeans;
  #started: Promise<string | undefined>[] = [];

  constructor(job: string, hooks: readonly BurnerHook[], means: HookMeans) {
    this.#job = job;
    this.#hooks = hooks;
    this.#means = means;
  }

  /** Runs those of a stage: first those in the background are started, then the others run one by one. @returns what went wrong */
  async at(stage: HookStage): Promise<string[]> {
    const due = this.#hooks.filter(({ when }) => when === stage);
    for (const hook of due) if (hook.background) this.#started.push(this.#run(hook));
    for (const hook of due) {
      if (hook.background) continue;
      const problem = await this.#means.cluster.hold(this.#run(hook), `hook ${hook.cmd.join(' ')}`);
      if (problem !== undefined) return [`foreground hook execution failed at '${stage}': ${problem}`];
    }
    return [];
  }

  /** Waits for those in the background. @returns what went wrong */
  async collect(): Promise<string[]> {
    const started = this.#started;
    if (started.length === 0) return [];
    this.#started = [];
    const problems = await this.#means.cluster.hold(Promise.all(started), `hooks of job ${this.#job}`);
    return problems.flatMap((problem) => (problem === undefined ? [] : [`background hook failed: ${problem}`]));
  }

  async #run(hook: BurnerHook): Promise<string | undefined> {
    try {
      await this.#means.run({ ...hook, job: this.#job, signal: this.#means.signal });
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}
