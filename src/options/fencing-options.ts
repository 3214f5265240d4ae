/** Fencing as an option of a cluster: how and when nodes without a sign of life are fenced. */
import type { FencingAction, FencingSettings } from '../controllers/fencing/fencing-settings.js';
import { integerOption, OptionError, refuseUnknown } from './option-error.js';

/** Actions that come with the program. */
const ACTIONS = ['powerOff', 'powerCycle', 'cutStorage'] as const;

/** See {@link FencingOptions.action}. */
export type OwnAction = (typeof ACTIONS)[number];

/** When and how nodes without a sign of life are fenced. */
export interface FencingOptions {
  /**
   * `powerOff`: the machine is switched off and stays so. `powerCycle`: it is switched off and on again.
   * `cutStorage`: its mounts of volumes are taken away, and its processes run on without them. Or an action of
   * your own. @defaultValue powerCycle
   */
  readonly action?: OwnAction | FencingAction;
  /** How long a node may be unreachable; a pod that tolerates less shortens it. 0..86400. @defaultValue 60 */
  readonly toleranceSeconds?: number;
  /** How much longer while budgets of all pods concerned still have enough. 0..86400. @defaultValue 240 */
  readonly patienceSeconds?: number;
  /** Seconds until a built-in action is done and confirmed. 0..3600. @defaultValue 5 */
  readonly confirmSeconds?: number;
  /** Only pods of this priority or a higher one are worth a fence. @defaultValue all are */
  readonly minPriority?: number;
  /** Percentage of all nodes; while more are unreachable none is fenced. 0..100. @defaultValue 40 */
  readonly maxUnreachablePercent?: number;
}

/** {@link FencingOptions} with every default filled in. */
export interface ResolvedFencing extends Omit<FencingSettings, 'action'> {
  readonly action: OwnAction | FencingAction;
  readonly confirmMs: number;
}

const KNOWN: readonly string[] = [
  'action',
  'toleranceSeconds',
  'patienceSeconds',
  'confirmSeconds',
  'minPriority',
  'maxUnreachablePercent',
];
const LOWEST_PRIORITY = -2_147_483_648;

/** `undefined` = no fencing. @throws OptionError that names the field, what it got and what is allowed */
export function resolveFencing(fencing: boolean | FencingOptions | undefined): ResolvedFencing | undefined {
  if (fencing === undefined || fencing === false) return undefined;
  const options = fencing === true ? {} : fencing;
  refuseUnknown('fencing.', options, KNOWN);
  const { action = 'powerCycle' } = options;
  if (!isAction(action)) throw new OptionError('fencing.action', `one of ${ACTIONS.join(', ')}, or an action`, action);
  const seconds = (field: 'toleranceSeconds' | 'patienceSeconds' | 'confirmSeconds', fallback: number, most: number) =>
    integerOption(`fencing.${field}`, options[field], fallback, 0, most);
  return {
    action,
    toleranceSeconds: seconds('toleranceSeconds', 60, 86_400),
    patienceSeconds: seconds('patienceSeconds', 240, 86_400),
    confirmMs: seconds('confirmSeconds', 5, 3600) * 1000,
    minPriority: integerOption(
      'fencing.minPriority',
      options.minPriority,
      LOWEST_PRIORITY,
      LOWEST_PRIORITY,
      2_147_483_647,
    ),
    maxUnreachable: integerOption('fencing.maxUnreachablePercent', options.maxUnreachablePercent, 40, 0, 100) / 100,
  };
}

function isAction(action: unknown): action is ResolvedFencing['action'] {
  if (typeof action === 'string') return ACTIONS.some((each) => each === action);
  if (typeof action !== 'object' || action === null || !('fence' in action) || !('name' in action)) return false;
  return typeof action.fence === 'function' && typeof action.name === 'string';
}
