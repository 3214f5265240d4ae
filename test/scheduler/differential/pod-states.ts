/** States that pods come into. */
import type { Pod, ResourceList } from '../../../src/api/objects/objects.js';

const DELETED_AT = '2030-01-01T01:00:00Z';

/** The pod with other requests, which its node has not met yet. */
export function resized(pod: Pod, requests: ResourceList): Pod {
  const [first, ...others] = pod.spec.containers;
  if (first === undefined) return pod;
  const containers = [{ ...first, resources: { ...first.resources, requests: { ...requests } } }, ...others];
  return { ...settled(pod), spec: { ...pod.spec, containers } };
}

/** The pod with a status that says that it has what its spec says. */
export function settled(pod: Pod): Pod {
  const containerStatuses = pod.spec.containers.map(({ name, image = '', resources }) => ({
    ...{ name, image, imageID: '', ready: true, restartCount: 0 },
    allocatedResources: { ...resources?.requests },
    resources: { requests: { ...resources?.requests } },
  }));
  return { ...pod, status: { ...pod.status, containerStatuses } };
}

/** The pod on its way out. */
export function terminating(pod: Pod): Pod {
  return { ...pod, metadata: { ...pod.metadata, deletionTimestamp: DELETED_AT } };
}

/** A victim of a preemption that has been told to go. */
export function leaving(pod: Pod): Pod {
  const condition = { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' } as const;
  return terminating({ ...pod, status: { ...pod.status, conditions: [condition] } });
}

/** The pod with its nominated node in the status; `''` = none. */
export function nominatedTo(pod: Pod, nodeName: string): Pod {
  const { nominatedNodeName: _dropped, ...status } = pod.status;
  return { ...pod, status: nodeName === '' ? status : { ...status, nominatedNodeName: nodeName } };
}

/** The pod that runs on a node. @param startTime - absent while its kubelet has not said so */
export function running(pod: Pod, nodeName: string, startTime: string | undefined): Pod {
  const { status } = nominatedTo(pod, '');
  return {
    ...pod,
    spec: { ...pod.spec, nodeName },
    status: { ...status, phase: 'Running', ...(startTime === undefined ? {} : { startTime }) },
  };
}
