/**
 * How a kubelet's conditions join those that are stored: conditions of others come first and stay as
 * they are, its own follow in order, and each keeps its transition time while its status is the same.
 * Results are shared: pods that start in the same second in the same way hold one array.
 */
import type { PodCondition } from '../../api/objects/objects.js';
import { isKubeletCondition, type WantedCondition } from './pod-conditions.js';

type Conditions = readonly PodCondition[];

const NONE: Conditions = [];
const DISRUPTION_TARGET = 'DisruptionTarget';
/** Variants kept before the memory is emptied: far more than one simulated second needs. */
const LARGEST_MEMORY = 4096;
const RECENT_VARIANTS = 8;

interface Merged {
  readonly generation: number | undefined;
  readonly conditions: Conditions;
}

/** Keeps one of each, and the merges of the present second. One per cluster. */
export class ConditionMerger {
  #wanted = new Map<string, readonly WantedCondition[]>();
  /** Those that came last: few variants come again and again. */
  readonly #recent: (readonly WantedCondition[])[] = [];
  #nextRecent = 0;
  #time = '';
  #merged = new Map<Conditions, Map<readonly WantedCondition[], Merged>>();
  #count = 0;

  /** The one array that stands for these conditions: equal conditions, same array. */
  canonical(wanted: readonly WantedCondition[]): readonly WantedCondition[] {
    for (const known of this.#recent) if (areAlike(known, wanted)) return known;
    const canonical = this.#known(wanted);
    this.#recent[this.#nextRecent] = canonical;
    this.#nextRecent = (this.#nextRecent + 1) % RECENT_VARIANTS;
    return canonical;
  }

  #known(wanted: readonly WantedCondition[]): readonly WantedCondition[] {
    const key = conditionKey(wanted);
    const known = this.#wanted.get(key);
    if (known !== undefined) return known;
    if (this.#wanted.size >= LARGEST_MEMORY) this.#wanted.clear();
    this.#wanted.set(key, wanted);
    return wanted;
  }

  /**
   * @param stored - the pod's conditions in the API
   * @param wanted - canonical
   * @param time - when the status was generated, RFC 3339
   * @param generation - metadata.generation of the pod that was looked at
   */
  merge(
    stored: Conditions = NONE,
    wanted: readonly WantedCondition[],
    time: string,
    generation: number | undefined,
  ): Conditions {
    if (time !== this.#time || this.#count >= LARGEST_MEMORY) {
      this.#time = time;
      this.#merged.clear();
      this.#count = 0;
    }
    let variants = this.#merged.get(stored);
    if (variants === undefined) {
      variants = new Map();
      this.#merged.set(stored, variants);
    }
    const known = variants.get(wanted);
    if (known !== undefined && known.generation === generation) return known.conditions;
    const conditions = mergeConditions(stored, wanted, time, generation);
    variants.set(wanted, { generation, conditions });
    this.#count += 1;
    return conditions;
  }
}

/** Types need not be compared: these conditions are always the same ones, in the same order. */
const ALWAYS_THERE = 5;

function areAlike(known: readonly WantedCondition[], wanted: readonly WantedCondition[]): boolean {
  if (known.length !== wanted.length) return false;
  if (wanted.length > ALWAYS_THERE && conditionKey(known) !== conditionKey(wanted)) return false;
  for (let index = 0; index < known.length; index += 1) {
    const a = known[index];
    const b = wanted[index];
    if (a !== b && (a?.status !== b?.status || a?.reason !== b?.reason || a?.message !== b?.message)) return false;
  }
  return true;
}

function conditionKey(wanted: readonly WantedCondition[]): string {
  let key = '';
  for (const { status, reason = '', message = '' } of wanted) key += `${status}|${reason}|${message}\n`;
  if (wanted.length > ALWAYS_THERE) for (const { type, generation } of wanted) key += `${type}|${generation}\n`;
  return key;
}

/** See the file header. */
export function mergeConditions(
  stored: Conditions,
  wanted: readonly WantedCondition[],
  time: string,
  generation: number | undefined,
): Conditions {
  const merged = stored.filter(({ type }) => !isKubeletCondition(type));
  for (const condition of wanted) {
    const before = stored.find(({ type }) => type === condition.type);
    merged.push({
      type: condition.type,
      ...observed(condition.generation ?? generation),
      status: condition.status,
      lastProbeTime: null,
      lastTransitionTime: before?.status === condition.status ? (before.lastTransitionTime ?? time) : time,
      ...(condition.reason === undefined ? {} : { reason: condition.reason }),
      ...(condition.message === undefined ? {} : { message: condition.message }),
    });
  }
  return merged;
}

function observed(generation: number | undefined): Pick<PodCondition, 'observedGeneration'> {
  return generation === undefined ? {} : { observedGeneration: generation };
}

/** The kubelet's own word on why it ended a pod, beside its other conditions: before them, or in place of an older one. */
export function withDisruptionTarget(
  conditions: Conditions,
  { reason, message }: { readonly reason: string; readonly message: string },
  time: string,
  generation: number | undefined,
): Conditions {
  const index = conditions.findIndex(({ type }) => type === DISRUPTION_TARGET);
  const before = conditions[index];
  const target: PodCondition = {
    type: DISRUPTION_TARGET,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: before?.status === 'True' ? (before.lastTransitionTime ?? time) : time,
    reason,
    message,
  };
  if (before !== undefined) return conditions.with(index, target);
  const own = conditions.findIndex(({ type }) => isKubeletCondition(type));
  return conditions.toSpliced(own === -1 ? conditions.length : own, 0, target);
}
