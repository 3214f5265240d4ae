import type { Clock } from '../kernel/engine/clock.js';
import type { HoldListener } from '../kernel/engine/hold-warnings.js';
import { durationMs, type Duration } from '../options/durations.js';
import { checkValue, orAbsent, TEXT, type Check } from '../options/option-checks.js';
import { OptionError } from '../options/option-error.js';
import type { Warnings } from '../observers/warnings.js';

const LONGEST_MS = 86_400_000;

/** After how many real milliseconds a hold is told. @throws OptionError */
export function holdWarningMs(value: Duration = '5s'): number {
  const ms = durationMs('holdWarningAfter', value);
  if (ms < 1 || ms > LONGEST_MS) throw new OptionError('holdWarningAfter', 'a duration in 1ms..24h', value);
  return ms;
}

/**
 * What a user is told of what the program awaits: in the stream of warnings, or where that has no subscriber as a
 * warning of the process.
 */
export function holdListener(longMs: number, clock: Clock, warnings: Warnings): HoldListener {
  const tell = (text: string): void => {
    if (!warnings.isObserved) process.emitWarning(text, 'KubeloomWarning');
    warnings.tell(`Warning: ${text}`);
  };
  return {
    longMs,
    onLong: (label) =>
      tell(
        `simulated time has stood still at ${seconds(clock.now())} for ${seconds(longMs)} of real time, held by ${label}. ` +
          'What is held must wait for real time alone: it can never end if it waits for something that simulated time ' +
          'brings. A controller whose reconciles wait for each other says holdsClock: false.',
      ),
    onOvertaken: (label) =>
      tell(
        `${label} went on at ${seconds(clock.now())} of simulated time while it also waited for an answer, a timer or a ` +
          'stream of the cluster. When that is depends on this machine: cluster.hold what takes real time beside them.',
      ),
  };
}

function seconds(ms: number): string {
  return `${ms / 1000}s`;
}

/** What `hold` is given. @throws OptionError when it is no promise, or its label no text */
export function checkHold(work: unknown, label: unknown): void {
  checkValue('hold(…, label)', label, orAbsent(TEXT));
  checkValue('hold(work)', work, PROMISE);
}

const PROMISE: Check = [
  'a promise',
  (work) =>
    ((typeof work === 'object' && work !== null) || typeof work === 'function') &&
    'then' in work &&
    typeof work.then === 'function',
];
