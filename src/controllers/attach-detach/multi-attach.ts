/** The events about pods that need a volume which another node has. Upstream: `reportMultiAttachError` (v1.34). */
import type { Pod } from '../../api/objects/objects.js';
import type { AttachDetachMemory } from './attach-detach-memory.js';
import type { DesiredPair } from './desired-state.js';

/** Tells each pod that waits for the volume; names of pods in other namespaces are not told. */
export function reportMultiAttach(
  { desired, context }: AttachDetachMemory,
  { volume, nodeName, pods }: DesiredPair,
  attachedTo: readonly string[],
): void {
  const holders: Pod[] = [];
  for (const other of desired.ofVolume(volume.uniqueName)) {
    if (other.nodeName !== nodeName && attachedTo.includes(other.nodeName)) holders.push(...other.pods.values());
  }
  for (const pod of pods.values()) {
    const message = `Multi-Attach error for volume "${volume.name}" ${explain(pod, holders)}`;
    context.recorder.record(pod, 'Warning', 'FailedAttachVolume', message);
  }
}

function explain({ metadata: { namespace } }: Pod, holders: readonly Pod[]): string {
  if (holders.length === 0) {
    return "Volume is already exclusively attached to one node and can't be attached to another";
  }
  const names = holders.filter(({ metadata }) => metadata.namespace === namespace).map(({ metadata }) => metadata.name);
  const elsewhere = holders.length - names.length;
  const others = `${elsewhere} pod(s) in different namespaces`;
  if (names.length === 0) return `Volume is already used by ${others}`;
  const known = `Volume is already used by pod(s) ${names.join(', ')}`;
  return elsewhere === 0 ? known : `${known} and ${others}`;
}
