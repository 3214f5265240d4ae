import type { ControllerDefinition } from '../controllers/controller-manager.js';
import { integerOption, OptionError, refuseUnknown } from './option-error.js';

const KNOWN: readonly (keyof ControllerDefinition)[] = [
  'name',
  'component',
  'concurrentSyncs',
  'maxRetries',
  'retryDelays',
  'setup',
  'reconcile',
  'holdsClock',
  'clientLimit',
];
const MOST_SYNCS = 1_000_000;
const LONGEST_DELAY_MS = 86_400_000;

/** Looks at a controller of the user's own. @throws OptionError that names the field, what it got and what is allowed */
export function checkDefinition(definition: ControllerDefinition): void {
  refuseUnknown('controller.', definition, KNOWN);
  const { name, component, concurrentSyncs, maxRetries, retryDelays } = definition;
  for (const part of ['setup', 'reconcile'] as const) {
    if (typeof definition[part] === 'function') continue;
    throw new OptionError(`controller.${part}`, 'a function', definition[part]);
  }
  if (typeof name !== 'string' || name === '') throw new OptionError('controller.name', 'a non-empty text', name);
  if (component !== undefined && (typeof component !== 'string' || component === '')) {
    throw new OptionError('controller.component', 'a non-empty text', component);
  }
  const { holdsClock = true } = definition;
  if (typeof holdsClock !== 'boolean') throw new OptionError('controller.holdsClock', 'true or false', holdsClock);
  const { clientLimit } = definition;
  if (clientLimit !== undefined && typeof clientLimit !== 'function') {
    throw new OptionError('controller.clientLimit', 'a function', clientLimit);
  }
  integerOption('controller.concurrentSyncs', concurrentSyncs, 1, 1, MOST_SYNCS);
  integerOption('controller.maxRetries', maxRetries, 0, 0, Number.MAX_SAFE_INTEGER);
  if (retryDelays === undefined) return;
  refuseUnknown('controller.retryDelays.', retryDelays, ['baseDelayMs', 'maxDelayMs']);
  for (const field of ['baseDelayMs', 'maxDelayMs'] as const) {
    const delayMs: unknown = retryDelays[field];
    if (typeof delayMs === 'number' && delayMs >= 0 && delayMs <= LONGEST_DELAY_MS) continue;
    throw new OptionError(`controller.retryDelays.${field}`, `milliseconds in 0..${LONGEST_DELAY_MS}`, delayMs);
  }
}
