import type { Node, Taint } from '../../api/objects/objects.js';

const NOT_READY: Taint = Object.freeze({ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' });
const NOT_READY_ONLY: Taint[] = [NOT_READY];
Object.freeze(NOT_READY_ONLY);

/**
 * TaintNodesByCondition (plugin/pkg/admission/nodetaint, v1.34): a new node is not ready until the
 * node lifecycle controller has seen that it is.
 */
export function withNotReadyTaint(node: Node): Node {
  const taints = node.spec?.taints ?? [];
  if (taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect)) return node;
  return { ...node, spec: { ...node.spec, taints: taints.length === 0 ? NOT_READY_ONLY : [...taints, NOT_READY] } };
}
