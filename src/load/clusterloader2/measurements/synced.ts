import type { Kind } from '../../../api/objects/objects.js';
import type { Informer } from '../../../bus/bus-types.js';
import type { LoadPlayer } from '../../player/load-player.js';

/** Starts an informer and waits for its first list. */
export async function synced<K extends Kind>(player: LoadPlayer, informer: Informer<K>): Promise<Informer<K>> {
  informer.start();
  await new Promise<void>((resolve) => {
    informer.whenSynced(() => {
      player.clock.settle();
      resolve();
    });
  });
  return informer;
}
