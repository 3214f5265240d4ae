/** Reads the parts of a job that stand in mappings of their own: the growth of its load, hooks, watchers, churn. */
import { printed } from '../../workload/input-error.js';
import type { LoadFields } from '../input/load-fields.js';
import type { BurnerWatcher, ChurnSettings } from './burner-config.js';
import { HOOK_STAGES, type BurnerHook } from './job-hooks.js';
import type { IncrementalLoad, LoadPattern } from './load-steps.js';

/** @throws LoadError that names file, line and field */
export function incrementalLoadOf(fields: LoadFields): IncrementalLoad {
  fields.only(['startIterations', 'totalIterations', 'stepDelay', 'pattern', 'healthCheckScript']);
  return {
    startIterations: fields.integer('startIterations', 0, 0),
    totalIterations: fields.integer('totalIterations', 0, 0),
    stepDelayMs: fields.durationMs('stepDelay', 0),
    pattern: patternOf(fields.fields('pattern') ?? fields.empty('pattern')),
    healthCheckScript: fields.text('healthCheckScript', ''),
  };
}

function patternOf(fields: LoadFields): LoadPattern {
  fields.only(['type', 'linear', 'exponential']);
  if (fields.choice('type', ['linear', 'exponential'], 'linear') === 'linear') {
    const linear = fields.fields('linear') ?? fields.empty('linear');
    linear.only(['minSteps', 'stepSize']);
    const stepSize = Math.max(1, linear.integer('stepSize', 1, 0));
    return { type: 'linear', stepSize, minSteps: linear.integer('minSteps', 0, 0) };
  }
  const exponential = fields.fields('exponential') ?? fields.empty('exponential');
  exponential.only(['base', 'maxIncrease', 'warmupSteps']);
  const base = exponential.value('base') ?? 2;
  if (typeof base !== 'number' || !Number.isFinite(base)) {
    throw exponential.refusal('base', `must be a number, got ${printed(base)}`);
  }
  return {
    type: 'exponential',
    base: base > 0 ? base : 2,
    maxIncrease: exponential.integer('maxIncrease', 0, 0),
    warmupSteps: exponential.integer('warmupSteps', 0, 0),
  };
}

/** @throws LoadError that names file, line and field */
export function hookOf(fields: LoadFields): BurnerHook {
  fields.only(['cmd', 'when', 'background']);
  const cmd = fields.texts('cmd') ?? [];
  if (cmd.length === 0) throw fields.refusal('cmd', 'must be a program with its arguments, got nothing');
  fields.requiredText('when');
  return {
    cmd,
    when: fields.choice('when', HOOK_STAGES, 'afterCleanup'),
    background: fields.flag('background', false),
  };
}

/** @throws LoadError that names file, line and field */
export function watcherOf(fields: LoadFields): BurnerWatcher {
  fields.only(['kind', 'apiVersion', 'labelSelector', 'replicas']);
  return {
    kind: fields.requiredText('kind'),
    apiVersion: fields.text('apiVersion', 'v1'),
    labelSelector: fields.params('labelSelector'),
    replicas: fields.integer('replicas', 1, 0),
  };
}

/** @throws LoadError that names file, line and field */
export function churnOf(fields: LoadFields): ChurnSettings | undefined {
  fields.only(['cycles', 'percent', 'duration', 'delay', 'deleteDelay', 'mode']);
  const settings: ChurnSettings = {
    mode: fields.choice('mode', ['namespaces', 'objects'], 'namespaces'),
    cycles: fields.integer('cycles', 0, 0),
    percent: fields.integer('percent', 0, 0),
    durationMs: fields.durationMs('duration', 0),
    delayMs: fields.durationMs('delay', 0),
    deleteDelayMs: fields.durationMs('deleteDelay', 0),
  };
  if (settings.percent > 100) throw fields.refusal('percent', `must be an integer in 0..100, got ${settings.percent}`);
  return settings.cycles > 0 || settings.durationMs > 0 ? settings : undefined;
}
