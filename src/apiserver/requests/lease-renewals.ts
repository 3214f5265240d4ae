/**
 * Leases of healthy nodes: their renewals are not written one by one but computed when a lease is
 * read. What was renewed is stored when the renewals end, so that nothing is lost. There is no such thing in
 * Kubernetes; readers and watches see what they would see with a write for each.
 */
import { nameKey, type Kind, type KindMap, type Lease, type ObjectName } from '../../api/objects/objects.js';
import { lastRenewalMs, type Renewals } from '../../api/objects/renewals.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { Shelf, VersionedStore } from '../store/store.js';

/** Namespace of all node leases. */
const LEASE_NAMESPACE = 'kube-node-lease';

/** The object as its renewals have left it by now; the argument itself if there were none since it was written. */
export function withRenewals<K extends Kind>(
  kernel: Kernel,
  stored: KindMap[K],
  renewals: Renewals | undefined,
): KindMap[K] {
  const lastMs = renewals === undefined ? undefined : lastRenewalMs(renewals, kernel.clock.now());
  if (renewals === undefined || lastMs === undefined || stored.kind !== 'Lease') return stored;
  const { spec } = stored as Lease;
  const { timestamps } = renewals.party === undefined ? kernel : kernel.at(renewals.party);
  const renewTime = timestamps.toMicroTime(lastMs);
  const storedTime = spec?.renewTime ?? '';
  // What was written since the renewal is younger; what is further ahead was stamped by a clock put back since.
  if (storedTime >= renewTime && timestamps.toMs(storedTime) - timestamps.toMs(renewTime) < renewals.periodMs) {
    return stored;
  }
  return { ...stored, spec: { ...spec, renewTime } };
}

/** Begins or ends the renewals of a lease, by default a node's; watches of leases hear of it. */
export function setLeaseRenewals(
  kernel: Kernel,
  store: VersionedStore,
  { namespace = LEASE_NAMESPACE, name }: ObjectName,
  renewals: Renewals | undefined,
  onGone: (() => void) | undefined,
): void {
  const shelf: Shelf<'Lease'> = store.shelf('Lease');
  const key = nameKey(namespace, name);
  const stored = shelf.table.get(namespace, name);
  const shown = stored === undefined ? undefined : withRenewals<'Lease'>(kernel, stored, shelf.renewals.get(key));
  if (renewals === undefined || onGone === undefined) shelf.onRenewedGone.delete(key);
  else shelf.onRenewedGone.set(key, onGone);
  if (renewals === undefined) shelf.renewals.delete(key);
  else shelf.renewals.set(key, renewals);
  if (stored !== undefined && shown !== undefined) store.replace(shelf, shown, stored);
}
