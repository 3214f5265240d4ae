/** Faults that name a zone: they are those of each of its nodes. */
import { assert } from '../kernel/assert.js';
import type { Fault, NodeTarget, PartyTarget, SingleParty } from './fault.js';
import type { FaultSeams } from './fault-seams.js';
import { verbOf } from './fault-tally.js';

/** What a fault comes to on one node, or itself where it names no zone. */
export interface FaultPart {
  readonly fault: Fault;
  /** Of the nodes of a zone this one. */
  readonly node: string | undefined;
}

/** The parts of a valid fault, those of a zone in the order of its nodes. A partition goes by zones itself. */
export function partsOf(fault: Fault, { nodes, zoneOf }: Pick<FaultSeams, 'nodes' | 'zoneOf'>): readonly FaultPart[] {
  const verb = verbOf(fault);
  const { zone, ...others } = (fault as unknown as Record<string, { readonly zone?: string }>)[verb] ?? {};
  if (zone === undefined || verb === 'partition') return [{ fault, node: undefined }];
  return [...nodes]
    .filter((node) => zoneOf(node) === zone)
    .map((node) => ({ fault: { ...fault, [verb]: { node, ...others } } as unknown as Fault, node }));
}

/** The node of a part. */
export function nodeOf(target: NodeTarget): string {
  assert('node' in target, 'a part of a fault names a node');
  return target.node;
}

/** The party of a part. */
export function partyOf(target: PartyTarget): SingleParty {
  assert(!('zone' in target), 'a part of a fault names no zone');
  return target;
}
