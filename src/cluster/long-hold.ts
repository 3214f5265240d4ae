import { durationMs, type Duration } from './durations.js';
import { OptionError } from './option-error.js';

const LONGEST_MS = 86_400_000;

/** After how many real milliseconds a hold is told. @throws OptionError */
export function holdWarningMs(value: Duration = '5s'): number {
  const ms = durationMs('holdWarningAfter', value);
  if (ms < 1 || ms > LONGEST_MS) throw new OptionError('holdWarningAfter', 'a duration in 1ms..24h', value);
  return ms;
}

/** What a user is told of a clock that has stood still for long. */
export function longHoldText(label: string, afterMs: number, atMs: number): string {
  return (
    `Warning: simulated time has stood still at ${atMs / 1000}s for ${afterMs / 1000}s of real time, held by ${label}. ` +
    'What is held must wait for real time alone: it can never end if it waits for something that simulated time brings.'
  );
}

/** For a warning that nobody in the program listens to. */
export function warnProcess(text: string): void {
  process.emitWarning(text.replace(/^Warning: /u, ''), 'KubeloomWarning');
}

/** @throws OptionError when it is no promise */
export function checkPromise(work: unknown): void {
  const isObject = (typeof work === 'object' && work !== null) || typeof work === 'function';
  if (isObject && 'then' in work && typeof work.then === 'function') return;
  throw new OptionError('hold(work)', 'a promise', work);
}
