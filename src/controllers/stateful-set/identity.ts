/** What identifies a pod of a stateful set: ordinals, names, labels. */
import { compileLabelSelector, type Selector } from '../../api/selectors/labels.js';
import type { Pod, StatefulSet } from '../../api/objects/objects.js';

/** Label with the pod's own name, by which a service can single it out. */
const POD_NAME_LABEL = 'statefulset.kubernetes.io/pod-name';
/** Label with the pod's ordinal. */
const POD_INDEX_LABEL = 'apps.kubernetes.io/pod-index';
/** Label with the name of the revision that a pod was made from. */
export const REVISION_LABEL = 'controller-revision-hash';

/** Ordinals are int32 upstream. */
const MAX_ORDINAL = 2 ** 31 - 1;

/** A pod of a set and its ordinal. */
export interface Seat {
  readonly ordinal: number;
  readonly pod: Pod;
}

/** Pods that a set is to have. */
export function replicasOf({ spec }: StatefulSet): number {
  return spec.replicas ?? 1;
}

/** The first ordinal. */
export function startOf({ spec }: StatefulSet): number {
  return spec.ordinals?.start ?? 0;
}

/** Whether a set keeps a pod of that ordinal; the others are condemned. */
export function isInRange(set: StatefulSet, ordinal: number): boolean {
  return ordinal >= startOf(set) && ordinal < startOf(set) + replicasOf(set);
}

/** Name of the pod with that ordinal. */
export function podNameOf({ metadata }: StatefulSet, ordinal: number): string {
  return `${metadata.name}-${ordinal}`;
}

/** The ordinal in a pod's name; `undefined` when the name is not one of the set's. */
export function ordinalOf({ metadata }: StatefulSet, name: string): number | undefined {
  const { length } = metadata.name;
  if (name[length] !== '-' || !name.startsWith(metadata.name)) return undefined;
  return readOrdinal(name.slice(length + 1));
}

/** Name of the set that a pod is of, going by its own; `undefined` when it is not one of a set's pods. */
export function setNameOf({ metadata: { name } }: Pod): string | undefined {
  const dash = name.lastIndexOf('-');
  return dash > 0 && readOrdinal(name.slice(dash + 1)) !== undefined ? name.slice(0, dash) : undefined;
}

function readOrdinal(text: string): number | undefined {
  const ordinal = Number(text);
  const isOrdinal = Number.isInteger(ordinal) && ordinal >= 0 && ordinal <= MAX_ORDINAL && String(ordinal) === text;
  return isOrdinal ? ordinal : undefined;
}

/** Name of the revision that a pod was made from; empty when it does not say. */
export function revisionOf({ metadata }: Pod): string {
  return metadata.labels?.[REVISION_LABEL] ?? '';
}

/** The labels that make a pod known under its name. */
export function identityLabels(set: StatefulSet, ordinal: number): Readonly<Record<string, string>> {
  return { [POD_NAME_LABEL]: podNameOf(set, ordinal), [POD_INDEX_LABEL]: String(ordinal) };
}

/** Whether a pod is labelled with its name. */
export function hasIdentity({ metadata }: Pod): boolean {
  return metadata.labels?.[POD_NAME_LABEL] === metadata.name;
}

/** What a set selects. */
export function selectorOf({ spec }: StatefulSet): Selector {
  return compileLabelSelector(spec.selector);
}
