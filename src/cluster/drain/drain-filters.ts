/**
 * Which pods of a node a drain takes away, which it leaves, and which keep it from beginning. Pure.
 * Mirrors the filters of kubectl drain (staging/src/k8s.io/kubectl/pkg/drain/filters.go, v1.34).
 */
import { isPodTerminal } from '../../api/conditions.js';
import type { Pod } from '../../api/objects.js';
import { controllerOf } from '../../api/owners.js';
import type { ResolvedDrainOptions } from './drain-options.js';

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** What the filters found. */
export interface DrainSelection {
  readonly pods: readonly Pod[];
  /** Texts such as `ignoring DaemonSet-managed Pods: ns/a, ns/b`. */
  readonly warnings: readonly string[];
  /** Texts such as `cannot delete Pods with local storage (use --delete-emptydir-data to override): ns/a`. */
  readonly errors: readonly string[];
}

/** @param isOwnerPresent - whether the controller that a pod names is there */
export function selectPods(
  pods: readonly Pod[],
  options: ResolvedDrainOptions,
  isOwnerPresent: (pod: Pod) => boolean,
): DrainSelection {
  const taken: Pod[] = [];
  const warnings = new Map<string, string[]>();
  const errors = new Map<string, string[]>();
  for (const pod of pods) {
    const verdicts = FILTERS.map((filter) => filter(pod, options, isOwnerPresent)).filter(
      (verdict) => verdict !== undefined,
    );
    // The first that leaves the pod alone decides; otherwise everything that speaks against it is told.
    const left = verdicts.find(({ takes }) => !takes);
    for (const { warning, error } of left === undefined ? verdicts : [left]) {
      if (warning !== undefined) note(warnings, warning, pod);
      if (error !== undefined) note(errors, error, pod);
    }
    if (left === undefined) taken.push(pod);
  }
  return {
    pods: taken,
    warnings: [...warnings].map(([text, names]) => `${text}: ${names.join(', ')}`),
    errors: [...errors].map(([text, names]) => `cannot delete ${text}: ${names.join(', ')}`),
  };
}

/** What one filter says of a pod; nothing when it has no objection. */
interface Verdict {
  readonly takes: boolean;
  readonly warning?: string;
  readonly error?: string;
}

type Filter = (pod: Pod, options: ResolvedDrainOptions, isOwnerPresent: (pod: Pod) => boolean) => Verdict | undefined;

/** In upstream's order. */
const FILTERS: readonly Filter[] = [
  (pod, { ignoreDaemonSets }, isOwnerPresent) => {
    if (controllerOf(pod)?.kind !== 'DaemonSet' || isPodTerminal(pod)) return undefined;
    if (!isOwnerPresent(pod)) return undefined;
    return ignoreDaemonSets
      ? { takes: false, warning: 'ignoring DaemonSet-managed Pods' }
      : { takes: false, error: 'DaemonSet-managed Pods (use --ignore-daemonsets to ignore)' };
  },
  ({ metadata }) => (metadata.annotations?.[MIRROR_ANNOTATION] === undefined ? undefined : { takes: false }),
  (pod, { deleteEmptyDirData }) => {
    if (isPodTerminal(pod) || pod.spec.volumes?.some(({ emptyDir }) => emptyDir !== undefined) !== true)
      return undefined;
    return deleteEmptyDirData
      ? { takes: true, warning: 'deleting Pods with local storage' }
      : { takes: false, error: 'Pods with local storage (use --delete-emptydir-data to override)' };
  },
  (pod, { force }, isOwnerPresent) => {
    if (isPodTerminal(pod) || (controllerOf(pod) !== undefined && isOwnerPresent(pod))) return undefined;
    return force
      ? { takes: true, warning: 'deleting Pods that declare no controller' }
      : { takes: false, error: 'Pods that declare no controller (use --force to override)' };
  },
];

function note(texts: Map<string, string[]>, text: string, { metadata: { namespace = '', name } }: Pod): void {
  const names = texts.get(text);
  if (names === undefined) texts.set(text, [`${namespace}/${name}`]);
  else names.push(`${namespace}/${name}`);
}
