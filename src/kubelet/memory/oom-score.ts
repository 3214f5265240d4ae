/**
 * The scores by which the kernel chooses what to kill when memory runs out. Pure. The adjustment of scores mirrors
 * the kubelet's (pkg/kubelet/qos/policy.go, v1.34), the score itself oom_badness of Linux 6 (mm/oom_kill.c).
 */
import type { Container, Pod } from '../../api/objects/objects.js';
import { aggregatedContainerRequests, isSidecar } from '../../api/pods/pod-resources.js';
import { podQosClass } from '../../api/pods/qos-class.js';
import { value, wholeValue } from '../../api/values/quantity.js';
import { isCritical } from '../configuration/critical-pod.js';

const LOWEST = -997;
const HIGHEST = 1000;
const NODE_CRITICAL = 'system-node-critical';
const PAGE_BYTES = 4096;

/** What is added to the score of a container's processes, in thousandths of the machine's memory. */
export function oomScoreAdjust(pod: Pod, container: Container, machineBytes: number): number {
  const { spec } = pod;
  if (spec.priorityClassName === NODE_CRITICAL && isCritical(pod)) return LOWEST;
  const qos = podQosClass(spec);
  if (qos === 'Guaranteed') return LOWEST;
  if (qos === 'BestEffort') return HIGHEST;
  const share = podLevelShare(pod);
  const ofRequest = (requestBytes: number): number =>
    HIGHEST - Math.trunc((HIGHEST * (requestBytes + share)) / machineBytes);
  let adjust = ofRequest(memoryRequest(container));
  if (isSidecar(container)) {
    adjust = Math.min(adjust, ofRequest(Math.min(...spec.containers.map(memoryRequest))));
  }
  if (adjust < HIGHEST + LOWEST) return HIGHEST + LOWEST;
  return adjust === HIGHEST ? HIGHEST - 1 : adjust;
}

/** How bad a process is, in pages: the worst one goes. */
export function oomBadness(memoryBytes: number, adjust: number, limitBytes: number): number {
  const pages = Math.trunc(limitBytes / PAGE_BYTES);
  return Math.ceil(memoryBytes / PAGE_BYTES) + adjust * Math.trunc(pages / HIGHEST);
}

/** What a pod asks for as a whole beyond its containers is shared among all of these (remainingPodMemReqPerContainer). */
function podLevelShare({ spec }: Pod): number {
  const asked = spec.resources?.requests?.['memory'];
  if (asked === undefined || wholeValue(asked) === 0) return 0;
  const ofContainers = aggregatedContainerRequests(spec).get('memory');
  const rest = wholeValue(asked) - (ofContainers === undefined ? 0 : value(ofContainers));
  return Math.trunc(rest / (spec.containers.length + (spec.initContainers?.length ?? 0)));
}

/** What a container asks for, and what it is taken to use if its script does not say. */
export function memoryRequest({ resources }: Container): number {
  const request = resources?.requests?.['memory'];
  return request === undefined ? 0 : wholeValue(request);
}
