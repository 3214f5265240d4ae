import { integerOption, OptionError, refuseUnknown } from './option-error.js';

/** A goal as data, which also a cluster on another thread understands. */
export interface RunGoal {
  /** At least so many pods are Ready. */
  readonly readyPods: number;
}

/** The goal as a question to ask after each tick. @throws OptionError */
export function goalTest(cluster: { readonly readyPods: number }, goal: RunGoal): () => boolean {
  if (typeof goal !== 'object' || goal === null || !('readyPods' in goal)) {
    throw new OptionError('until', 'a function, an Observable or a goal such as {readyPods: 10}', goal);
  }
  refuseUnknown('until.', goal, ['readyPods']);
  const readyPods = integerOption('until.readyPods', goal.readyPods, 0, 0, 100_000_000);
  return () => cluster.readyPods >= readyPods;
}
