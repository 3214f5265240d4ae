/** What a kubelet has to say of its node now, against what the API shows of it. */
import type { Node, ResourceList } from '../../api/objects/objects.js';
import { showsConditions } from '../configuration/node-conditions.js';
import type { NodeContext } from './node-context.js';
import { nodeStatus, type NodeReport } from './node-object.js';

const NO_PROBLEMS: readonly string[] = [];
const SHUTTING_DOWN: readonly string[] = ['node is shutting down'];

/** @param problems - why the node is not ready; by default what holds back a kubelet that is up */
export function nodeReport(
  { kernel, images, situation, volumes }: NodeContext,
  problems: readonly string[] = situation.isShuttingDown ? SHUTTING_DOWN : NO_PROBLEMS,
): NodeReport {
  const time = kernel.timestamps.toTime(kernel.clock.now());
  const { pressures } = situation;
  return { problems, pressures, time, images: images.report(), volumesInUse: volumes.inUse() };
}

/** The node's object with what is to be said of it; what others say stays. */
export function reportedNode(node: Node, { machine }: NodeContext, report: NodeReport): Node {
  const { volumesInUse: _before, ...others } = node.status;
  const own = nodeStatus(machine, report, others.conditions ?? []);
  const added = addedResources(node, own.capacity ?? {});
  if (added.length === 0) return { ...node, status: { ...others, ...own } };
  const more = Object.fromEntries(added);
  const capacity = { ...own.capacity, ...more };
  return { ...node, status: { ...others, ...own, capacity, allocatable: { ...own.allocatable, ...more } } };
}

/** What others have given the node beside what its machine has: pods may use all of it. */
function addedResources({ status }: Node, own: ResourceList): [string, string][] {
  return Object.entries(status.capacity ?? {}).filter(([name]) => own[name] === undefined);
}

/** What a node that was there before showed of itself is what changes are told against. */
export function compareWith({ nodeEvents, machine }: NodeContext, { status }: Node): void {
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  nodeEvents.readyIsShownAs(ready === undefined ? undefined : ready.status === 'True');
  const { bootID = '' } = status.nodeInfo ?? {};
  if (bootID !== '' && bootID !== machine.bootId) nodeEvents.rebooted(machine.bootId);
}

/** Whether the node's conditions, or resources that it was given, are stored other than its kubelet reports them. */
export function isShownWrongly(context: NodeContext, node: Node): boolean {
  const { conditions, allocatable } = node.status;
  if (showsConditions(conditions, nodeReport(context))) {
    return addedResources(node, context.machine.capacity).some(([name, value]) => allocatable?.[name] !== value);
  }
  const ready = conditions?.find(({ type }) => type === 'Ready');
  if (ready !== undefined) context.nodeEvents.readyIsShownAs(ready.status === 'True');
  return true;
}
