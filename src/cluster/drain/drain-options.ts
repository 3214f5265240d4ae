import { parseLabelSelector } from '../../api/selectors/labels.js';
import { flagOption, OptionError, refuseUnknown } from '../../options/option-error.js';
import { durationMs, type Duration } from '../../options/durations.js';

/** How a node is drained: the flags of kubectl drain. */
export interface DrainOptions {
  /** Pods that declare no controller, or one that is gone, are deleted too. @defaultValue false */
  readonly force?: boolean;
  /** Pods of DaemonSets are left where they are; otherwise they keep the node from being drained. @defaultValue false */
  readonly ignoreDaemonSets?: boolean;
  /** Pods with emptyDir volumes are deleted too, with their data. @defaultValue false */
  readonly deleteEmptyDirData?: boolean;
  /** Pods are deleted rather than evicted: no budget is asked. @defaultValue false */
  readonly disableEviction?: boolean;
  /** Seconds; negative = each pod's own. @defaultValue -1 */
  readonly gracePeriodSeconds?: number;
  /** Simulated time after which it gives up; 0 = never. @defaultValue 0 */
  readonly timeout?: Duration;
  /** Only pods with these labels, in kubectl's form. @defaultValue all */
  readonly podSelector?: string;
}

/** {@link DrainOptions} with every default filled in. */
export interface ResolvedDrainOptions extends Required<Omit<DrainOptions, 'timeout'>> {
  readonly timeoutMs: number;
}

const KNOWN: readonly (keyof DrainOptions)[] = [
  'force',
  'ignoreDaemonSets',
  'deleteEmptyDirData',
  'disableEviction',
  'gracePeriodSeconds',
  'timeout',
  'podSelector',
];
const LONGEST_GRACE_SECONDS = 2_147_483_647;

/** @throws OptionError that names the field, what it got and what is allowed */
export function resolveDrainOptions(options: DrainOptions): ResolvedDrainOptions {
  refuseUnknown('', options, KNOWN);
  const { gracePeriodSeconds = -1, timeout = 0, podSelector = '' } = options;
  if (!Number.isInteger(gracePeriodSeconds) || Math.abs(gracePeriodSeconds) > LONGEST_GRACE_SECONDS) {
    throw new OptionError('gracePeriodSeconds', 'a whole number of seconds', gracePeriodSeconds);
  }
  if (typeof podSelector !== 'string' || !isLabelSelector(podSelector)) {
    throw new OptionError('podSelector', 'a label selector such as a=b,c!=d', podSelector);
  }
  return {
    force: flagOption('force', options.force),
    ignoreDaemonSets: flagOption('ignoreDaemonSets', options.ignoreDaemonSets),
    deleteEmptyDirData: flagOption('deleteEmptyDirData', options.deleteEmptyDirData),
    disableEviction: flagOption('disableEviction', options.disableEviction),
    gracePeriodSeconds,
    podSelector,
    timeoutMs: durationMs('timeout', timeout),
  };
}

function isLabelSelector(text: string): boolean {
  try {
    parseLabelSelector(text);
    return true;
  } catch {
    return false;
  }
}
