/**
 * Drivers of storage that a cluster's claims wait for in vain: nothing in it was ever made by them, no node has them,
 * and a claim has waited for longer than a driver takes. Pure.
 */
import { PROVISIONED_BY, STORAGE_PROVISIONER } from '../../api/volumes/volume-rules.js';
import type { Draft, DraftMeta, Kind } from '../../api/objects/objects.js';
import { createTimestamps } from '../../kernel/timestamps.js';

interface Kept {
  readonly kind: Kind;
  readonly draft: Draft & { readonly metadata: DraftMeta };
}

const UNIX = createTimestamps('1970-01-01T00:00:00Z');
const LONGEST_WAIT_MS = 15_000;

/** See the file header. @param time - the present of the cluster */
export function absentProvisioners(objects: readonly Kept[], time: string | undefined): readonly string[] {
  if (time === undefined) return [];
  const nowMs = UNIX.toMs(time);
  const waiting = new Set<string>();
  const known = new Set<string>();
  for (const { kind, draft } of objects) {
    const { annotations = {}, creationTimestamp = time } = draft.metadata;
    if (kind === 'PersistentVolume') known.add(annotations[PROVISIONED_BY] ?? '');
    if (kind === 'CSINode') for (const driver of driversOf(draft)) known.add(driver);
    if (kind !== 'PersistentVolumeClaim' || isBound(draft)) continue;
    const provisioner = annotations[STORAGE_PROVISIONER];
    if (provisioner === undefined || nowMs - UNIX.toMs(creationTimestamp) < LONGEST_WAIT_MS) continue;
    waiting.add(provisioner);
  }
  return [...waiting].filter((provisioner) => !known.has(provisioner)).toSorted();
}

function driversOf(draft: Draft): readonly string[] {
  const { drivers = [] } = (draft['spec'] ?? {}) as { readonly drivers?: readonly { readonly name: string }[] | null };
  return (drivers ?? []).map(({ name }) => name);
}

function isBound(draft: Draft): boolean {
  const { volumeName = '' } = (draft['spec'] ?? {}) as { readonly volumeName?: string };
  return volumeName !== '' || draft.metadata?.deletionTimestamp !== undefined;
}
