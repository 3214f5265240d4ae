import type { Node, ResourceList } from '../../api/objects/objects.js';
import type { NodeSetup } from './node-object.js';

/**
 * The machine behind a Node that was written by hand: no kubelet has told anything of it.
 *
 * @param unsaid - what it has where the Node does not say so
 */
export function machineOfWritten({ metadata, spec, status }: Node, unsaid: ResourceList): NodeSetup {
  const { allocatable, capacity = allocatable ?? unsaid, images = [] } = status;
  return {
    name: metadata.name,
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    taints: spec.taints ?? [],
    capacity,
    allocatable,
    images,
  };
}
