/** The machines behind the nodes of a picture, each with what runs and is mounted on it. */
import { csiVolumeOf } from '../../api/volumes/attachable-volume.js';
import { claimedVolumes } from '../../api/volumes/claimed-volumes.js';
import type { Node, Pod } from '../../api/objects/objects.js';
import type { ApiServer } from '../../apiserver/store/server-types.js';
import type { MachineMemory, ResumedPod } from '../../kubelet/resumed/resumed-machine.js';
import type { NodeSetup } from '../../kubelet/kubelet.js';
import { machineOfWritten } from '../../kubelet/node/written-node.js';
import type { NodeVolume } from '../../kubelet/volumes/mount-table.js';
import { nodeVolume } from '../../kubelet/volumes/volume-lookup.js';
import { DEFAULT_CAPACITY } from '../../workload/node-groups.js';
import type { SavedState } from '../saved-state.js';
import { isAlive } from './load-picture.js';

const NO_MOUNTS: ReadonlyMap<string, NodeVolume> = new Map();

/** What the machines are made with. */
interface ResumeMeans {
  readonly state: SavedState | undefined;
  /** Whether volumes that one node alone may have are mounted by their records. */
  readonly attachRecords: boolean;
}

/** See the file header. */
export function resumedNodes(server: Pick<ApiServer, 'list' | 'find'>, means: ResumeMeans): readonly NodeSetup[] {
  const byNode = new Map<string, Pod[]>();
  for (const pod of server.list('Pod').items) {
    const { nodeName = '' } = pod.spec;
    if (nodeName === '' || !hasBegun(pod)) continue;
    const pods = byNode.get(nodeName);
    if (pods === undefined) byNode.set(nodeName, [pod]);
    else pods.push(pod);
  }
  return server.list('Node').items.map((node) => {
    const pods = byNode.get(node.metadata.name) ?? [];
    return setupOf(node, pods, { ...means, server, saved: means.state?.nodes[node.metadata.name] });
  });
}

/** Its kubelet has seen it. */
function hasBegun({ status }: Pod): boolean {
  return status.startTime !== undefined || (status.containerStatuses?.length ?? 0) > 0;
}

interface NodeMeans extends ResumeMeans {
  readonly server: Pick<ApiServer, 'find'>;
  readonly saved: MachineMemory | undefined;
}

function setupOf(node: Node, pods: readonly Pod[], means: NodeMeans): NodeSetup {
  const { status } = node;
  const { saved } = means;
  const written = machineOfWritten(node, DEFAULT_CAPACITY);
  if (!isToldOf(node)) return written;
  return {
    ...written,
    allocatable: status.allocatable ?? written.capacity,
    images: [...(written.images ?? []), ...(saved?.images ?? []).map((name) => ({ names: [name] }))],
    addresses: status.addresses ?? [],
    resumed: {
      node,
      pods: pods.map((pod) => resumedPod(pod, means)),
      isRunning: isAlive(node, saved?.isRunning),
      isPowered: saved?.isPowered ?? true,
    },
  };
}

/** No kubelet has dated the conditions of a node that was written by hand, not read from a server: its machine is new. */
function isToldOf({ status: { capacity, conditions = [] } }: Node): boolean {
  const isDated = conditions.some((each) => (each.lastHeartbeatTime ?? each.lastTransitionTime) !== undefined);
  return capacity !== undefined && isDated;
}

function resumedPod(pod: Pod, means: NodeMeans): ResumedPod {
  const memory = means.saved?.pods[pod.metadata.uid];
  return { pod, mounts: mountsOf(pod, means), ...(memory === undefined ? {} : { memory }) };
}

/** The volumes of its claims, where it has come so far that they were mounted. */
function mountsOf(pod: Pod, { server, attachRecords }: NodeMeans): ReadonlyMap<string, NodeVolume> {
  const claimed = claimedVolumes(pod);
  if (claimed.length === 0 || pod.status.podIP === undefined) return NO_MOUNTS;
  const mounts = new Map<string, NodeVolume>();
  for (const { name, claimName } of claimed) {
    const claim = server.find('PersistentVolumeClaim', { namespace: pod.metadata.namespace, name: claimName });
    const volume = server.find('PersistentVolume', { name: claim?.spec.volumeName ?? '' });
    if (volume === undefined) continue;
    const csi = csiVolumeOf(volume);
    const driver = csi === undefined ? undefined : server.find('CSIDriver', { name: csi.handle.driver });
    const isDriven = csi !== undefined && driver?.spec.attachRequired !== false;
    mounts.set(name, nodeVolume({ attachRecords }, volume, isDriven));
  }
  return mounts;
}
