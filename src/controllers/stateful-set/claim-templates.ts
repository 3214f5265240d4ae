import { keyOf, nameKey, type Draft, type Pod, type StatefulSet, type core } from '../../api/objects/objects.js';

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
