/**
 * Which volume a claim may have, and what binding the two means: the rules that the scheduler and the
 * volume binder share. Pure; they write nothing. Mirrors component-helpers' storage/volume (v1.34).
 */
import { compileLabelSelector } from '../selectors/labels.js';
import { compileNodeSelector, type NodeMatcher } from '../selectors/node-affinity.js';
import type { core, ObjectMeta, StringMap } from '../objects/objects.js';
import { compareQuantities, knownQuantity, ZERO_QUANTITY, type Quantity } from '../values/quantity.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../objects/storage-objects.js';

/** On a claim: its binding is complete. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
/** On a claim or a volume: the binder chose the other one, and not the user. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
/** On a claim: the node for which its volume is to be provisioned. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
/** On a claim: the provisioner of its volume. */
export const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner';
/** On a volume: the provisioner that made it. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
/** On a claim or a volume: its class, as of old. */
export const LEGACY_CLASS = 'volume.beta.kubernetes.io/storage-class';
/** The provisioner of classes with volumes that are made by hand. */
export const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

const FILESYSTEM = 'Filesystem';
const NO_MODES: readonly string[] = [];

/** The claim's class; empty = none. */
export function claimClass({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.[LEGACY_CLASS] ?? spec.storageClassName ?? '';
}

/** The volume's class; empty = none. */
export function volumeClass({ metadata, spec }: PersistentVolume): string {
  return metadata.annotations?.[LEGACY_CLASS] ?? spec.storageClassName ?? '';
}

/** Whether a claim has its volume for good; its phase is not asked. */
export function isFullyBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return (spec.volumeName ?? '') !== '' && metadata.annotations?.[BIND_COMPLETED] !== undefined;
}

/** Whether a volume is set aside for a claim: by name, and by uid where it gives one. */
export function isBoundToClaim({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { claimRef } = spec;
  if (claimRef === undefined || claimRef.name !== metadata.name || claimRef.namespace !== metadata.namespace)
    return false;
  return (claimRef.uid ?? '') === '' || claimRef.uid === metadata.uid;
}

/** How much a claim asks for. */
export function requestedStorage({ spec }: PersistentVolumeClaim): Quantity {
  return storageOf(spec.resources?.requests);
}

/** How much a volume holds. */
export function volumeCapacity({ spec }: PersistentVolume): Quantity {
  return storageOf(spec.capacity);
}

function storageOf(list: StringMap | undefined): Quantity {
  const text = list?.['storage'];
  return text === undefined ? ZERO_QUANTITY : knownQuantity(text);
}

/** Whether a volume offers every access mode that a claim asks for. */
export function hasAccessModes({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const offered = spec.accessModes ?? NO_MODES;
  return (claim.spec.accessModes ?? NO_MODES).every((mode) => offered.includes(mode));
}

const matchers = new WeakMap<core.NodeSelector, NodeMatcher>();

/** Whether nodes with these labels reach a volume. Names of nodes are not looked at, as upstream. */
export function isReachable({ spec }: Pick<PersistentVolume, 'spec'>, labels: StringMap | undefined): boolean {
  const required = spec.nodeAffinity?.required;
  if (required === undefined) return true;
  let matcher = matchers.get(required);
  if (matcher === undefined) {
    matcher = compileNodeSelector(required);
    matchers.set(required, matcher);
  }
  return matcher.matches(labels, '');
}

/**
 * Volumes by what they can be used for: `claim ns/name` where they are set aside, else `free class`. An
 * index for informers: the search for a claim's volume need not walk over all that are in use.
 */
export const VOLUMES_BY_USE = {
  use: (volume: PersistentVolume): readonly string[] => {
    const { claimRef } = volume.spec;
    if (claimRef === undefined) return [`free ${volumeClass(volume)}`];
    return [`claim ${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`];
  },
};

/** Where in {@link VOLUMES_BY_USE} the volumes stand that a claim could have. */
export function usesOf(claim: PersistentVolumeClaim): readonly [setAside: string, free: string] {
  return [`claim ${claim.metadata.namespace ?? ''}/${claim.metadata.name}`, `free ${claimClass(claim)}`];
}

/** A volume that could serve a claim, as far as the node does not matter. */
export interface VolumeCandidate {
  readonly volume: PersistentVolume;
  /** Set aside for this very claim: nothing else is looked at then. */
  readonly isPreBound: boolean;
}

/** How candidates are looked for. */
export interface CandidateOptions {
  /** Only volumes that are set aside for the claim: the scheduler has not decided yet. */
  readonly isPreBoundOnly?: boolean | undefined;
}

/**
 * The volumes that could serve a claim: those that are set aside for it first, then the others from
 * the smallest, equal ones in the order given.
 */
export function volumeCandidates(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  { isPreBoundOnly = false }: CandidateOptions = {},
): VolumeCandidate[] {
  const request = requestedStorage(claim);
  const className = claimClass(claim);
  const selector = claim.spec.selector === undefined ? undefined : compileLabelSelector(claim.spec.selector);
  const preBound: VolumeCandidate[] = [];
  const others: VolumeCandidate[] = [];
  for (const volume of volumes) {
    const isPreBound = isBoundToClaim(volume, claim);
    if (!isPreBound && (isPreBoundOnly || volume.spec.claimRef !== undefined)) continue;
    if (!isFitting(volume, claim, request)) continue;
    if (isPreBound) {
      preBound.push({ volume, isPreBound });
      continue;
    }
    if (volume.status.phase !== 'Available' || volumeClass(volume) !== className) continue;
    if (selector?.matches(volume.metadata.labels) === false || !hasAccessModes(volume, claim)) continue;
    others.push({ volume, isPreBound });
  }
  others.sort((a, b) => compareQuantities(volumeCapacity(a.volume), volumeCapacity(b.volume)));
  return [...preBound, ...others];
}

/** What even a volume that is set aside for the claim must be. */
function isFitting(volume: PersistentVolume, { spec }: PersistentVolumeClaim, request: Quantity): boolean {
  return (
    volume.metadata.deletionTimestamp === undefined &&
    compareQuantities(volumeCapacity(volume), request) >= 0 &&
    (volume.spec.volumeMode ?? FILESYSTEM) === (spec.volumeMode ?? FILESYSTEM) &&
    (volume.spec.volumeAttributesClassName ?? '') === (spec.volumeAttributesClassName ?? '')
  );
}

/** A reference to a claim, as it stands in its volume. */
export function claimReference({ apiVersion, kind, metadata }: PersistentVolumeClaim): core.ObjectReference {
  const { name, namespace = '', uid, resourceVersion } = metadata;
  return { kind, namespace, name, uid, apiVersion, resourceVersion };
}

/** The volume set aside for the claim; itself if it is already, with the claim's uid. */
export function boundVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const isPreBound = isBoundToClaim(volume, claim);
  if (isPreBound && volume.spec.claimRef?.uid === claim.metadata.uid) return volume;
  const isMarked = isPreBound || volume.metadata.annotations?.[BOUND_BY_CONTROLLER] !== undefined;
  const metadata = isMarked ? volume.metadata : withAnnotation(volume.metadata, BOUND_BY_CONTROLLER, 'yes');
  return { ...volume, metadata, spec: { ...volume.spec, claimRef: claimReference(claim) } };
}

/** Metadata with an annotation; itself if it has it with that value. */
export function withAnnotation(metadata: ObjectMeta, name: string, value: string): ObjectMeta {
  if (metadata.annotations?.[name] === value) return metadata;
  return { ...metadata, annotations: { ...metadata.annotations, [name]: value } };
}
