import { hasPlace, isShort, neededOf } from '../framework/free-resources.js';
import type { ResourceDemand } from '../framework/interface.js';
import type { NodeInfo } from '../framework/node-info.js';
import { Code, createStatus, type Status } from '../framework/status.js';

/** What a pod asks of a node's free resources. */
export interface FitRequest extends ResourceDemand {
  /** The pod names no resource at all: only its place counts. */
  readonly isEmpty: boolean;
}

/** A resource that a node is short of. */
export interface Shortage {
  readonly reason: string;
  /** The node could not give it even if it were empty. */
  readonly isUnresolvable: boolean;
}

/** The reason of a node that has no place left. */
export const TOO_MANY_PODS = 'Too many pods';

const NONE: readonly Shortage[] = [];

/** Everything that the node is short of, in upstream's order. */
export function findShortages(request: FitRequest, node: NodeInfo): readonly Shortage[] {
  const { allocatable } = node;
  const shortages: Shortage[] = [];
  if (!hasPlace(allocatable.pods - node.pods.length)) shortages.push({ reason: TOO_MANY_PODS, isUnresolvable: false });
  if (request.isEmpty) return shortages;
  const compare = (name: string, wanted: number, total: number, used: number): void => {
    const needed = neededOf(wanted);
    if (isShort(needed, total - used)) {
      shortages.push({ reason: `Insufficient ${name}`, isUnresolvable: isShort(needed, total) });
    }
  };
  compare('cpu', request.cpuMillis, allocatable.cpuMillis, node.cpuMillis);
  compare('memory', request.memoryBytes, allocatable.memoryBytes, node.memoryBytes);
  compare('ephemeral-storage', request.ephemeralBytes, allocatable.ephemeralBytes, node.ephemeralBytes);
  for (const [name, amount] of request.scalars) {
    compare(name, amount, allocatable.scalars.get(name) ?? 0, node.scalars.get(name) ?? 0);
  }
  return shortages.length === 0 ? NONE : shortages;
}

/** The verdict: beyond help as soon as one resource is. */
export function rejectionOf(shortages: readonly Shortage[]): Status | undefined {
  if (shortages.length === 0) return undefined;
  const isUnresolvable = shortages.some((shortage) => shortage.isUnresolvable);
  return createStatus(
    isUnresolvable ? Code.UnschedulableAndUnresolvable : Code.Unschedulable,
    'NodeResourcesFit',
    ...shortages.map(({ reason }) => reason),
  );
}
