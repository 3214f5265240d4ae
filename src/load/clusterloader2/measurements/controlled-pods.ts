/**
 * Pods by what controls them (util/controlled_pods_indexer.go): those of a Deployment by way of its ReplicaSets, also
 * of those that are gone already while their pods are not.
 */
import type { KubeObject, Pod } from '../../../api/objects/objects.js';
import type { Informer } from '../../../bus/bus-types.js';
import type { LoadPlayer } from '../../player/load-player.js';
import { synced } from './synced.js';

const BY_CONTROLLER = 'controller';

/** See the file header. */
export class ControlledPods {
  readonly #player: LoadPlayer;
  readonly #pods: Informer<'Pod'>;
  readonly #replicaSets: Informer<'ReplicaSet'>;
  /** Uids of the ReplicaSets of each Deployment that was ever seen with one. */
  readonly #setsOf = new Map<string, Set<string>>();

  /** Begins to watch all pods and ReplicaSets. */
  static async start(player: LoadPlayer): Promise<ControlledPods> {
    const pods = new ControlledPods(player);
    await Promise.all([synced(player, pods.#pods), synced(player, pods.#replicaSets)]);
    return pods;
  }

  private constructor(player: LoadPlayer) {
    this.#player = player;
    this.#pods = player.connection.select('Pod', {}, { [BY_CONTROLLER]: (pod) => controllerUids(pod) });
    this.#replicaSets = player.connection.select('ReplicaSet', {});
    this.#replicaSets.addHandler({ onAdd: (set) => this.#note(set), onUpdate: (_previous, set) => this.#note(set) });
  }

  /** @param uid - of a Deployment, or of what controls pods itself */
  of(uid: string): Pod[] {
    const pods = [...this.#pods.byIndex(BY_CONTROLLER, uid)];
    for (const set of this.#setsOf.get(uid) ?? []) pods.push(...this.#pods.byIndex(BY_CONTROLLER, set));
    return pods;
  }

  dispose(): void {
    this.#player.connection.release(this.#pods);
    this.#player.connection.release(this.#replicaSets);
  }

  #note(set: KubeObject): void {
    const [controller] = controllerUids(set);
    if (controller === undefined) return;
    let sets = this.#setsOf.get(controller);
    if (sets === undefined) this.#setsOf.set(controller, (sets = new Set()));
    sets.add(set.metadata.uid);
  }
}

function controllerUids({ metadata: { ownerReferences = [] } }: KubeObject): readonly string[] {
  const owner = ownerReferences.find(({ controller }) => controller === true);
  return owner === undefined ? [] : [owner.uid];
}
