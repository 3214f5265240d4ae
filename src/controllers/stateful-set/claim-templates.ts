import {
  keyOf,
  nameKey,
  type core,
  type Draft,
  type ObjectName,
  type Pod,
  type StatefulSet,
} from '../../api/objects/objects.js';
import { ordinalOf } from './identity.js';

/** One claim of one pod: its name, and what to create when it is missing. */
interface PlannedClaim {
  readonly name: string;
  /** Of the cache and the work queue. */
  readonly key: string;
  readonly draft: Draft;
}

function templatesOf({ spec }: StatefulSet): readonly core.PersistentVolumeClaim[] {
  return spec.volumeClaimTemplates ?? [];
}

/** Name of a claim: `<template>-<set>-<ordinal>`. */
function claimNameOf(set: StatefulSet, template: core.PersistentVolumeClaim, ordinal: number): string {
  return `${template.metadata?.name ?? ''}-${set.metadata.name}-${ordinal}`;
}

/** The ordinal of the pod that a claim of that name is for; `undefined` when it is not one of the set's claims. */
export function claimOrdinal(set: StatefulSet, { namespace, name }: ObjectName): number | undefined {
  if (namespace !== set.metadata.namespace) return undefined;
  for (const { metadata } of templatesOf(set)) {
    const prefix = `${metadata?.name ?? ''}-`;
    const ordinal = name.startsWith(prefix) ? ordinalOf(set, name.slice(prefix.length)) : undefined;
    if (ordinal !== undefined) return ordinal;
  }
  return undefined;
}

/** Keys of a pod's claims, in the order of the templates. */
export function claimKeys(set: StatefulSet, ordinal: number): readonly string[] {
  return templatesOf(set).map((template) => nameKey(set.metadata.namespace, claimNameOf(set, template, ordinal)));
}

/** The claims of the pod with that ordinal. */
export function plannedClaims(set: StatefulSet, ordinal: number): readonly PlannedClaim[] {
  const { namespace } = set.metadata;
  return templatesOf(set).map((template) => {
    const { status: _status, ...rest } = template;
    const metadata = {
      ...template.metadata,
      name: claimNameOf(set, template, ordinal),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...template.metadata?.labels, ...set.spec.selector.matchLabels },
    };
    return { name: metadata.name, key: keyOf({ metadata }), draft: { ...rest, metadata } };
  });
}

/** Volumes through which a pod uses its claims. */
export function claimVolumes(set: StatefulSet, ordinal: number): core.Volume[] {
  return templatesOf(set).map((template) => ({
    name: template.metadata?.name ?? '',
    persistentVolumeClaim: { claimName: claimNameOf(set, template, ordinal) },
  }));
}

/** Whether a pod uses every claim of its ordinal. */
export function hasStorage(set: StatefulSet, ordinal: number, { spec }: Pod): boolean {
  return templatesOf(set).every((template) => {
    const volume = spec.volumes?.find(({ name }) => name === template.metadata?.name);
    return volume?.persistentVolumeClaim?.claimName === claimNameOf(set, template, ordinal);
  });
}
