/** Which pod a node in need evicts first. Pure. Mirrors the ranking functions of pkg/kubelet/eviction (v1.34). */
import type { Pod } from '../../api/objects/objects.js';
import { podRequests } from '../../api/pods/pod-resources.js';
import type { PodUse } from './pod-usage.js';
import { SIGNAL_FACTS, type Signal } from '../configuration/threshold.js';

/** A pod and what is known of its use. */
export interface RankedPod {
  readonly pod: Pod;
  /** `undefined` = nothing: such pods go first. */
  readonly use: PodUse | undefined;
}

/** The pods in the order in which they are evicted for that signal. */
export function evictionOrder<T extends RankedPod>(pods: readonly T[], signal: Signal): T[] {
  const { resource } = SIGNAL_FACTS[signal];
  if (resource === 'pids') return pods.toSorted((a, b) => byPriority(a, b) || byProcesses(a, b));
  const excess = ({ pod, use }: RankedPod): number =>
    usedOf(resource, use) - (podRequests(pod.spec).get(resource) ?? 0);
  const byKnowledge = (a: RankedPod, b: RankedPod): number => Number(a.use !== undefined) - Number(b.use !== undefined);
  const byExcess = (a: RankedPod, b: RankedPod): number => Number(excess(b) > 0) - Number(excess(a) > 0);
  return pods.toSorted((a, b) => byKnowledge(a, b) || byExcess(a, b) || byPriority(a, b) || excess(b) - excess(a));
}

function byPriority(a: RankedPod, b: RankedPod): number {
  return (a.pod.spec.priority ?? 0) - (b.pod.spec.priority ?? 0);
}

function byProcesses(a: RankedPod, b: RankedPod): number {
  return Number(a.use !== undefined) - Number(b.use !== undefined) || (b.use?.processes ?? 0) - (a.use?.processes ?? 0);
}

function usedOf(resource: string, use: PodUse | undefined): number {
  if (use === undefined) return 0;
  return resource === 'memory' ? use.memoryBytes : use.storageBytes;
}
