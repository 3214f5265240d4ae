/**
 * What of a node stands against a pod that is bound to it, in the order in which it is told. Pure. Mirrors
 * generalFilter of the kubelet with AdmissionCheck of the scheduler (v1.34).
 */
import { hostPortsOf, arePortsInConflict } from '../../api/pods/host-ports.js';
import { requiredNodeAffinity } from '../../api/selectors/node-affinity.js';
import type { Pod, PodSpec } from '../../api/objects/objects.js';
import { findUntolerated } from '../../api/selectors/tolerations.js';
import { isStatic } from '../configuration/critical-pod.js';
import type { Shortage } from '../node/node-resources.js';
import type { NodeFacts } from '../node/node-situation.js';

/** A predicate that does not hold. */
export interface PredicateFailure {
  readonly name: 'NodeAffinity' | 'NodeName' | 'NodePorts' | 'TaintToleration';
  readonly text: string;
}

/** Why a node does not take a pod. */
export interface AdmissionFailures {
  readonly shortages: readonly Shortage[];
  readonly predicates: readonly PredicateFailure[];
}

const AFFINITY: PredicateFailure = {
  name: 'NodeAffinity',
  text: "node(s) didn't match Pod's node affinity/selector",
};
const NAME: PredicateFailure = { name: 'NodeName', text: "node(s) didn't match the requested node name" };
const PORTS: PredicateFailure = {
  name: 'NodePorts',
  text: "node(s) didn't have free ports for the requested pod ports",
};
const TAINTS: PredicateFailure = {
  name: 'TaintToleration',
  text: "node(s) had taints that the pod didn't tolerate",
};
const NO_EXECUTE: readonly string[] = ['NoExecute'];

/** See the file header. */
export function predicateFailures(
  pod: Pod,
  { name, labels, taints }: NodeFacts,
  others: Iterable<{ readonly pod: Pod }>,
): PredicateFailure[] {
  const { spec } = pod;
  const failures: PredicateFailure[] = [];
  if (requiredNodeAffinity(spec)?.matches(labels, name) === false) failures.push(AFFINITY);
  if (spec.nodeName !== undefined && spec.nodeName !== name) failures.push(NAME);
  if (conflictsInPorts(spec, others)) failures.push(PORTS);
  if (!isStatic(pod) && findUntolerated(taints, spec.tolerations, NO_EXECUTE) !== undefined) failures.push(TAINTS);
  return failures;
}

/** Whether the labels of the node are all that stands against the pod: they may be newer than known here. */
export function isOnlyAffinity({ shortages, predicates }: AdmissionFailures): boolean {
  return shortages.length === 0 && predicates.length > 0 && predicates.every((failure) => failure === AFFINITY);
}

function conflictsInPorts(spec: PodSpec, others: Iterable<{ readonly pod: Pod }>): boolean {
  const wanted = hostPortsOf(spec);
  if (wanted.length === 0) return false;
  for (const { pod } of others) if (arePortsInConflict(wanted, hostPortsOf(pod.spec))) return true;
  return false;
}
