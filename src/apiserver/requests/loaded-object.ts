/**
 * An object that another cluster had, as this server keeps it: read and filled in as one that is created, but with the
 * identity, the times and the status that it has. There is no such request in Kubernetes.
 */
import { decodeDraft } from '../../api/decoding/decode.js';
import { invalidError } from '../../api/errors/field-errors.js';
import type { Draft, Kind, KindMap, ObjectMeta } from '../../api/objects/objects.js';
import type { ResourceKind } from '../../api/objects/resource-kind.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import { initialGeneration, newMetadata } from './metadata.js';

/** Their contents were left out. */
const UNCHECKED: readonly Kind[] = ['Secret'];

/** See the file header. @throws ApiError */
export function loadedObject<K extends Kind>(resource: ResourceKind<K>, draft: Draft, kernel: Kernel): KindMap[K] {
  const { kind, group, version } = resource;
  const decoded = resource.applyDefaults(decodeDraft(resource, draft, undefined));
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const metadata = loadedMetadata(resource, decoded, kernel);
  const object = { apiVersion, kind, ...decoded, metadata } as unknown as KindMap[K];
  const created = resource.prepareForCreate(object);
  const errors = UNCHECKED.includes(kind) ? [] : resource.validateCreate(created);
  if (errors.length > 0) throw invalidError(resource, metadata.name, errors);
  return withStatus(object, created);
}

/** Conditions of pods are kept as they are shown: with a probe time, which is never set. */
function withProbeTimes(status: object): object {
  const { conditions } = status as { readonly conditions?: readonly object[] };
  return conditions === undefined
    ? status
    : { ...status, conditions: conditions.map((condition) => ({ lastProbeTime: null, ...condition })) };
}

function loadedMetadata<K extends Kind>(
  resource: ResourceKind<K>,
  { metadata = {} }: Draft,
  kernel: Kernel,
): ObjectMeta {
  const { name = '', namespace, uid, creationTimestamp, generation } = metadata;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  const loaded = newMetadata(metadata, {
    name,
    namespace: resource.isNamespaced ? namespace || 'default' : undefined,
    uid: uid ?? kernel.ids.uid(),
    creationTimestamp: creationTimestamp ?? kernel.timestamps.toTime(kernel.clock.now()),
    generation: generation ?? initialGeneration(resource.generation),
  });
  if (deletionTimestamp === undefined) return loaded;
  return {
    ...loaded,
    deletionTimestamp,
    ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
  };
}

/** Its status, and of a fresh one what it lacks. */
function withStatus<K extends Kind>(object: KindMap[K], created: KindMap[K]): KindMap[K] {
  const fresh = (created as { readonly status?: object }).status;
  if (fresh === undefined) return object;
  const { status } = object as { readonly status?: object };
  if (status === undefined) return created;
  const isWhole = Object.keys(fresh).every((field) => field in status);
  if (object.kind === 'Pod') return { ...object, status: withProbeTimes(isWhole ? status : { ...fresh, ...status }) };
  return isWhole ? object : { ...object, status: { ...fresh, ...status } };
}
