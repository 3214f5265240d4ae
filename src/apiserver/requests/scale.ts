/** The /scale subresource (autoscaling/v1), as a view of the object that is scaled. */
import { ApiError } from '../../api/errors/api-error.js';
import { compileLabelSelector } from '../../api/selectors/labels.js';
import type { Kind, KindMap, LabelSelector, StringMap } from '../../api/objects/objects.js';
import type { ResourceKind } from '../../api/objects/resource-kind.js';
import type { Scale, ScalableKind } from '../store/server-types.js';

/** Kinds with that subresource. */
export const SCALABLE_KINDS: readonly ScalableKind[] = [
  'Deployment',
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
  'NodePool',
];

/** @throws ApiError 404 for a kind without that subresource */
export function requireScalable({ kind }: Pick<ResourceKind, 'kind'>): void {
  if ((SCALABLE_KINDS as readonly Kind[]).includes(kind)) return;
  const why = `${kind} has no scale, only ${SCALABLE_KINDS.join(', ')} have`;
  throw new ApiError(404, 'NotFound', `the server could not find the requested resource: ${why}`);
}

/** Shows an object as a Scale. */
export function scaleOf(object: KindMap[ScalableKind]): Scale {
  if (object.kind === 'NodePool') return poolScale(object);
  const { kind, metadata, spec, status } = object as KindMap[WorkloadKind];
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  // The selector of a replication controller is a plain map of labels.
  const selector: LabelSelector =
    kind === 'ReplicationController' ? { matchLabels: spec.selector as StringMap } : (spec.selector as LabelSelector);
  return {
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: { replicas: spec.replicas ?? 0 },
    status: { replicas: status?.replicas ?? 0, selector: compileLabelSelector(selector).text },
  };
}

type WorkloadKind = Exclude<ScalableKind, 'NodePool'>;

function poolScale({ metadata, spec, status }: KindMap['NodePool']): Scale {
  const { name, uid, resourceVersion, creationTimestamp } = metadata;
  const { count = 0 } = (spec ?? {}) as { readonly count?: number };
  const { count: replicas = 0, selector = '' } = (status ?? {}) as {
    readonly count?: number;
    readonly selector?: string;
  };
  return {
    metadata: { name, uid, resourceVersion, creationTimestamp },
    spec: { replicas: count },
    status: { replicas, selector },
  };
}

/** @throws ApiError 422 unless `replicas` is a whole number from 0 */
export function validateScale(name: string, replicas: number): void {
  if (Number.isInteger(replicas) && replicas >= 0) return;
  const message = `Invalid value: ${replicas}: must be greater than or equal to 0`;
  throw new ApiError(422, 'Invalid', `Scale.autoscaling "${name}" is invalid: spec.replicas: ${message}`, {
    name,
    group: 'autoscaling',
    kind: 'Scale',
    causes: [{ reason: 'FieldValueInvalid', message, field: 'spec.replicas' }],
  });
}
