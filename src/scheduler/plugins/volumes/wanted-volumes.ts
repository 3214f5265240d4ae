/** The volumes that a pod brings along, the same for all nodes but for drivers that took over on some of them. */
import type { Pod } from '../../../api/objects/objects.js';
import { collectVolumes, countByDriver, type VolumeProblem, type VolumeSet } from './attached-volumes.js';
import { ALL_MIGRATED, migratedPlugins, type MigratingNode } from './in-tree-volumes.js';
import type { VolumeListers } from './volume-listers.js';

/** See the file header. */
export class WantedVolumes {
  /** Why the volumes cannot be told, on any node. */
  readonly problem: VolumeProblem | undefined;
  /** How many there are of each driver; absent where nodes differ in that, or there is a problem. */
  readonly counts: ReadonlyMap<string, number> | undefined;
  readonly #listers: VolumeListers;
  readonly #pod: Pod;
  readonly #onPlainNodes: VolumeSet = new Map();
  /** By what nodes say of drivers that took over. */
  readonly #byMigration = new Map<string, VolumeSet>();

  constructor(listers: VolumeListers, pod: Pod) {
    this.#listers = listers;
    this.#pod = pod;
    this.problem = collectVolumes(listers, pod, undefined, true, this.#onPlainNodes);
    if (this.problem !== undefined) return;
    // Drivers that take over add volumes, and nothing else: where all of them add none, each adds none.
    const most = this.#collect(ALL_MIGRATED);
    if (most.size === this.#onPlainNodes.size) this.counts = countByDriver(most);
  }

  /** Those that count on a node; nothing may be wrong with them. */
  on(csiNode: MigratingNode | undefined): VolumeSet {
    const migrated = migratedPlugins(csiNode);
    if (this.counts !== undefined || migrated === '') return this.#onPlainNodes;
    let found = this.#byMigration.get(migrated);
    if (found === undefined) {
      found = this.#collect(csiNode);
      this.#byMigration.set(migrated, found);
    }
    return found;
  }

  #collect(csiNode: MigratingNode | undefined): VolumeSet {
    const found: VolumeSet = new Map();
    collectVolumes(this.#listers, this.#pod, csiNode, true, found);
    return found;
  }
}
