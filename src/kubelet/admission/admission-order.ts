/** In which order a kubelet looks at pods that it hears of together. Pure. */
import type { Pod } from '../../api/objects/objects.js';

/** Timestamps of one form sort as texts; the sort keeps the order of those that are equal. */
export function byCreation({ metadata: a }: Pod, { metadata: b }: Pod): number {
  return a.creationTimestamp < b.creationTimestamp ? -1 : Number(a.creationTimestamp > b.creationTimestamp);
}
