/** The binding subresource of pods (pkg/registry/core/pod/storage, v1.34): rules and outcome, pure. */
import { setCondition } from '../../api/objects/conditions.js';
import type { Pod, PodCondition, PodStatus } from '../../api/objects/objects.js';
import {
  conflict,
  internalError,
  notFound,
  storagePreconditionFailed,
  type ResourceNames,
} from '../store/api-errors.js';
import type { Binding } from '../store/server-types.js';

const PODS: ResourceNames = { kind: 'Pod', group: '', plural: 'pods' };
const BINDINGS: ResourceNames = { kind: 'Pod', group: '', plural: 'pods/binding' };

/** Checks the body of a binding. @throws ApiError 500, as upstream answers to a bad target */
export function validateBinding({ target }: Binding): void {
  const { kind = '', name } = target;
  const errors: string[] = [];
  if (kind !== '' && kind !== 'Node') {
    errors.push(`target.kind: Unsupported value: ${JSON.stringify(kind)}: supported values: "Node", "<empty>"`);
  }
  if (name === '') errors.push('target.name: Required value');
  if (errors.length > 0) throw internalError(errors.length === 1 ? errors.join('') : `[${errors.join(', ')}]`);
}

/**
 * Checks whether that pod may be bound now. Whether the node exists is not asked.
 *
 * @throws ApiError 404 without a pod; 409 with the first reason that holds
 */
export function guardBinding(binding: Binding, pod: Pod | undefined): asserts pod is Pod {
  const { name, uid } = binding.metadata;
  if (pod === undefined) throw notFound(PODS, name);
  const { resourceVersion } = binding.metadata as { readonly resourceVersion?: string };
  const path = `pods/${pod.metadata.namespace ?? ''}/${name}`;
  if (uid !== undefined && uid !== '' && uid !== pod.metadata.uid) {
    throw storagePreconditionFailed(PODS, name, path, 'UID', uid, pod.metadata.uid);
  }
  if (resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== pod.metadata.resourceVersion) {
    const found = pod.metadata.resourceVersion;
    throw storagePreconditionFailed(PODS, name, path, 'ResourceVersion', resourceVersion, found);
  }
  const why = refusal(pod);
  if (why !== undefined) throw conflict(BINDINGS, name, `pod ${name} ${why}`);
}

function refusal({ metadata, spec }: Pod): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return 'is being deleted, cannot be assigned to a host';
  if (spec.nodeName !== undefined && spec.nodeName !== '') return `is already assigned to node "${spec.nodeName}"`;
  return (spec.schedulingGates?.length ?? 0) > 0 ? 'has non-empty .spec.schedulingGates' : undefined;
}

/** Writes bindings into pods; pods that look alike before go on sharing their status. */
export class Binder {
  #before: PodStatus | undefined;
  #after: PodStatus | undefined;
  #time = '';

  /** The pod with its node, the binding's annotations, and PodScheduled True, in one state. */
  bound(pod: Pod, binding: Binding, time: string): Pod {
    const { annotations } = binding.metadata;
    const metadata =
      annotations === undefined || Object.keys(annotations).length === 0
        ? pod.metadata
        : { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...annotations } };
    return {
      ...pod,
      metadata,
      spec: { ...pod.spec, nodeName: binding.target.name },
      status: this.#scheduled(pod.status, time),
    };
  }

  #scheduled(status: PodStatus, time: string): PodStatus {
    if (this.#after === undefined || this.#before !== status || this.#time !== time) {
      this.#before = status;
      this.#time = time;
      const condition: PodCondition = {
        type: 'PodScheduled',
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: time,
      };
      this.#after = { ...status, conditions: setCondition(status.conditions, condition) };
    }
    return this.#after;
  }
}
