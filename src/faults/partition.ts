/** Which machines a partition lies between. */
import type { PartitionTarget } from './fault.js';

/** Whether a partition lies between two machines; the same both ways. @param zoneOf - where a machine stands */
export function separationOf(
  target: PartitionTarget,
  zoneOf: (node: string) => string | undefined,
): (node: string, other: string) => boolean {
  const side = sideOf(target, zoneOf);
  const { from } = target;
  if (from === undefined) return (node, other) => side(node) !== side(other);
  const isBetween = (node: string, other: string): boolean =>
    side(node) !== undefined && side(other) === undefined && from.includes(other);
  return (node, other) => isBetween(node, other) || isBetween(other, node);
}

/** The side on which a machine is: those of one side reach each other; `undefined` = all that are named nowhere. */
function sideOf(
  target: PartitionTarget,
  zoneOf: (node: string) => string | undefined,
): (node: string) => number | undefined {
  if ('zone' in target) return (node) => (zoneOf(node) === target.zone ? 0 : undefined);
  const groups = 'groups' in target ? target.groups : ['nodes' in target ? target.nodes : [target.node]];
  const sides = new Map(groups.flatMap((group, index) => group.map((node) => [node, index] as const)));
  return (node) => sides.get(node);
}
