/**
 * How far the fencing of a node has come, as the node's object tells it: a controller that starts anew knows as
 * much as the one before it. Records are written by compare and swap.
 */
import type { Node, StringMap } from '../../api/objects/objects.js';
import { OUT_OF_SERVICE_TAINT } from '../../api/selectors/tolerations.js';

const STATE = 'kubeloom.dev/fencing';
const BOOT = 'kubeloom.dev/fenced-boot';
const STATES = ['fencing', 'fenced', 'broken'] as const;
/** The value by which a fencing controller knows its own taint. */
const OWN = 'fenced';

/**
 * `fencing`: it was decided; whether the node is fenced is not certain. `fenced`: it is, and its pods are released.
 * `broken`: it was not, as the node has shown; an operator must look, and take the taint away.
 */
export interface FencingRecord {
  readonly state: FencingState;
  /** The boot of the machine that was fenced. */
  readonly bootId: string;
}

type FencingState = (typeof STATES)[number];

/** What the node says, if it was ever to be fenced and is not free again. */
export function recordOf({ metadata }: Node): FencingRecord | undefined {
  const { [STATE]: state, [BOOT]: bootId = '' } = metadata.annotations ?? {};
  const known = STATES.find((each) => each === state);
  return known === undefined ? undefined : { state: known, bootId };
}

/** The node with a record of its beginning. */
export function withFencing(node: Node): Node {
  return annotated(node, { [STATE]: 'fencing', [BOOT]: node.status.nodeInfo?.bootID ?? '' });
}

/** The node as it is once its fence is certain: out of service, so that its pods go and its volumes are detached. */
export function withFence(node: Node): Node {
  const taints = (node.spec.taints ?? []).filter(({ key }) => key !== OUT_OF_SERVICE_TAINT);
  const taint = { key: OUT_OF_SERVICE_TAINT, value: OWN, effect: 'NoExecute' };
  return { ...annotated(node, { [STATE]: 'fenced' }), spec: { ...node.spec, taints: [...taints, taint] } };
}

/** The node with a note that its fence was none. */
export function withBrokenFence(node: Node): Node {
  return annotated(node, { [STATE]: 'broken' });
}

/** The node without any trace of a fence; a taint that is not the fence's stays. */
export function withoutFence(node: Node): Node {
  const { [STATE]: _state, [BOOT]: _boot, ...annotations } = node.metadata.annotations ?? {};
  const taints = (node.spec.taints ?? []).filter(({ key, value }) => key !== OUT_OF_SERVICE_TAINT || value !== OWN);
  return { ...node, metadata: { ...node.metadata, annotations }, spec: { ...node.spec, taints } };
}

function annotated(node: Node, added: StringMap): Node {
  return { ...node, metadata: { ...node.metadata, annotations: { ...node.metadata.annotations, ...added } } };
}
