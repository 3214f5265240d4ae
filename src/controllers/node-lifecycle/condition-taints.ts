import type { Node, Taint } from '../../api/objects/objects.js';

const PREFIX = 'node.kubernetes.io/';
const UNSCHEDULABLE = `${PREFIX}unschedulable`;

/** Which status of which condition calls for which taint. */
const TAINT_OF_CONDITION: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: `${PREFIX}not-ready`, Unknown: `${PREFIX}unreachable` },
  MemoryPressure: { True: `${PREFIX}memory-pressure` },
  DiskPressure: { True: `${PREFIX}disk-pressure` },
  NetworkUnavailable: { True: `${PREFIX}network-unavailable` },
  PIDPressure: { True: `${PREFIX}pid-pressure` },
};

/** Keys of NoSchedule taints that follow conditions; all others are left alone. */
const OWNED_KEYS: ReadonlySet<string> = new Set([
  UNSCHEDULABLE,
  ...Object.values(TAINT_OF_CONDITION).flatMap((byStatus) => Object.values(byStatus)),
]);

function isOwned({ key, effect }: Taint): boolean {
  return effect === 'NoSchedule' && OWNED_KEYS.has(key);
}

/** Keys of the NoSchedule taints that a node's conditions and specification call for. */
function wantedKeys({ spec, status }: Node): string[] {
  const keys: string[] = [];
  for (const { type, status: state } of status.conditions ?? []) {
    const key = TAINT_OF_CONDITION[type]?.[state];
    if (key !== undefined) keys.push(key);
  }
  if (spec.unschedulable === true) keys.push(UNSCHEDULABLE);
  return keys;
}

/** The node with its NoSchedule taints following its conditions; the argument itself if they do already. */
export function withConditionTaints(node: Node, timestamp: string): Node {
  const taints = node.spec.taints ?? [];
  const wanted = wantedKeys(node);
  const kept = taints.filter((taint) => !isOwned(taint) || wanted.includes(taint.key));
  const missing = wanted.filter((key) => !kept.some((taint) => isOwned(taint) && taint.key === key));
  if (missing.length === 0 && kept.length === taints.length) return node;
  const added = missing.map((key): Taint => ({ key, effect: 'NoSchedule', timeAdded: timestamp }));
  const { taints: _former, ...spec } = node.spec;
  return { ...node, spec: kept.length + added.length === 0 ? spec : { ...spec, taints: [...kept, ...added] } };
}
