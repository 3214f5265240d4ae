/** What the machines really do against what the API shows. */
import { attachRecordOf } from '../../api/volumes/attach-record.js';
import { isPodTerminal } from '../../api/objects/conditions.js';
import { keyOf, type Pod } from '../../api/objects/objects.js';
import { podRequests } from '../../api/pods/pod-resources.js';
import { knownQuantity, milliValue, value } from '../../api/values/quantity.js';
import type { PodSandbox } from '../../kubelet/containers/container-runtime.js';
import type { Finding, Invariant } from './invariant.js';
import { isForced, isReleased } from './released-node.js';

/** Detaches by force. */
const MANAGER = 'kube-controller-manager';

/** As the machines tell it. */
const STARTED = /^process of (\S+) started \(run (\d+)\)$/;

const terminalAfterProcesses: Invariant = {
  name: 'terminal-after-processes',
  promise: 'a kubelet reports Succeeded or Failed only once no process of the pod runs',
  onWrite: {
    Pod: ({ object, previous, by }, world) => {
      const { nodeName = '' } = object.spec;
      if (!by.startsWith('kubelet/') || !isPodTerminal(object)) return undefined;
      if (previous !== undefined && isPodTerminal(previous)) return undefined;
      const running = runningIn(world.machine(nodeName)?.runtime.held(object.metadata.uid));
      if (running.length === 0) return undefined;
      return finding(
        object,
        `is reported ${object.status.phase} while ${running.join(', ')} still runs on ${nodeName}`,
      );
    },
  },
};

/** Only the node that a pod is bound to runs it. */
const runsWhereItIsBound: Invariant = {
  name: 'runs-where-it-is-bound',
  promise: 'a pod runs on the node that it is bound to and on no other',
  onProcess: ({ node, pod }) => {
    const { nodeName } = pod.spec;
    return nodeName === node ? undefined : finding(pod, `is bound to ${nodeName ?? 'no node'} and runs on ${node}`);
  },
};

/** A namespace and a name mean one set of processes at a time. */
const oneProcessSet: Invariant = {
  name: 'one-process-set',
  promise: 'the processes of an identity have ended before its object is removed, and so never run twice',
  onParting: ({ type, pod, by, instances, text }, world) => {
    const found = { object: `Pod ${pod}`, text };
    if (by === 'user' || by === 'kubectl') return { ...found, asked: by };
    if (by.startsWith('kubelet/')) return found;
    // What pod GC does after a node was deleted, or declared out of service, is at the risk of that request.
    const { node } = instances[0] ?? {};
    if (node === undefined || isReleased(world, node)) return { ...found, asked: by };
    // What a split brain follows from was judged when the object was removed.
    return type === 'SplitBrain' ? { ...found, asked: by } : found;
  },
};

/**
 * A volume that one node may write to is mounted on one node, unless it was detached by force from another one:
 * that one was declared gone, or it was lost for minutes and no record kept the volume for it.
 */
const oneWriter: Invariant = {
  name: 'one-writer',
  promise: 'a ReadWriteOnce volume is mounted on one node at a time',
  onProcess: ({ node, pod }, world) => {
    const own = world.machine(node)?.mounts.ofPod(pod.metadata.uid);
    if (own === undefined || own.size === 0) return undefined;
    for (const { volume } of own.values()) {
      const stored = world.find('PersistentVolume', { name: volume.name });
      if (!isExclusive(stored?.spec.accessModes)) continue;
      for (const other of world.machines) {
        if (other === node) continue;
        for (const mount of world.machine(other)?.mounts.all() ?? []) {
          if (mount.volume.uniqueName !== volume.uniqueName) continue;
          const text = `volume ${volume.name} is mounted on ${other} as well as on ${node}`;
          const hasRecords = stored !== undefined && attachRecordOf(stored) !== undefined;
          const isAsked = [other, node].some((name) => isForced(world, name, hasRecords));
          return isAsked ? { ...finding(pod, text), asked: MANAGER } : finding(pod, text);
        }
      }
    }
    return undefined;
  },
};

/** What a container is promised to find is there before it starts. */
const mountedBeforeStart: Invariant = {
  name: 'mounted-before-start',
  promise: 'a process starts once the claims of its pod are mounted, and not again where pods are never restarted',
  onProcess: ({ node, pod, text }, world) => {
    const [, container, run] = STARTED.exec(text) ?? [];
    if (container === undefined) return undefined;
    const { volumes = [], restartPolicy, containers } = pod.spec;
    const own = world.machine(node)?.mounts.ofPod(pod.metadata.uid);
    const used = new Set(containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)));
    const missing = volumes.find(
      (volume) => volume.persistentVolumeClaim !== undefined && used.has(volume.name) && own?.has(volume.name) !== true,
    );
    if (missing !== undefined) return finding(pod, `starts ${container} on ${node} without volume ${missing.name}`);
    const isApp = containers.some(({ name, restartPolicy: of }) => name === container && of === undefined);
    if (!isApp || restartPolicy !== 'Never' || run === '1') return undefined;
    return finding(pod, `is never to be restarted, and starts run ${run ?? ''} of ${container}`);
  },
};

/** No node holds more than it has. */
const withinAllocatable: Invariant = {
  name: 'within-allocatable',
  promise: 'the pods that a node has admitted fit into its allocatable resources',
  onProcess: ({ node: name, pod }, world) => {
    const node = world.find('Node', { name });
    const machine = world.machine(name);
    if (node === undefined || machine === undefined) return undefined;
    const sums = new Map<string, number>();
    let pods = 0;
    for (const sandbox of machine.runtime.sandboxes) {
      if (!sandbox.isReady) continue;
      pods += 1;
      for (const [resource, amount] of podRequests(sandbox.pod.spec)) {
        sums.set(resource, (sums.get(resource) ?? 0) + amount);
      }
    }
    const { allocatable = {} } = node.status;
    for (const [resource, sum] of [...sums, ['pods', pods] as const]) {
      const text = allocatable[resource];
      if (text === undefined) continue;
      const quantity = knownQuantity(text);
      const room = resource === 'cpu' ? milliValue(quantity) : value(quantity);
      if (sum > room) return finding(pod, `${name} has ${room} of ${resource}, and its pods have asked for ${sum}`);
    }
    return undefined;
  },
};

/** Every invariant of machines. */
export const MACHINE_INVARIANTS: readonly Invariant[] = [
  terminalAfterProcesses,
  runsWhereItIsBound,
  oneProcessSet,
  oneWriter,
  mountedBeforeStart,
  withinAllocatable,
];

function isExclusive(modes: readonly string[] | undefined): boolean {
  return modes !== undefined && modes.every((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod');
}

function runningIn(sandbox: PodSandbox | undefined): readonly string[] {
  return sandbox?.slots.filter(({ isRunning }) => isRunning).map(({ name }) => name) ?? [];
}

function finding(pod: Pod, text: string): Finding {
  return { object: `Pod ${keyOf(pod)}`, text };
}
