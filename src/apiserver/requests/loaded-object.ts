/**
 * An object that another cluster had, as this server keeps it: read and filled in as one that is created, but with the
 * identity, the times and the status that it has. There is no such request in Kubernetes.
 */
import { keptForm } from './next-state.js';
import { decodeDraft } from '../../api/decoding/decode.js';
import { invalidError } from '../../api/errors/field-errors.js';
import type { Draft, Kind, KindMap, ObjectMeta, Pod } from '../../api/objects/objects.js';
import type { ResourceKind } from '../../api/objects/resource-kind.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { Shelf } from '../store/shelf.js';
import { served } from './definition-steps.js';
import { CHECKED_SPEC, LoadedPodSpecs } from './loaded-pod-specs.js';
import { initialGeneration, newMetadata } from './metadata.js';

/** Their contents were left out. */
const UNCHECKED: readonly Kind[] = ['Secret'];

/** See the file header. */
export class ObjectLoader {
  readonly #specs = new LoadedPodSpecs();

  constructor(private readonly kernel: Kernel) {}

  /** @throws ApiError */
  loaded<K extends Kind>(resource: ResourceKind<K>, draft: Draft): KindMap[K] {
    if (resource.storedAs !== 'Pod') return loadedObject(resource, draft, this.kernel);
    const pods = resource as unknown as ResourceKind<'Pod'>;
    return loadedPod(pods, draft, this.#specs, this.kernel) as KindMap[K];
  }

  /** As {@link loaded}, in the company of what is there: a definition serves its kind. @throws ApiError */
  loadedInto<K extends Kind>(shelf: Shelf<K>, draft: Draft): KindMap[K] {
    const { timestamps, clock } = this.kernel;
    return served(this.loaded(shelf.resource, draft), shelf, () => timestamps.toTime(clock.now()));
  }

  /** What was remembered of objects that are alike. */
  forget(): void {
    this.#specs.forget();
  }
}

function loadedObject<K extends Kind>(resource: ResourceKind<K>, draft: Draft, kernel: Kernel): KindMap[K] {
  const { kind, group, version } = resource;
  const { decode = (given: Draft) => decodeDraft(resource, given, undefined) } = resource;
  const decoded = resource.applyDefaults(decode(draft));
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const metadata = loadedMetadata(resource, decoded, kernel);
  const object = { apiVersion, kind, ...decoded, metadata } as unknown as KindMap[K];
  const created = resource.prepareForCreate(object);
  // What was stored under an older schema stays, as it does in a real cluster.
  const isChecked = !UNCHECKED.includes(kind) && resource.decode === undefined;
  const errors = isChecked ? resource.validateStored(created) : [];
  if (errors.length > 0) throw invalidError(resource, metadata.name, errors);
  return keptForm(resource, withStatus(object, created));
}

/** A pod, with what was found out of others with the same spec. */
function loadedPod(
  resource: ResourceKind<'Pod'>,
  { spec: given, ...others }: Draft,
  specs: LoadedPodSpecs,
  kernel: Kernel,
): Pod {
  const spec = specs.find(given, others.metadata?.ownerReferences?.[0]?.uid);
  if (spec === undefined) {
    const whole = loadedObject(resource, { ...others, spec: given }, kernel);
    specs.add(given, whole.spec);
    return whole;
  }
  const decoded = decodeDraft(resource, others, undefined);
  const metadata = loadedMetadata(resource, decoded, kernel);
  const pod = { apiVersion: 'v1', kind: 'Pod', ...decoded, metadata, spec } as unknown as Pod;
  const created = resource.prepareForCreate(pod);
  const errors = resource.validateStored({ ...created, spec: CHECKED_SPEC });
  if (errors.length > 0) throw invalidError(resource, metadata.name, errors);
  return withStatus<'Pod'>(pod, created);
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
    generation: generation ?? initialGeneration(resource.generation, {}),
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
