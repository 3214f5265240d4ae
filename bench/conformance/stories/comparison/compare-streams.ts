/**
 * Whether a recording is what a server can have told: the versions of one watch rise, no watch is far behind
 * another, and numbers of one status agree with each other.
 */
import type { Difference } from '../difference.js';
import { hasteOf } from '../story-times.js';
import { textField } from '../plain-object.js';
import { isObject, type JsonObject } from '../../recorded-lines.js';
import type { EventLine, Story } from '../story.js';

/** Nor is one so far ahead that it tells of something before another tells of its owner. */
const OWNER_LAG_MS = 20;

/** How it is told that a watch was far behind another, after the name of the object. */
export const OLDER_VERSION = ': version';

/** What cannot have been. */
export function compareStreams(story: Story): readonly Difference[] {
  const { events, actions } = story;
  // Watches are streams of their own; none is so far behind.
  const { lagMs } = hasteOf(story);
  const streams = new Map<string, number>();
  /** The newest version that was told so long ago. */
  let settled = 0;
  let next = 0;
  const orphans = new Map<string, number>();
  return events.flatMap((event) => {
    const { line, ms, res, object } = event;
    for (; (events[next]?.ms ?? ms) <= ms - lagMs; next += 1) settled = Math.max(settled, versionOf(events[next]));
    const before = Math.max(streams.get(res) ?? 0, settled);
    const version = versionOf(event);
    streams.set(res, Math.max(streams.get(res) ?? 0, version));
    const step = actions.filter(({ sentMs }) => sentMs <= ms).length;
    const what = `${textField(object, 'kind')} ${object.metadata.name}`;
    const differences: Difference[] = [];
    if (version !== 0 && version < before)
      differences.push({
        step,
        line,
        what: `${what}${OLDER_VERSION}`,
        recorded: `${before}, then ${version}`,
        ours: 'they rise',
      });
    if (isBeforeOwner(event, orphans))
      differences.push({ step, line, what, recorded: 'came after what it owns', ours: 'owners come first' });
    const disagreement = disagreementOf(object['status']);
    if (disagreement !== undefined) differences.push({ step, line, what: `${what}: status`, ...disagreement });
    return differences;
  });
}

/** Whether an owner comes well after what it owns. @param orphans - when the first object of an owner came before it */
function isBeforeOwner({ type, ms, object }: EventLine, orphans: Map<string, number>): boolean {
  if (type !== 'ADDED') return false;
  const { uid = '', ownerReferences } = object.metadata;
  const owners = Array.isArray(ownerReferences) ? (ownerReferences as readonly unknown[]) : [];
  for (const owner of owners) {
    const of = isObject(owner) ? textField(owner, 'uid') : '';
    if (!orphans.has(of)) orphans.set(of, ms);
  }
  return ms - (orphans.get(uid) ?? ms) >= OWNER_LAG_MS;
}

function versionOf(event: EventLine | undefined): number {
  return Number(event?.object.metadata.resourceVersion ?? 0) || 0;
}

/** Numbers of one status of which the former is never more than the latter. */
const AT_MOST = [
  ['availableReplicas', 'readyReplicas'],
  ['readyReplicas', 'replicas'],
  ['fullyLabeledReplicas', 'replicas'],
] as const;

function disagreementOf(status: unknown): Pick<Difference, 'recorded' | 'ours'> | undefined {
  if (!isObject(status) || status['replicas'] === undefined) return undefined;
  const pair = AT_MOST.find(([less, more]) => count(status, less) > count(status, more));
  if (pair === undefined) return undefined;
  const [less, more] = pair;
  return {
    recorded: `${less} ${count(status, less)}, ${more} ${count(status, more)}`,
    ours: `no more ${less} than ${more}`,
  };
}

function count(status: JsonObject, field: string): number {
  return Number(status[field] ?? 0);
}
