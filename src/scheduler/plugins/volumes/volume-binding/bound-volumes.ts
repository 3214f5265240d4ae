/** The bound volumes of a pod that has no other claims, judged for all nodes: nothing is left to be chosen. */
import type { PersistentVolume } from '../../../../api/objects/storage-objects.js';
import { isReachable } from '../../../../api/volumes/volume-rules.js';
import type { ColumnFilter } from '../../../framework/interface.js';
import type { NodeColumns } from '../../../framework/node-columns.js';
import type { Status } from '../../../framework/status.js';
import { isMigratable } from '../in-tree-volumes.js';
import type { LabelColumn, LabelColumns } from '../label-columns.js';
import type { ClaimPlan } from './claim-plan.js';

/**
 * The volumes of a plan that cannot be reached from everywhere; `undefined` where that is not all that there
 * is to it: some claim is not bound, a volume is gone, or its place depends on its driver on a node.
 */
export function placedVolumes({ unbound, boundVolumes }: ClaimPlan): readonly PersistentVolume[] | undefined {
  if (unbound.length > 0) return undefined;
  const placed: PersistentVolume[] = [];
  for (const volume of boundVolumes) {
    if (volume === undefined || isMigratable(volume.spec)) return undefined;
    if (volume.spec.nodeAffinity?.required !== undefined) placed.push(volume);
  }
  return placed;
}

/** Rejects the nodes from which some of the volumes cannot be reached. */
export class BoundVolumesFilter implements ColumnFilter {
  readonly #places: readonly LabelColumn[];
  readonly #wrongNode: Status;

  /** @param wrongNode - what nodes are rejected with */
  constructor(volumes: readonly PersistentVolume[], reach: LabelColumns, columns: NodeColumns, wrongNode: Status) {
    this.#places = volumes.map((volume) =>
      reach.of(JSON.stringify(volume.spec.nodeAffinity), (labels) => isReachable(volume, labels), columns),
    );
    this.#wrongNode = wrongNode;
  }

  filter(slots: Int32Array, count: number, verdicts: Int32Array, base: number): void {
    for (const place of this.#places) place.reject(slots, count, verdicts, base + 1);
  }

  statusOf(): Status {
    return this.#wrongNode;
  }
}
