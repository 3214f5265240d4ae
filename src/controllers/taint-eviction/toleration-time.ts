/** How long a pod bears the NoExecute taints of its node. Pure. */
import type { Node, Pod, Taint } from '../../api/objects/objects.js';
import { tolerates } from '../../api/selectors/tolerations.js';
import { SECOND_MS } from '../../kernel/time-units.js';

/** Taints that send pods away. */
export function noExecuteTaints({ spec }: Node): readonly Taint[] {
  return (spec.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
}

/**
 * Milliseconds: 0 if some taint is not tolerated at all, else the least `tolerationSeconds` among the
 * tolerations that are in use, Infinity if none of them says one.
 */
export function toleratedMs({ spec }: Pod, taints: readonly Taint[]): number {
  let leastMs = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    const used = (spec.tolerations ?? []).find((toleration) => tolerates(toleration, taint));
    if (used === undefined) return 0;
    if (used.tolerationSeconds !== undefined) {
      leastMs = Math.min(leastMs, Math.max(0, used.tolerationSeconds * SECOND_MS));
    }
  }
  return leastMs;
}
