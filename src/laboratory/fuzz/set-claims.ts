/**
 * The claims that stateful sets make on their way: which ordinals a set had come to when it was scaled back or
 * deleted is decided by time, and the claims of those pods stay.
 */
import type { StatefulSet } from '../../api/objects/objects.js';
import type { PersistentVolumeClaim } from '../../api/objects/storage-objects.js';
import { claimOrdinal } from '../../controllers/stateful-set/claim-templates.js';
import { isInRange } from '../../controllers/stateful-set/identity.js';
import type { Cluster } from '../../cluster/cluster.js';

/** See the file header. */
export class SetClaims {
  /** Those that there were at any time, by uid: their templates never change. */
  readonly #known = new Map<string, StatefulSet>();

  /** Sets of the cluster are remembered from now on. */
  follow(cluster: Pick<Cluster, 'watch'>): void {
    cluster.watch('StatefulSet').subscribe((event) => {
      this.#known.set(event.object.metadata.uid, event.object);
    });
  }

  /** Whether a claim is one of a set's, for a pod that none of the present sets is to have. */
  isLeft(claim: PersistentVolumeClaim, present: readonly StatefulSet[]): boolean {
    const isOfSet = [...this.#known.values()].some((set) => claimOrdinal(set, claim.metadata) !== undefined);
    return isOfSet && !present.some((set) => isWanted(set, claim));
  }
}

function isWanted(set: StatefulSet, { metadata }: PersistentVolumeClaim): boolean {
  const ordinal = claimOrdinal(set, metadata);
  return ordinal !== undefined && isInRange(set, ordinal);
}
