import type { Subscription } from 'rxjs';
import type { LoadPlayer } from '../../player/load-player.js';

/** Tells of each pod that a client sees without a node, and then with one, how long that took; from now on. */
export function watchScheduled(player: LoadPlayer, onScheduled: (tookMs: number) => void): Subscription {
  const waitingSinceMs = new Map<string, number>();
  return player.connection.watch('Pod').subscribe((delivery) => {
    if (!('object' in delivery)) return;
    const { metadata, spec } = delivery.object;
    const since = waitingSinceMs.get(metadata.uid);
    if (delivery.type === 'ADDED' && (spec.nodeName ?? '') === '') waitingSinceMs.set(metadata.uid, player.nowMs);
    if (since === undefined || ((spec.nodeName ?? '') === '' && delivery.type !== 'DELETED')) return;
    waitingSinceMs.delete(metadata.uid);
    if (delivery.type !== 'DELETED') onScheduled(player.nowMs - since);
  });
}
