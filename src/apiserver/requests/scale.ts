/** The /scale subresource (autoscaling/v1), as a view of the object that is scaled. */
import { isCustomKind, type CustomKind } from '../../api/custom/custom-kind.js';
import type { ScalePaths } from '../../api/custom/definition.js';
import { valueAt, withValueAt } from '../../api/custom/scale-paths.js';
import { ApiError } from '../../api/errors/api-error.js';
import { mappedKind, type GroupKind } from '../../api/kinds/group-kind.js';
import { compileLabelSelector } from '../../api/selectors/labels.js';
import type { AnyObject, Kind, KindMap, LabelSelector, StringMap } from '../../api/objects/objects.js';
import type { ResourceKind } from '../../api/objects/resource-kind.js';
import type { FieldManager, Scale, ScalableKind } from '../store/server-types.js';

/** Kinds with that subresource. */
export const SCALABLE_KINDS: readonly ScalableKind[] = [
  'Deployment',
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
  'NodePool',
];

/**
 * The kind that a group calls by a name, in whichever version.
 *
 * @param customKinds - those that definitions have brought
 * @throws ApiError 404 for one that there is not, or that has no scale
 */
export function scalableKind({ group, kind }: GroupKind, customKinds: readonly CustomKind[]): ScalableKind {
  const known = mappedKind({ group, kind }, customKinds);
  if (!isScalable(known)) {
    throw new ApiError(404, 'NotFound', 'the server could not find the requested resource');
  }
  return (isCustomKind(known) ? `${kind}.${group}` : kind) as ScalableKind;
}

function isScalable(resource: Pick<ResourceKind, 'kind'>): boolean {
  return customPaths(resource) !== undefined || (SCALABLE_KINDS as readonly Kind[]).includes(resource.kind);
}

/** Where a custom kind keeps its replicas; undefined for one that has no scale, and for a built-in kind. */
export function customPaths(resource: Pick<ResourceKind, 'kind'>): ScalePaths | undefined {
  return isCustomKind(resource) ? resource.custom.storage.defined.subresources?.scale : undefined;
}

/** @throws ApiError 404 for a kind without that subresource */
export function requireScalable(resource: Pick<ResourceKind, 'kind'>): void {
  const { kind } = resource;
  if (customPaths(resource) !== undefined) return;
  if ((SCALABLE_KINDS as readonly Kind[]).includes(kind)) return;
  const why = `${kind} has no scale, only ${SCALABLE_KINDS.join(', ')} have`;
  throw new ApiError(404, 'NotFound', `the server could not find the requested resource: ${why}`);
}

/** Shows an object as a Scale. */
export function shownScale(resource: Pick<ResourceKind, 'kind'>, object: KindMap[ScalableKind]): Scale {
  const paths = customPaths(resource);
  return paths === undefined ? scaleOf(object) : customScaleOf(object, paths);
}

function scaleOf(object: KindMap[ScalableKind]): Scale {
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

/** Shows an object of a custom kind as a Scale. @throws ApiError 500 for one that does not say its replicas */
export function customScaleOf(
  object: AnyObject,
  { specReplicasPath, statusReplicasPath, labelSelectorPath }: ScalePaths,
): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = valueAt(object, specReplicasPath);
  if (typeof replicas !== 'number') {
    const message = `the spec replicas field "${specReplicasPath}" does not exist`;
    throw new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
  }
  const present = valueAt(object, statusReplicasPath);
  const selector = labelSelectorPath === undefined ? undefined : valueAt(object, labelSelectorPath);
  return {
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: { replicas },
    status: {
      replicas: typeof present === 'number' ? present : 0,
      ...(typeof selector === 'string' && selector !== '' ? { selector } : {}),
    },
  };
}

/** Has `work` own what it writes as this manager, unless the request names its own. */
export function writingAs<T>(
  server: { fieldManager: FieldManager | undefined },
  manager: FieldManager,
  work: () => T,
): T {
  const { fieldManager } = server;
  server.fieldManager = fieldManager ?? manager;
  try {
    return work();
  } finally {
    server.fieldManager = fieldManager;
  }
}

/** The object with so many replicas, where its kind keeps them. */
export function withReplicas<T extends AnyObject>(object: T, paths: ScalePaths | undefined, replicas: number): T {
  if (paths !== undefined) return withValueAt(object, paths.specReplicasPath, replicas);
  const field = object.kind === 'NodePool' ? 'count' : 'replicas';
  return { ...object, spec: { ...('spec' in object ? object.spec : {}), [field]: replicas } };
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
