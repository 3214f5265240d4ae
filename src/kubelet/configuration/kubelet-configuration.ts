/**
 * How kubelets are configured, under the names of upstream's KubeletConfiguration (kubelet.config.k8s.io/v1beta1,
 * v1.34), as far as a simulated node can differ by it. Checked once, at the door.
 */
import type { ResourceList } from '../../api/objects/objects.js';
import { canonicalQuantity, parseQuantity, QuantityError, value, wholeValue } from '../../api/values/quantity.js';
import type { ClientLimits } from '../../bus/client-limits.js';
import { parseDurationMs } from '../../kernel/distribution.js';
import { printedValue } from '../../kernel/printed-value.js';
import { SIGNALS, type ConfiguredSignal, type Threshold, type ThresholdValue } from './threshold.js';
import {
  REQUEST_LIMIT_FIELDS,
  requestLimitsOf,
  type RequestLimitFields,
  type RequestLimits,
} from './request-limits.js';
import { SECOND_MS } from '../../kernel/time-units.js';
import { MAX_INT32 } from '../../api/values/int32.js';

/** Signal to quantity or percentage, such as `{ 'memory.available': '100Mi', 'nodefs.available': '10%' }`. */
export type EvictionThresholds = Readonly<Partial<Record<ConfiguredSignal, string>>>;

/** Pods of at least that priority are given that time when the node is shut down. */
export interface ShutdownGrace {
  readonly priority: number;
  /** Seconds, 0..86400. */
  readonly shutdownGracePeriodSeconds: number;
}

/** Settings of a kubelet; durations as Go writes them, such as `30s` or `5m`. */
export interface KubeletConfiguration extends RequestLimitFields {
  /**
   * Below these pods are evicted at once. Setting any drops the other defaults.
   * @defaultValue memory.available 100Mi, nodefs.available 10%, nodefs.inodesFree 5%, imagefs.available 15%, imagefs.inodesFree 5%
   */
  readonly evictionHard?: EvictionThresholds;
  /** Below these pods are evicted after a grace period, which each of them must have. @defaultValue none */
  readonly evictionSoft?: EvictionThresholds;
  readonly evictionSoftGracePeriod?: Readonly<Partial<Record<ConfiguredSignal, string>>>;
  /** How much more must be free again. @defaultValue none */
  readonly evictionMinimumReclaim?: EvictionThresholds;
  /** Longest grace of pods that soft thresholds evict, seconds, 0..86400. @defaultValue 0 */
  readonly evictionMaxPodGracePeriod?: number;
  /** How long a pressure is reported after it was observed last. @defaultValue 5m */
  readonly evictionPressureTransitionPeriod?: string;
  /** Whether hard thresholds that are not set keep their defaults. @defaultValue false */
  readonly mergeDefaultEvictionSettings?: boolean;
  /** Time for all pods when the node is shut down; 0 = none is given. @defaultValue 0s */
  readonly shutdownGracePeriod?: string;
  /** The part of it, at its end, that is for critical pods. @defaultValue 0s */
  readonly shutdownGracePeriodCriticalPods?: string;
  /** In place of both of the above. @defaultValue none */
  readonly shutdownGracePeriodByPodPriority?: readonly ShutdownGrace[];
  /** Pods that the node takes, 1..2147483647. @defaultValue the capacity of `pods`, or 110 */
  readonly maxPods?: number;
  /** Taken off the capacity for the system's own processes. @defaultValue nothing */
  readonly systemReserved?: ResourceList;
  /** Taken off the capacity for Kubernetes' own processes. @defaultValue nothing */
  readonly kubeReserved?: ResourceList;
  /** Use of the disk, percent, at which unused images are removed. 0..100. @defaultValue 85 */
  readonly imageGCHighThresholdPercent?: number;
  /** Use of the disk, percent, down to which they are. Less than the other. @defaultValue 80 */
  readonly imageGCLowThresholdPercent?: number;
  /** Images that have been there for less are kept. @defaultValue 2m */
  readonly imageMinimumGCAge?: string;
  /** Sysctls that pods may set beside the safe ones; a last `*` stands for any rest. @defaultValue none */
  readonly allowedUnsafeSysctls?: readonly string[];
}

/** A configuration in plain numbers, with every default filled in. */
export interface KubeletSettings {
  readonly thresholds: readonly Threshold[];
  readonly maxPodGraceSeconds: number;
  readonly pressureTransitionMs: number;
  /** Ascending by priority; empty = nothing happens at a shutdown. */
  readonly shutdownGraces: readonly ShutdownGrace[];
  readonly maxPods: number | undefined;
  /** For the system's own processes, and for Kubernetes'. */
  readonly reserved: readonly ResourceList[];
  readonly imageGC: { readonly highShare: number; readonly lowShare: number; readonly minimumAgeMs: number };
  readonly limits: RequestLimits;
  readonly allowedSysctls: readonly string[];
}

/** A configuration that cannot be used; `field` says where. */
export class KubeletConfigurationError extends Error {
  override readonly name = 'KubeletConfigurationError';
}

const DEFAULT_HARD: EvictionThresholds = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
};
/** What is said of everything but requests. */
type Filled = Required<Omit<KubeletConfiguration, keyof RequestLimitFields>>;

const DEFAULTS: Filled = {
  evictionHard: DEFAULT_HARD,
  evictionSoft: {},
  evictionSoftGracePeriod: {},
  evictionMinimumReclaim: {},
  evictionMaxPodGracePeriod: 0,
  evictionPressureTransitionPeriod: '5m',
  mergeDefaultEvictionSettings: false,
  shutdownGracePeriod: '0s',
  shutdownGracePeriodCriticalPods: '0s',
  shutdownGracePeriodByPodPriority: [],
  maxPods: 110,
  systemReserved: {},
  kubeReserved: {},
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  imageMinimumGCAge: '2m',
  allowedUnsafeSysctls: [],
};
const KNOWN: readonly string[] = [...Object.keys(DEFAULTS), ...REQUEST_LIMIT_FIELDS];
const GRACE_FIELDS: readonly string[] = ['priority', 'shutdownGracePeriodSeconds'];
/** Priority from which on pods are critical. */
export const CRITICAL_PRIORITY = 2_000_000_000;

const LONGEST_GRACE_SECONDS = 86_400;
/** What a kubelet starts with as a reservation (v1.34 cmd/kubelet/app/server.go, parseResourceList). */
const RESERVABLE: readonly string[] = ['cpu', 'memory', 'ephemeral-storage', 'pid'];

/**
 * Checks a configuration and fills in what it leaves open.
 *
 * @param clientLimits - how fast requests may follow each other where it does not say
 * @throws KubeletConfigurationError that names the field, what it got and what is allowed
 */
export function resolveKubeletConfiguration(
  given: KubeletConfiguration = {},
  path = 'kubelet',
  clientLimits: ClientLimits = 'upstream',
): KubeletSettings {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) refuse(path, 'an object', given);
  for (const key of Object.keys(given)) {
    if (!KNOWN.includes(key)) refuse(`${path}.${key}`, `one of ${KNOWN.join(', ')}`, key);
  }
  const all: Filled = { ...DEFAULTS, ...given };
  const at = (field: keyof KubeletConfiguration): string => `${path}.${field}`;
  const durationMs = (field: keyof Filled): number => durationOf(at(field), all[field]);
  const integer = (field: keyof Filled, min: number, max: number): number => integerOf(at(field), all[field], min, max);
  const high = integer('imageGCHighThresholdPercent', 0, 100);
  const low = integer('imageGCLowThresholdPercent', 0, 100);
  if (low >= high) refuse(at('imageGCLowThresholdPercent'), `less than imageGCHighThresholdPercent (${high})`, low);
  if (typeof all.mergeDefaultEvictionSettings !== 'boolean') {
    refuse(at('mergeDefaultEvictionSettings'), 'true or false', all.mergeDefaultEvictionSettings);
  }
  return {
    thresholds: thresholdsOf(all, given, path),
    maxPodGraceSeconds: integer('evictionMaxPodGracePeriod', 0, LONGEST_GRACE_SECONDS),
    pressureTransitionMs: durationMs('evictionPressureTransitionPeriod'),
    shutdownGraces: shutdownGracesOf(all, path),
    maxPods: given.maxPods === undefined ? undefined : integer('maxPods', 1, MAX_INT32),
    reserved: [
      resourcesOf(at('systemReserved'), all.systemReserved),
      resourcesOf(at('kubeReserved'), all.kubeReserved),
    ],
    imageGC: { highShare: high / 100, lowShare: low / 100, minimumAgeMs: durationMs('imageMinimumGCAge') },
    limits: requestLimitsOf(given, clientLimits, (field, allowed, got) => refuse(at(field), allowed, got)),
    allowedSysctls: textsOf(at('allowedUnsafeSysctls'), all.allowedUnsafeSysctls),
  };
}

function thresholdsOf(all: Filled, given: KubeletConfiguration, path: string): Threshold[] {
  entriesOf(`${path}.evictionHard`, all.evictionHard);
  const hard =
    given.evictionHard !== undefined && all.mergeDefaultEvictionSettings
      ? { ...DEFAULT_HARD, ...all.evictionHard }
      : all.evictionHard;
  const reclaims = valuesOf(`${path}.evictionMinimumReclaim`, all.evictionMinimumReclaim);
  const graces = new Map(
    entriesOf(`${path}.evictionSoftGracePeriod`, all.evictionSoftGracePeriod).map(([signal, text]) => [
      signal,
      durationOf(`${path}.evictionSoftGracePeriod['${signal}']`, text),
    ]),
  );
  const hardOnes = [...valuesOf(`${path}.evictionHard`, hard)].map(([signal, limit]) => ({
    signal,
    value: limit,
    graceMs: 0,
    minReclaim: reclaims.get(signal),
  }));
  const softOnes = [...valuesOf(`${path}.evictionSoft`, all.evictionSoft)].map(([signal, limit]) => {
    const graceMs = graces.get(signal);
    if (graceMs === undefined || graceMs === 0) {
      refuse(`${path}.evictionSoftGracePeriod['${signal}']`, 'longer than 0s for a soft threshold', graceMs);
    }
    return { signal, value: limit, graceMs, minReclaim: reclaims.get(signal) };
  });
  const allocatable = hardOnes
    .filter(({ signal }) => signal === 'memory.available')
    .map((threshold) => ({ ...threshold, signal: 'allocatableMemory.available' as const }));
  return [...hardOnes, ...softOnes, ...allocatable];
}

function entriesOf(field: string, map: unknown): [ConfiguredSignal, unknown][] {
  if (typeof map !== 'object' || map === null || Array.isArray(map)) refuse(field, 'a map of signals', map);
  return Object.entries(map).map(([signal, given]) => {
    const known = SIGNALS.find((each) => each === signal);
    return known === undefined ? refuse(field, `a map of ${SIGNALS.join(', ')}`, signal) : [known, given];
  });
}

/** 0% and 100% switch a threshold off, as upstream. */
function valuesOf(field: string, map: unknown): Map<ConfiguredSignal, ThresholdValue> {
  const values = new Map<ConfiguredSignal, ThresholdValue>();
  for (const [signal, given] of entriesOf(field, map)) {
    const limit = valueOf(`${field}['${signal}']`, given);
    if (!('share' in limit) || (limit.share > 0 && limit.share < 1)) values.set(signal, limit);
  }
  return values;
}

function valueOf(field: string, given: unknown): ThresholdValue {
  const allowed = 'a positive quantity such as 100Mi or a percentage such as 10%';
  if (typeof given !== 'string') return refuse(field, allowed, given);
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(given)?.[1];
  if (percent !== undefined) {
    return Number(percent) <= 100 ? { share: shareOf(Number(percent)) } : refuse(field, allowed, given);
  }
  const amount = quantityOf(field, given, allowed);
  return amount > 0 ? { amount, text: canonicalQuantity(given) } : refuse(field, allowed, given);
}

/** Upstream keeps shares as 32-bit numbers (parsePercentage), and the amounts that come of them show it. */
function shareOf(percent: number): number {
  return Math.fround(Math.fround(percent) / 100);
}

function quantityOf(field: string, text: string, allowed: string): number {
  try {
    return value(parseQuantity(text));
  } catch (error) {
    if (error instanceof QuantityError) return refuse(field, allowed, text);
    throw error;
  }
}

/** With the two simple settings, the priority of critical pods divides the time. */
function shutdownGracesOf(all: Filled, path: string): readonly ShutdownGrace[] {
  const field = `${path}.shutdownGracePeriodByPodPriority`;
  const totalMs = durationOf(`${path}.shutdownGracePeriod`, all.shutdownGracePeriod);
  const criticalMs = durationOf(`${path}.shutdownGracePeriodCriticalPods`, all.shutdownGracePeriodCriticalPods);
  for (const [name, ms] of [
    ['shutdownGracePeriod', totalMs],
    ['shutdownGracePeriodCriticalPods', criticalMs],
  ] as const) {
    if (ms > 0 && ms < SECOND_MS) refuse(`${path}.${name}`, '0s or at least 1s', all[name]);
  }
  const list: unknown = all.shutdownGracePeriodByPodPriority;
  if (!Array.isArray(list)) return refuse(field, 'a list of {priority, shutdownGracePeriodSeconds}', list);
  if (criticalMs > totalMs) {
    refuse(
      `${path}.shutdownGracePeriodCriticalPods`,
      'at most shutdownGracePeriod',
      all.shutdownGracePeriodCriticalPods,
    );
  }
  if (list.length === 0) {
    if (totalMs === 0) return [];
    const [totalSeconds, criticalSeconds] = [Math.floor(totalMs / SECOND_MS), Math.floor(criticalMs / SECOND_MS)];
    return [
      { priority: 0, shutdownGracePeriodSeconds: totalSeconds - criticalSeconds },
      { priority: CRITICAL_PRIORITY, shutdownGracePeriodSeconds: criticalSeconds },
    ];
  }
  if (totalMs > 0) refuse(field, 'absent beside shutdownGracePeriod', list);
  const graces = list.map((each: Partial<ShutdownGrace> | null, index): ShutdownGrace => {
    const where = `${field}[${index}]`;
    const unknown = Object.keys(each ?? {}).find((key) => !GRACE_FIELDS.includes(key));
    if (unknown !== undefined) refuse(`${where}.${unknown}`, `one of ${GRACE_FIELDS.join(', ')}`, unknown);
    return {
      priority: integerOf(`${where}.priority`, each?.priority, -MAX_INT32 - 1, MAX_INT32),
      shutdownGracePeriodSeconds: integerOf(
        `${where}.shutdownGracePeriodSeconds`,
        each?.shutdownGracePeriodSeconds,
        0,
        LONGEST_GRACE_SECONDS,
      ),
    };
  });
  return graces.toSorted((a, b) => a.priority - b.priority);
}

function resourcesOf(field: string, list: unknown): ResourceList {
  if (typeof list !== 'object' || list === null || Array.isArray(list)) refuse(field, 'a map of quantities', list);
  for (const [name, text] of Object.entries(list)) {
    if (!RESERVABLE.includes(name)) refuse(field, `a map of ${RESERVABLE.join(', ')}`, name);
    const allowed = 'a quantity such as 500m or 1Gi';
    if (typeof text !== 'string') refuse(`${field}.${name}`, allowed, text);
    quantityOf(`${field}.${name}`, text, allowed);
    if (wholeValue(text) < 0) refuse(`${field}.${name}`, 'at least 0', text);
  }
  return list as ResourceList;
}

function textsOf(field: string, list: unknown): readonly string[] {
  const isTexts = Array.isArray(list) && list.every((each) => typeof each === 'string' && each !== '');
  return isTexts ? (list as string[]) : refuse(field, 'a list of sysctl names', list);
}

function durationOf(field: string, given: unknown): number {
  const ms = typeof given === 'string' ? parseDurationMs(given) : undefined;
  return ms ?? refuse(field, 'a duration such as 30s or 5m', given);
}

function integerOf(field: string, given: unknown, min: number, max: number): number {
  if (typeof given === 'number' && Number.isInteger(given) && given >= min && given <= max) return given;
  return refuse(field, `an integer in ${min}..${max}`, given);
}

function refuse(field: string, allowed: string, got: unknown): never {
  throw new KubeletConfigurationError(
    `${field} must be ${allowed}, got ${got === undefined ? 'nothing' : printedValue(got)}`,
  );
}
