/**
 * The pods of a daemon set: what a new one looks like, which node one is meant for, and whether it is
 * of the present template. Mirrors kube-controller-manager v1.34 pkg/controller/daemon/util.
 */
import { TEMPLATE_GENERATION } from '../../api/kinds/workload/daemon-set.js';
import type { core, DaemonSet, Draft, OwnerReference, Pod, PodSpec, Toleration } from '../../api/objects/objects.js';
import { controllerReference } from '../../api/objects/owners.js';
import { podNamePrefix } from '../shared/pod-name-prefix.js';

/** Label with the hash of the revision that a pod was made of. */
export const REVISION_LABEL = 'controller-revision-hash';
/** Label with the number of the template that a pod was made of. */
const GENERATION_LABEL = 'pod-template-generation';

const NAME_FIELD = 'metadata.name';

/** In the order in which they are added. */
const TOLERATIONS: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];
const HOST_NETWORK_TOLERATION: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** The tolerations of a daemon's pods: the template's own, without their time limits where they say the same. */
export function withDaemonTolerations({ tolerations = [], hostNetwork }: PodSpec): Toleration[] {
  const result = [...tolerations];
  for (const added of hostNetwork === true ? [...TOLERATIONS, HOST_NETWORK_TOLERATION] : TOLERATIONS) {
    const index = result.findIndex((own) => isSameToleration(own, added));
    if (index === -1) result.push(added);
    else result[index] = added;
  }
  return result;
}

function isSameToleration(left: Toleration, right: Toleration): boolean {
  return (
    (left.key ?? '') === (right.key ?? '') &&
    (left.operator ?? '') === (right.operator ?? '') &&
    (left.effect ?? '') === (right.effect ?? '') &&
    (left.value ?? '') === (right.value ?? '')
  );
}

/** Number of the template that the API server counts; `undefined` when the annotation holds no number. */
function templateGenerationOf({ metadata }: DaemonSet): string | undefined {
  const text = metadata.annotations?.[TEMPLATE_GENERATION];
  return text !== undefined && /^[+-]?\d+$/.test(text) ? String(Number(text)) : undefined;
}

/** Tells whether a pod was made of the present template. */
export function updateTest(set: DaemonSet, hash: string): (pod: Pod) => boolean {
  const generation = templateGenerationOf(set);
  return ({ metadata: { labels } }) =>
    labels?.[REVISION_LABEL] === hash || (generation !== undefined && labels?.[GENERATION_LABEL] === generation);
}

/** The node that a pod is bound to, or pinned to by its affinity; `undefined` when it is neither. */
export function targetNodeOf({ spec: { nodeName, affinity } }: Pod): string | undefined {
  if (nodeName !== undefined && nodeName !== '') return nodeName;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  for (const { matchFields = [] } of terms) {
    for (const { key, operator, values = [] } of matchFields) {
      if (key === NAME_FIELD && operator === 'In') return values.length === 1 ? values[0] : undefined;
    }
  }
  return undefined;
}

/** Makes the pods of one revision of a daemon set; they share everything but their affinity. */
export class DaemonPodFactory {
  readonly #draft: Draft & { readonly spec: PodSpec };
  readonly #affinity: core.Affinity;

  constructor(set: DaemonSet, hash: string) {
    const { metadata, spec } = set;
    const { name, namespace } = metadata;
    const { template } = spec;
    const { labels, annotations, finalizers } = (template.metadata ?? {}) as Partial<Pod['metadata']>;
    const generation = templateGenerationOf(set);
    const owners: readonly OwnerReference[] = [controllerReference(set)];
    this.#affinity = template.spec.affinity ?? {};
    this.#draft = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        generateName: podNamePrefix(name),
        ...(namespace === undefined ? {} : { namespace }),
        labels: {
          ...labels,
          ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }),
          [REVISION_LABEL]: hash,
        },
        ...(annotations === undefined ? {} : { annotations }),
        ...(finalizers === undefined ? {} : { finalizers }),
        ownerReferences: owners,
      },
      spec: { ...template.spec, tolerations: withDaemonTolerations(template.spec) },
    };
  }

  /** A pod that no other node will do for, whatever else the template requires of nodes. */
  draftFor(nodeName: string): Draft {
    const pinned: core.NodeSelector = {
      nodeSelectorTerms: [{ matchFields: [{ key: NAME_FIELD, operator: 'In', values: [nodeName] }] }],
    };
    const { spec } = this.#draft;
    const nodeAffinity = {
      ...this.#affinity.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: pinned,
    };
    return { ...this.#draft, spec: { ...spec, affinity: { ...this.#affinity, nodeAffinity } } };
  }
}
