/**
 * `matchLabelKeys` and `mismatchLabelKeys`: when a pod is created, the values of its own labels are
 * merged into the selectors of its affinity terms and spread constraints (podStrategy, v1.34).
 * Remembered per spec and values, so that pods of one template share one spec.
 */
import type { core, LabelSelector, PodSpec, StringMap } from '../../objects/objects.js';
import { changedField, mapShared } from './filling.js';

interface LabelKeyed {
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

const NO_KEYS: readonly string[] = Object.freeze([]);
const keysOfSpecs = new WeakMap<PodSpec, readonly string[]>();
const mergedSpecs = new WeakMap<PodSpec, Map<string, PodSpec>>();

/** The spec with its label keys resolved; itself when it has none. */
export function withMatchLabelKeys(spec: PodSpec, labels: StringMap = {}): PodSpec {
  if (spec.affinity === undefined && spec.topologySpreadConstraints === undefined) return spec;
  const keys = labelKeysOf(spec);
  if (keys.length === 0) return spec;
  const values = JSON.stringify(keys.map((key) => labels[key] ?? null));
  let merged = mergedSpecs.get(spec);
  if (merged === undefined) {
    merged = new Map();
    mergedSpecs.set(spec, merged);
  }
  let result = merged.get(values);
  if (result === undefined) {
    result = mergeAll(spec, labels);
    merged.set(values, result);
  }
  return result;
}

function labelKeysOf(spec: PodSpec): readonly string[] {
  let keys = keysOfSpecs.get(spec);
  if (keys === undefined) {
    const holders: readonly LabelKeyed[] = [...(spec.topologySpreadConstraints ?? []), ...affinityTerms(spec)];
    const found = holders.flatMap(({ matchLabelKeys = NO_KEYS, mismatchLabelKeys = NO_KEYS }) => [
      ...matchLabelKeys,
      ...mismatchLabelKeys,
    ]);
    keys = [...new Set(found)];
    keysOfSpecs.set(spec, keys);
  }
  return keys;
}

function affinityTerms({ affinity = {} }: PodSpec): readonly core.PodAffinityTerm[] {
  return [affinity.podAffinity, affinity.podAntiAffinity].flatMap((group) => [
    ...(group?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(group?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
}

function mergeAll(spec: PodSpec, labels: StringMap): PodSpec {
  const mergeTerm = <T extends LabelKeyed & { labelSelector?: LabelSelector }>(term: T): T => merge(term, labels);
  const mergeGroup = (group: core.PodAffinity): core.PodAffinity => {
    const required = changedField(group, 'requiredDuringSchedulingIgnoredDuringExecution', (terms) =>
      mapShared(terms, mergeTerm),
    );
    return changedField(required, 'preferredDuringSchedulingIgnoredDuringExecution', (terms) =>
      mapShared(terms, (weighted) => changedField(weighted, 'podAffinityTerm', mergeTerm)),
    );
  };
  const spread = changedField(spec, 'topologySpreadConstraints', (constraints) => mapShared(constraints, mergeTerm));
  return changedField(spread, 'affinity', (affinity) =>
    changedField(changedField(affinity, 'podAffinity', mergeGroup), 'podAntiAffinity', mergeGroup),
  );
}

function merge<T extends LabelKeyed & { labelSelector?: LabelSelector }>(term: T, labels: StringMap): T {
  const { labelSelector, matchLabelKeys = NO_KEYS, mismatchLabelKeys = NO_KEYS } = term;
  if (labelSelector === undefined) return term;
  const added = [...requirements(matchLabelKeys, 'In', labels), ...requirements(mismatchLabelKeys, 'NotIn', labels)];
  if (added.length === 0) return term;
  const matchExpressions = [...(labelSelector.matchExpressions ?? []), ...added];
  return { ...term, labelSelector: { ...labelSelector, matchExpressions } };
}

function requirements(
  keys: readonly string[],
  operator: 'In' | 'NotIn',
  labels: StringMap,
): { key: string; operator: string; values: string[] }[] {
  return keys.flatMap((key) => {
    const value = labels[key];
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
}
