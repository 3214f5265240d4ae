/** The cluster autoscaler's settings as users give them, under the names of cluster-autoscaler's flags. */
import {
  DEFAULT_AUTOSCALER_SETTINGS,
  EXPANDERS,
  type AutoscalerSettings,
  type ExpanderName,
  type TotalLimits,
} from '../controllers/cluster-autoscaler/autoscaler-settings.js';
import type { ClientLimits } from '../bus/client-limits.js';
import { durationMs, type Duration } from './durations.js';
import { isMapping } from './option-checks.js';
import { OptionError, refuseUnknown } from './option-error.js';

/** Settings that are durations. */
export const AUTOSCALER_DURATIONS = [
  'scanInterval',
  'newPodScaleUpDelay',
  'maxNodeProvisionTime',
  'initialNodeGroupBackoffDuration',
  'maxNodeGroupBackoffDuration',
  'nodeGroupBackoffResetTimeout',
  'scaleDownDelayAfterAdd',
  'scaleDownDelayAfterDelete',
  'scaleDownDelayAfterFailure',
  'scaleDownUnneededTime',
  'scaleDownUnreadyTime',
  'unremovableNodeRecheckTimeout',
  'maxBulkSoftTaintTime',
  'maxPodEvictionTime',
  'nodeDeleteDelayAfterTaint',
  'nodeDeletionDelayTimeout',
  'blockingSystemPodDistruptionTimeout',
] as const satisfies readonly (keyof AutoscalerSettings)[];
type Durations = (typeof AUTOSCALER_DURATIONS)[number];

/** Numbers with a part after the point, and the largest that each may be. */
export const AUTOSCALER_FRACTIONS: Readonly<Partial<Record<keyof AutoscalerSettings, number>>> = {
  scaleDownUtilizationThreshold: 1,
  maxTotalUnreadyPercentage: 100,
};

/** See the file header; all are optional. */
export type ClusterAutoscalerOptions = Partial<
  Omit<AutoscalerSettings, Durations | 'expander' | 'coresTotal' | 'memoryTotal'>
> & { readonly [Name in Durations]?: Duration } & {
  /** One expander, or several of which each narrows what those before it left. @defaultValue least-waste */
  readonly expander?: ExpanderName | readonly ExpanderName[];
  readonly coresTotal?: Partial<TotalLimits>;
  /** Gibibytes. */
  readonly memoryTotal?: Partial<TotalLimits>;
};

const PATH = 'clusterAutoscaler.';
const MOST = 2_147_483_647;

/** @throws OptionError that names the field, what it got and what is allowed */
export function clusterAutoscalerOf(options: unknown, clientLimits: ClientLimits): AutoscalerSettings {
  const given = options === undefined || options === true ? {} : options;
  if (!isMapping(given)) throw new OptionError('clusterAutoscaler', 'an object, or true', options);
  refuseUnknown(PATH, given, Object.keys(DEFAULT_AUTOSCALER_SETTINGS));
  const settings: Record<string, unknown> = { ...DEFAULT_AUTOSCALER_SETTINGS };
  // As a negative QPS stands for no limit.
  if (clientLimits === 'unlimited') settings['kubeClientQPS'] = -1;
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) settings[name] = settingOf(name as keyof AutoscalerSettings, value);
  }
  const resolved = settings as unknown as AutoscalerSettings;
  if (resolved.scanInterval === 0) {
    throw new OptionError(`${PATH}scanInterval`, 'milliseconds > 0 or a duration such as "10s"', given['scanInterval']);
  }
  return resolved;
}

function settingOf(name: keyof AutoscalerSettings, value: unknown): unknown {
  const field = PATH + name;
  if ((AUTOSCALER_DURATIONS as readonly string[]).includes(name)) return durationMs(field, value as Duration);
  const fraction = AUTOSCALER_FRACTIONS[name];
  if (fraction !== undefined) return numberOf(field, value, 0, fraction);
  if (name === 'expander') return expandersOf(value);
  if (name === 'coresTotal' || name === 'memoryTotal') return limitsOf(name, value);
  const standard = DEFAULT_AUTOSCALER_SETTINGS[name];
  if (typeof standard === 'boolean') {
    if (typeof value !== 'boolean') throw new OptionError(field, 'true or false', value);
    return value;
  }
  if (Array.isArray(standard)) {
    const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
    if (!isList) throw new OptionError(field, 'a list of keys of taints', value);
    return value;
  }
  const mayBeNegative = name === 'expendablePodsPriorityCutoff' || name === 'kubeClientQPS';
  const whole = numberOf(field, value, mayBeNegative ? -MOST : 0, MOST);
  if (name !== 'kubeClientQPS' && !Number.isInteger(whole)) throw new OptionError(field, 'an integer', value);
  return whole;
}

function numberOf(field: string, value: unknown, least: number, most: number): number {
  if (typeof value === 'number' && value >= least && value <= most) return value;
  throw new OptionError(field, `a number in ${least}..${most}`, value);
}

function expandersOf(value: unknown): readonly ExpanderName[] {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  const allowed = `one of ${EXPANDERS.join(', ')}, or a list of these, each once, with random at most as the last`;
  const isKnown = names.every((name) => EXPANDERS.some((each) => each === name));
  const isOnce = new Set(names).size === names.length;
  const random = names.indexOf('random');
  const isLast = random === -1 || random === names.length - 1;
  if (names.length === 0 || !isKnown || !isOnce || !isLast) throw new OptionError(`${PATH}expander`, allowed, value);
  return names as readonly ExpanderName[];
}

function limitsOf(name: 'coresTotal' | 'memoryTotal', value: unknown): TotalLimits {
  const field = PATH + name;
  if (!isMapping(value)) throw new OptionError(field, 'an object such as {min: 0, max: 100}', value);
  refuseUnknown(`${field}.`, value, ['min', 'max']);
  const standard = DEFAULT_AUTOSCALER_SETTINGS[name];
  const min = value['min'] === undefined ? standard.min : numberOf(`${field}.min`, value['min'], 0, MOST);
  const max = value['max'] === undefined ? standard.max : numberOf(`${field}.max`, value['max'], min, MOST);
  return { min, max };
}
