import type { Pod } from '../../api/objects/objects.js';

/** Nothing of the pod can use a volume any more, as far as the API shows. */
export function needsNoVolumes({ metadata, status }: Pod): boolean {
  if (status.phase === 'Failed' || status.phase === 'Succeeded') return true;
  if (metadata.deletionTimestamp === undefined) return false;
  return (status.containerStatuses ?? []).every(
    ({ state }) => state?.terminated !== undefined || state?.waiting !== undefined,
  );
}
