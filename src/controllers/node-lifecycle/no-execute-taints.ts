/** The NoExecute taints by which a lost node's pods are sent away: one at a time. Pure. */
import type { Node, Taint } from '../../api/objects/objects.js';
import type { ChangeOptions } from '../../bus/bus-types.js';

const UNREACHABLE = 'node.kubernetes.io/unreachable';
const NOT_READY = 'node.kubernetes.io/not-ready';

/** Status of a node's Ready condition. */
export type ReadyStatus = 'True' | 'False' | 'Unknown';

/** Key of the taint that the status calls for. */
function wantedKey(ready: ReadyStatus): string | undefined {
  if (ready === 'True') return undefined;
  return ready === 'Unknown' ? UNREACHABLE : NOT_READY;
}

function isOwned({ key, effect }: Taint): boolean {
  return effect === 'NoExecute' && (key === UNREACHABLE || key === NOT_READY);
}

/** What a node's NoExecute taints are, against what the status of its Ready condition calls for. */
export type TaintFit = 'right' | 'missing' | 'opposite' | 'superfluous';

/** `opposite` = it has the other one of the two. */
export function taintFit({ spec }: Node, ready: ReadyStatus): TaintFit {
  const keys = (spec.taints ?? []).filter(isOwned).map(({ key }) => key);
  const wanted = wantedKey(ready);
  if (wanted === undefined) return keys.length === 0 ? 'right' : 'superfluous';
  if (keys.some((key) => key !== wanted)) return 'opposite';
  return keys.length === 0 ? 'missing' : 'right';
}

/** Taints are changed by a GET and a PATCH (AddOrUpdateTaintOnNode, RemoveTaintOffNode). */
export const READ_FIRST: ChangeOptions = { isReadFirst: true };

/** The node with the one taint that the status calls for; the argument itself if it is so already. */
export function withNoExecuteTaint(node: Node, ready: ReadyStatus, timestamp: string): Node {
  if (taintFit(node, ready) === 'right') return node;
  const { taints: former = [], ...spec } = node.spec;
  const wanted = wantedKey(ready);
  const kept = former.filter((taint) => !isOwned(taint) || taint.key === wanted);
  const isThere = kept.some(isOwned);
  if (wanted !== undefined && !isThere) kept.push({ key: wanted, effect: 'NoExecute', timeAdded: timestamp });
  return { ...node, spec: kept.length === 0 ? spec : { ...spec, taints: kept } };
}
