/**
 * The order in which objects come, are told to go, and go. One thing comes before another
 *
 * - exactly, where the one is the cause of the other: an owner and what it owns, the pods of a stateful set one
 *   by one, what is deleted in the foreground and its owner, an object and the Events of it or of its creation;
 * - where they were 100 ms or more apart (250 ms on a busy machine, story-times.ts), if one is the other's owner or
 *   Event, or both are the same for two objects of one owner, or a pod comes and goes of a set that replaces them
 *   step by step;
 * - wherever nothing at all had happened for as long in between: the later one is not of the same stir. Where a
 *   controller made one of them they are a second apart: timers in whole seconds have no phase that a story tells.
 *
 * Pods of a replica set that go within a second raced, too: those on nodes with more pods of its Deployment go
 * first, as far as the controller has seen where the newest ones are.
 *
 * All else raced: controllers that work at the same time owe each other no order. Versions give the order of a
 * recording, since its watches are told by streams of their own.
 */
import { TRIES } from './compare-events.js';
import type { Difference } from '../difference.js';
import type { Haste } from '../story-times.js';
import { Kinship } from '../kinship.js';
import type { Change } from '../telling.js';

/** A busy machine stands still for no longer, and no timer in whole seconds is further out of phase. */
const STALL_MS = 1000;

interface Turn {
  readonly key: string;
  readonly change: Change;
  /** Place in the recording, and in ours. */
  readonly recorded: number;
  readonly ours: number;
  /** Stirs before the one that it belongs to. */
  readonly stir: number;
}

/** What came too early here. */
export function compareOrder(
  recorded: readonly Change[],
  ours: readonly Change[],
  { raceMs }: Haste,
): readonly Difference[] {
  const turns = commonTurns(recorded, ours, raceMs);
  const kinship = new Kinship(recorded);
  const differences: Difference[] = [];
  /** What came too late is named once. */
  const named = new Set<string>();
  /** The latest of ours up to each place of the recording: nothing to look for where none is later. */
  let latest = -1;
  for (const [index, later] of turns.entries()) {
    if (later.ours > latest) {
      latest = later.ours;
      continue;
    }
    const earlier = turns
      .slice(0, index)
      .find((each) => each.ours > later.ours && !named.has(each.key) && isBefore(each, later, kinship, raceMs));
    if (earlier === undefined) continue;
    named.add(earlier.key);
    differences.push({
      step: later.change.sent,
      line: later.change.line,
      what: 'order',
      recorded: `${earlier.key}, then ${later.key}`,
      ours: `${later.key}, then ${earlier.key}`,
    });
  }
  return differences;
}

/** Whether the order of two turns is more than chance. */
function isBefore(earlier: Turn, later: Turn, kinship: Kinship, raceMs: number): boolean {
  if (kinship.isCause(earlier.change, later.change)) return true;
  const apartMs = later.change.ms - earlier.change.ms;
  const isTimed = kinship.isOwned(earlier.change) || kinship.isOwned(later.change);
  if (earlier.stir !== later.stir && (!isTimed || apartMs >= STALL_MS)) return true;
  if (apartMs < (kinship.isUnordered(earlier.change, later.change) ? STALL_MS : raceMs)) return false;
  return kinship.isRelated(earlier.change, later.change);
}

/** Turns that there are on both sides, in the order of the recording. */
function commonTurns(recorded: readonly Change[], ours: readonly Change[], raceMs: number): readonly Turn[] {
  const places = new Map(turnsOf(ours).map(({ key }, index) => [key, index]));
  const stirs = stirTimes(recorded, raceMs);
  const isVersioned = recorded.every(({ version }) => version > 0);
  const inOrder = isVersioned ? recorded.toSorted((a, b) => a.version - b.version) : recorded;
  return turnsOf(inOrder).flatMap(({ key, change }, index) => {
    const place = places.get(key);
    if (place === undefined) return [];
    const stir = stirs.findLastIndex((startMs) => startMs <= change.ms);
    return [{ key, change, recorded: index, ours: place, stir }];
  });
}

/** When something happened after a rest. While a kubelet owes an answer it is the machine that rests, for a second at most. */
function stirTimes(changes: readonly Change[], raceMs: number): readonly number[] {
  let lastMs = -Infinity;
  const owed = new Set<string>();
  return changes.flatMap((change) => {
    const { ms } = change;
    const isStart = ms - lastMs >= (owed.size > 0 ? Math.max(raceMs, STALL_MS) : raceMs);
    lastMs = ms;
    if (isOwed(change)) owed.add(change.key);
    else owed.delete(change.key);
    return isStart ? [ms] : [];
  });
}

/** Whether a kubelet has to say that a pod runs, or is gone. */
function isOwed({ kind, type, object, isTerminating }: Change): boolean {
  if (kind !== 'Pod' || type === 'DELETED' || !object.has('spec.nodeName')) return false;
  return isTerminating || !object.has('status.podIP');
}

/** Comings, first marks of deletion, goings; counted, since names come back. Of tries in vain the first. */
function turnsOf(changes: readonly Change[]): readonly Pick<Turn, 'key' | 'change'>[] {
  const counts = new Map<string, number>();
  const going = new Set<string>();
  return changes.flatMap((change) => {
    const { type, key, kind, isTerminating } = change;
    if (type === 'ADDED') going.delete(key);
    else if (type === 'MODIFIED' && (!isTerminating || going.has(key) || kind === 'Event')) return [];
    else if (type === 'MODIFIED') going.add(key);
    const turn = `${type === 'MODIFIED' ? 'TERMINATING' : type} ${key}`;
    const count = (counts.get(turn) ?? 0) + 1;
    counts.set(turn, count);
    if (count > 1 && kind === 'Event' && TRIES.test(key)) return [];
    return [{ key: count === 1 ? turn : `${turn} (${count})`, change }];
  });
}
