import { keyOf, type Pod } from '../src/api/objects/objects.js';
import { TraceHash } from '../src/kernel/trace-hash.js';

/**
 * Digest of where every pod is: its node, or the node that it is nominated to.
 *
 * @param nominatedNodeOf - of a pod that is on no node
 */
export function placementHash(pods: Iterable<Pod>, nominatedNodeOf: (pod: Pod) => string | undefined): string {
  const lines = Array.from(pods, (pod) => {
    const { nodeName = '' } = pod.spec;
    return nodeName === ''
      ? `${keyOf(pod)} nominated to ${nominatedNodeOf(pod) ?? '-'}`
      : `${keyOf(pod)} on ${nodeName}`;
  });
  const hash = new TraceHash();
  for (const line of lines.sort()) hash.add(line);
  return hash.digest();
}
