/**
 * Decides what becomes of an event: a new Event object, a higher count of one that exists, or nothing.
 * Pure bookkeeping of one component; it writes nothing. Mirrors client-go's EventCorrelator (v1.34):
 * aggregator, then logger, then spam filter; but keeps one small record per object instead of three
 * caches by long keys, and merges the oldest message of a full set instead of a random one.
 */
import { TokenBucket } from '../kernel/token-bucket.js';
import type { EventLimit, EventType } from './bus-types.js';

/** Distinct messages of one (object, type, reason) from which on they are merged. */
const MERGE_FROM = 10;
/** Milliseconds without such an event after which distinct messages count from one again. */
const MERGE_WINDOW_MS = 600_000;
/** Events that one object may cause at once. */
const BURST = 25;
/** Milliseconds until one more is allowed. */
const REFILL_MS = 300_000;
/** Sets of events with a bucket of their own, where a component says which count together. */
const BUCKETS_REMEMBERED = 8192;
/** Objects remembered; client-go's caches have this many entries. */
const OBJECTS_REMEMBERED = 4096;
/** Milliseconds after which a silent object is forgotten: API servers keep Events for one hour. */
const FORGET_AFTER_MS = 3_600_000;
/** Own Events remembered for one (object, type, reason). */
const OBSERVATIONS_REMEMBERED = 32;

/** Prefix of merged messages. */
const MERGED_PREFIX = '(combined from similar events): ';

/** One Event object and how often it was seen. */
export interface Observation {
  /** Its own message; that of a merged one changes and is not kept here. */
  readonly message: string;
  readonly fieldPath: string;
  /** Name of the Event object. */
  readonly name: string;
  readonly firstMs: number;
  count: number;
  older: Observation | undefined;
}

/** What is known of one (object, type, reason). Most are seen once: such a one is its own, and only, observation. */
interface Reason extends Observation {
  readonly type: EventType;
  readonly reason: string;
  lastMs: number;
  /** Distinct messages in the window, oldest first; absent while the newest observation is the only one. */
  messages: string[] | undefined;
  /** `undefined` = itself. */
  newest: Observation | undefined;
  merged: Observation | undefined;
  readonly other: Reason | undefined;
}

/** What is known of one object. */
interface ObjectRecord {
  usedMs: number;
  /** Milliseconds' worth of refill in the bucket; an event costs REFILL_MS. */
  allowanceMs: number;
  reasons: Reason | undefined;
}

/** An event as its component reports it. */
export interface ReportedEvent {
  /** Identifies the object that the event is about, such as its uid. */
  readonly object: string;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly fieldPath: string;
}

/** What to do with an event. */
export interface Verdict {
  /** Its count is 1 when the Event object is to be created, otherwise the new count. */
  readonly observation: Observation;
  /** The message to write. */
  readonly message: string;
  readonly isMerged: boolean;
}

/** See the file header. */
export class EventCorrelator {
  readonly #objects = new Map<string, ObjectRecord>();
  /** What the last event was about: most come several at a time. */
  #last: { readonly object: string; readonly record: ObjectRecord } | undefined;
  /** No object was used before that. */
  #oldestMs = 0;
  readonly #limit: EventLimit | undefined;
  /** Of a limit of the component's own: those used last come last. */
  readonly #buckets = new Map<string, TokenBucket>();

  /** @param limit - @defaultValue client-go's: 25 events of one object at once, and one more in five minutes */
  constructor(limit?: EventLimit) {
    this.#limit = limit;
  }

  /** Objects that are remembered. */
  get size(): number {
    return this.#objects.size;
  }

  /**
   * Takes one event.
   *
   * @param newName - names a new Event object
   * @returns `undefined` when the event is to be dropped
   */
  correlate(event: ReportedEvent, nowMs: number, newName: () => string): Verdict | undefined {
    const { object, type, reason, message, fieldPath } = event;
    const record = this.#recordOf(object, nowMs);
    const group = knownReason(record, type, reason);
    const isMerged = group !== undefined && mustMerge(group, message, nowMs);
    const seen = isMerged ? group.merged : findObservation(group, message, fieldPath);
    const observation = seen ?? newObservation(record, group, event, nowMs, newName(), isMerged);
    observation.count += 1;
    const told = isMerged ? MERGED_PREFIX + message : message;
    const isTold = this.#limit === undefined ? isAllowed(record) : this.#mayTell(this.#limit, event, told, nowMs);
    return isTold ? { observation, message: told, isMerged } : undefined;
  }

  #mayTell(limit: EventLimit, event: ReportedEvent, told: string, nowMs: number): boolean {
    const key = limit.keyOf({ object: event.object, reason: event.reason, message: told });
    const bucket = this.#buckets.get(key) ?? new TokenBucket(limit);
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > BUCKETS_REMEMBERED) {
      for (const oldest of this.#buckets.keys()) {
        this.#buckets.delete(oldest);
        break;
      }
    }
    return bucket.tryTake(nowMs);
  }

  /** The record of an object, refilled, and as the last one used. */
  #recordOf(object: string, nowMs: number): ObjectRecord {
    const last = this.#last?.object === object ? this.#last.record : undefined;
    let record = last ?? this.#objects.get(object);
    if (record === undefined) {
      record = { usedMs: nowMs, allowanceMs: BURST * REFILL_MS, reasons: undefined };
    } else {
      if (last === undefined) this.#objects.delete(object);
      record.allowanceMs = Math.min(BURST * REFILL_MS, record.allowanceMs + nowMs - record.usedMs);
      record.usedMs = nowMs;
    }
    if (last === undefined) {
      this.#objects.set(object, record);
      this.#last = { object, record };
    }
    this.#forget(nowMs);
    return record;
  }

  /** Objects are in order of last use. */
  #forget(nowMs: number): void {
    if (this.#objects.size <= OBJECTS_REMEMBERED && nowMs - this.#oldestMs <= FORGET_AFTER_MS) return;
    for (const [object, { usedMs }] of this.#objects) {
      this.#oldestMs = usedMs;
      if (this.#objects.size <= OBJECTS_REMEMBERED && nowMs - usedMs <= FORGET_AFTER_MS) return;
      this.#objects.delete(object);
    }
  }
}

function knownReason(record: ObjectRecord, type: EventType, reason: string): Reason | undefined {
  for (let known = record.reasons; known !== undefined; known = known.other) {
    if (known.reason === reason && known.type === type) return known;
  }
  return undefined;
}

/** Takes in what has not been seen: with its reason, if that is new, and under it otherwise. */
function newObservation(
  record: ObjectRecord,
  group: Reason | undefined,
  { type, reason, message, fieldPath }: ReportedEvent,
  nowMs: number,
  name: string,
  isMerged: boolean,
): Observation {
  if (group === undefined) {
    // Each field by its name: an object that is put together from others has a second part.
    const fresh: Reason = {
      type,
      reason,
      message,
      fieldPath,
      name,
      firstMs: nowMs,
      count: 0,
      older: undefined,
      lastMs: nowMs,
      messages: undefined,
      newest: undefined,
      merged: undefined,
      other: record.reasons,
    };
    record.reasons = fresh;
    return fresh;
  }
  const seen: Observation = { message, fieldPath, name, firstMs: nowMs, count: 0, older: undefined };
  if (isMerged) group.merged = seen;
  else addObservation(group, seen);
  return seen;
}

/** Notes the message; whether there are too many distinct ones by now. */
function mustMerge(group: Reason, message: string, nowMs: number): boolean {
  const isExpired = nowMs - group.lastMs > MERGE_WINDOW_MS;
  group.lastMs = nowMs;
  if (isExpired) {
    group.messages = [message];
    return false;
  }
  if (group.messages === undefined) {
    const newest = group.newest ?? group;
    if (newest.message === message) return false;
    group.messages = [newest.message];
  }
  const { messages } = group;
  if (!messages.includes(message)) messages.push(message);
  if (messages.length < MERGE_FROM) return false;
  messages.shift();
  return true;
}

function findObservation(group: Reason | undefined, message: string, fieldPath: string): Observation | undefined {
  for (let known = group?.newest ?? group; known !== undefined; known = known.older) {
    if (known.message === message && known.fieldPath === fieldPath) return known;
  }
  return undefined;
}

function addObservation(group: Reason, observation: Observation): void {
  observation.older = group.newest ?? group;
  group.newest = observation;
  let last: Observation | undefined = observation;
  for (let kept = 1; last !== undefined && kept < OBSERVATIONS_REMEMBERED; kept += 1) last = last.older;
  if (last !== undefined) last.older = undefined;
}

function isAllowed(record: ObjectRecord): boolean {
  if (record.allowanceMs < REFILL_MS) return false;
  record.allowanceMs -= REFILL_MS;
  return true;
}
