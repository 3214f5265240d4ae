/**
 * How late the node lifecycle controller was while a story was recorded, as the story tells itself. On a machine with
 * nothing else to do a node that is cordoned or uncordoned has its taint, or has it no more, within some 30 ms;
 * whether the scheduler tries pods in between depends on it.
 */
import { isObject } from '../conformance/recorded-lines.js';
import type { RecordedObject, Story } from '../conformance/stories/story.js';

const TAINT = 'node.kubernetes.io/unschedulable';

/** The longest time that a node of the story waited for its taint to be set or taken away, ms. */
export function latestTaintMs({ events }: Pick<Story, 'events'>): number {
  const owedSince = new Map<string, number>();
  let latestMs = 0;
  for (const { ms, type, object } of events) {
    if (object.kind !== 'Node') continue;
    const { name } = object.metadata;
    const sinceMs = owedSince.get(name);
    if (type === 'DELETED') owedSince.delete(name);
    else if (owesTaint(object)) owedSince.set(name, sinceMs ?? ms);
    else if (sinceMs !== undefined) {
      owedSince.delete(name);
      latestMs = Math.max(latestMs, ms - sinceMs);
    }
  }
  return latestMs;
}

/** Whether the taints of a node say something else than its spec. */
function owesTaint({ spec }: RecordedObject): boolean {
  if (!isObject(spec)) return false;
  const taints = Array.isArray(spec['taints']) ? spec['taints'] : [];
  return (spec['unschedulable'] === true) !== taints.some((taint) => isObject(taint) && taint['key'] === TAINT);
}

const FIRST_TAINT = 'node.kubernetes.io/not-ready';

/**
 * Whether the scheduler gave a pod up while a new node still had the taint with which nodes begin, although it was
 * ready: where others write to the node as well, the lifecycle controller's write is refused, and made 100 to 200 ms
 * later.
 */
export function isTriedTooEarly({ events }: Pick<Story, 'events'>): boolean {
  const owing = new Set<string>();
  return events.some(({ type, object }) => {
    if (object.kind === 'Event') return owing.size > 0 && object['reason'] === 'FailedScheduling';
    if (object.kind !== 'Node') return false;
    const { name } = object.metadata;
    if (type !== 'DELETED' && beginsLate(object)) owing.add(name);
    else owing.delete(name);
    return false;
  });
}

/** Whether a node has its first taint, and nothing that calls for it. */
function beginsLate({ spec, status }: RecordedObject): boolean {
  if (!isObject(spec) || !Array.isArray(spec['taints'])) return false;
  const conditions: readonly unknown[] =
    isObject(status) && Array.isArray(status['conditions']) ? status['conditions'] : [];
  const isUnready = conditions.some((each) => isObject(each) && each['type'] === 'Ready' && each['status'] !== 'True');
  return !isUnready && spec['taints'].some((taint) => isObject(taint) && taint['key'] === FIRST_TAINT);
}
