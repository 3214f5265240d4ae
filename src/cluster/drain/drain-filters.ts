/**
 * Which pods of a node a drain takes away, which it leaves, and which keep it from beginning. Pure.
 * Mirrors the filters of kubectl drain (staging/src/k8s.io/kubectl/pkg/drain/filters.go, v1.34).
 */
import { isPodTerminal } from '../../api/objects/conditions.js';
import type { Pod } from '../../api/objects/objects.js';
import { controllerOf } from '../../api/objects/owners.js';
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

/** @param missingSet - what the API answers about a pod's daemon set that is not there */
export function selectPods(
  pods: readonly Pod[],
  options: ResolvedDrainOptions,
  missingSet: (pod: Pod) => string | undefined,
): DrainSelection {
  const taken: Pod[] = [];
  const warnings = new Map<string, string[]>();
  const errors = new Map<string, string[]>();
  for (const pod of pods) {
    // The first that leaves the pod alone decides; of the others only the last is heard, as in kubectl.
    let verdict: Verdict | undefined;
    for (const filter of FILTERS) {
      verdict = filter(pod, options, missingSet);
      if (verdict?.takes === false) break;
    }
    const { takes = true, warning, error } = verdict ?? {};
    if (warning !== undefined) note(warnings, warning, pod);
    if (error !== undefined) note(errors, error, pod);
    if (takes) taken.push(pod);
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

type Filter = (
  pod: Pod,
  options: ResolvedDrainOptions,
  missingSet: (pod: Pod) => string | undefined,
) => Verdict | undefined;

/** In upstream's order. */
const FILTERS: readonly Filter[] = [
  (pod, { ignoreDaemonSets, force }, missingSet) => {
    if (controllerOf(pod)?.kind !== 'DaemonSet' || isPodTerminal(pod)) return undefined;
    const missing = missingSet(pod);
    if (missing !== undefined) return force ? { takes: true, warning: missing } : { takes: false, error: missing };
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
  (pod, { force }) => {
    if (isPodTerminal(pod) || controllerOf(pod) !== undefined) return undefined;
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
