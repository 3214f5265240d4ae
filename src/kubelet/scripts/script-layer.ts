/**
 * Scripts over scripts: what one source says of a container, over what less specific ones say. Field by
 * field, each field whole. Layers are made once and kept, so their merges are made once, too: pods with
 * scripts from the same places share one object.
 */
import type { Distribution } from '../../kernel/distribution.js';
import type { RuntimeProfile } from './runtime-profile.js';
import type { ContainerScript, RunScript } from './script-types.js';

/** What one source says. */
export interface ScriptLayer extends ContainerScript {
  /**
   * Of runs that name none; and of the runs of the layers below, whatever they name. It is a field of its own because
   * it may be said without the runs.
   */
  readonly exitCode?: NonNullable<RunScript['exitCode']>;
}

/** What a container without any script has: nothing is said. */
export const NO_SCRIPT: ContainerScript = Object.freeze({});

const merges = new WeakMap<ScriptLayer, WeakMap<ScriptLayer, ScriptLayer>>();

/** The first layer's fields, and the second's where it has none. */
export function over(upper: ScriptLayer, lower: ScriptLayer): ScriptLayer {
  if (upper === NO_SCRIPT) return lower;
  if (lower === NO_SCRIPT) return upper;
  let known = merges.get(upper);
  if (known === undefined) {
    known = new WeakMap();
    merges.set(upper, known);
  }
  let merged = known.get(lower);
  if (merged === undefined) {
    merged = merge(upper, lower);
    known.set(lower, merged);
  }
  return merged;
}

function merge(upper: ScriptLayer, lower: ScriptLayer): ScriptLayer {
  const merged: ScriptLayer = { ...lower, ...upper };
  const { exitCode } = upper;
  if (exitCode === undefined || upper.runs !== undefined || lower.runs === undefined) return merged;
  return { ...merged, runs: lower.runs.map((run) => withExitCode(run, exitCode)) };
}

function withExitCode(run: RunScript, exitCode: RunScript['exitCode']): RunScript {
  return run.isOutOfMemory === true || exitCode === undefined ? run : { ...run, exitCode };
}

/** What a container is to its pod, as far as its runs go by themselves. */
export type RunHabit = 'service' | 'init' | 'job';

/** The times after which containers end by themselves where no script speaks of runs. */
export type HabitProfile = Pick<RuntimeProfile, 'initRunFor' | 'jobRunFor'>;

const byHabit = new WeakSet<ContainerScript>();

/** Whether a script's runs are those that such a container has where nothing speaks of them. */
export function hasOwnHabit(script: ContainerScript): boolean {
  return script.runs === undefined || byHabit.has(script);
}

/** The script that a container has in the end, out of all that was said of it. */
export function settled(layer: ScriptLayer, habit: RunHabit, profile: HabitProfile): ContainerScript {
  const { exitCode, runs, ...rest } = layer;
  if (runs !== undefined) {
    return { ...rest, runs: runs.map((run) => (run.exitCode === undefined ? withExitCode(run, exitCode) : run)) };
  }
  const duration = habitDuration(habit, exitCode, profile);
  if (duration === undefined) return rest;
  if (exitCode !== undefined) return { ...rest, runs: [{ duration, exitCode }] };
  const script: ContainerScript = { ...rest, runs: [{ duration }] };
  byHabit.add(script);
  return script;
}

/** An init container ends by itself in any case; it needs a run of its own only for its exit code. */
function habitDuration(
  habit: RunHabit,
  exitCode: ScriptLayer['exitCode'],
  { initRunFor, jobRunFor }: HabitProfile,
): Distribution | undefined {
  if (habit === 'job') return jobRunFor;
  return habit === 'init' && exitCode !== undefined ? initRunFor : undefined;
}
