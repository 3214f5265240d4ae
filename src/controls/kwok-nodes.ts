/**
 * Nodes that clients write as kwok's users do, with the annotation `kwok.x-k8s.io/node: fake`, get a machine with a
 * kubelet; it goes with its Node, or when the annotation does. So autoscalers and scripts that make nodes for kwok
 * (cluster-autoscaler's and Karpenter's kwok providers, kwokctl's manifests) find them alive. A Node without the
 * annotation has no machine, as in any cluster. Mirrors the node controller of kwok (pkg/kwok/controllers, v0.7), of
 * whose stages the kubelet does what they stand for; nothing is kept for a system, as there.
 */
import type { Node, ResourceList } from '../api/objects/objects.js';
import { listen } from '../bus/rx/listen.js';
import { nodeInfo, type MachineInfo, type NodeSetup } from '../kubelet/node/node-object.js';
import { machineOfWritten } from '../kubelet/node/written-node.js';
import { soon, type ControlParts } from './control-parts.js';

const ANNOTATION = 'kwok.x-k8s.io/node';
const FAKE = 'fake';
/** What kwok's stage node-initialize says of a node that says nothing itself. */
const KWOK_RESOURCES: ResourceList = { cpu: '1k', memory: '1Ti', pods: '1M' };

/** Runs such nodes from now on. @param isPooled - whether a machine is one of a pool, which says how long it is there */
export function runKwokNodes(parts: ControlParts, isPooled: (node: string) => boolean): void {
  const { fleet, lookout } = parts;
  const known = new Set<string>();
  const settle = (node: Node, isWanted: boolean): void => {
    const { name } = node.metadata;
    if (isPooled(name)) return;
    const isThere = fleet.kubelet(name) !== undefined;
    if (isThere && !isWanted) fleet.remove(name);
    if (!isThere && isWanted) fleet.add([machineOf(node)]);
  };
  listen(lookout.watch('Node'), ({ type, object }) => {
    const { name, annotations } = object.metadata;
    const isWanted = type !== 'DELETED' && annotations?.[ANNOTATION] === FAKE;
    if (isWanted === known.has(name)) return;
    if (isWanted) known.add(name);
    else known.delete(name);
    soon(parts, () => settle(object, isWanted));
  });
}

/** Of what there is outright nothing is reserved, so that no such kubelet is refused. */
function machineOf(node: Node): NodeSetup {
  const machine = machineOfWritten(node, KWOK_RESOURCES);
  const { allocatable = machine.capacity } = machine;
  return { ...machine, allocatable, ...addressesOf(node), info: infoOf(node) };
}

function addressesOf({ status: { addresses = [] } }: Node): { addresses?: typeof addresses } {
  return addresses.length === 0 ? {} : { addresses };
}

/** What the Node says of its machine, and the rest as of one of ours. */
function infoOf({ metadata: { name, labels = {} }, status }: Node): MachineInfo {
  const ours = nodeInfo(name, '');
  const { 'kubernetes.io/arch': architecture, 'kubernetes.io/os': operatingSystem } = labels;
  const labelled = { ...(architecture && { architecture }), ...(operatingSystem && { operatingSystem }) };
  const said = Object.entries(status.nodeInfo ?? {}).filter(([, value]) => value !== '');
  return { nodeInfo: { ...ours, ...labelled, ...Object.fromEntries(said) } };
}
