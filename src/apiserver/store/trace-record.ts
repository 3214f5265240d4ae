/**
 * The text under which a change enters the run's trace hash: time, type, kind, key, version and what
 * differs from the version before. Differences are found by reference, part by part, and in lists item by item, so
 * that a record costs what the change costs and not what the object weighs.
 */
import { hash } from 'node:crypto';
import type { Kind, KindMap } from '../../api/objects/objects.js';
import type { EventReference, EventWriter, RecordedEvent } from '../../api/objects/recorded-event.js';
import { RecentMap } from '../../kernel/recent-map.js';
import type { TraceHash } from '../../kernel/trace-hash.js';
import type { KeptEvent } from './kept-event.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import type { ChangeEvent } from './watch-log.js';

type Fields = Readonly<Record<string, unknown>>;

/** Parts that many objects share by reference: these enter as the digest of their text. */
const SHARED_PARTS: ReadonlySet<string> = new Set([
  'containers',
  'initContainers',
  'tolerations',
  'template',
  'affinity',
  'topologySpreadConstraints',
  'labels',
  'annotations',
  'ownerReferences',
  'selector',
  'securityContext',
  'taints',
  'capacity',
  'allocatable',
  'nodeInfo',
  'images',
]);
/** Shared parts that are remembered at least. */
const SHARED_PARTS_CACHED = 1024;
/** Lists of conditions that are remembered at least. */
const CONDITIONS_CACHED = 256;
/** Shared parts with a text not longer than this enter as they are. */
const SHORT_TEXT_LENGTH = 48;

/** Stands for the text of a part that has come once. */
const SEEN_ONCE = '';

/** Shorter lists are written anew each time. */
const LIST_WORTH_COMPARING = 8;
const NO_ITEMS: readonly unknown[] = [];

/** Writes trace records; one per API server. */
export class TraceRecorder {
  readonly #trace: TraceHash;
  readonly #sharedTexts = new RecentMap<object, string>(SHARED_PARTS_CACHED);
  /** Specs and statuses of new pods, which those of one template share whole; the text once a second pod has come. */
  readonly #podTexts = new RecentMap<object, string>(SHARED_PARTS_CACHED);
  /** Conditions of pods that start in the same second are one list. */
  readonly #conditionTexts = new RecentMap<object, string>(CONDITIONS_CACHED);
  /** Under which the items of long lists enter that move: they do again with many a change of the list. */
  readonly #itemTexts = new WeakMap<object, string>();
  /** The last change of a status that new pods share: those that look alike go on sharing theirs when they are bound. */
  #statusBefore: Fields | undefined;
  #statusAfter: Fields | undefined;
  #statusText = '';
  #timeMs = Number.NaN;
  #time = '';
  /** What records of one container refer to, and what wrote them, come several times in a row. */
  #reference: EventReference | undefined;
  #referenceText = '';
  #writer: EventWriter | undefined;
  #sourceText = '';
  #writerText = '';

  constructor(trace: TraceHash) {
    this.#trace = trace;
  }

  /** @param previous - the object before the change; absent for ADDED */
  record<K extends Kind>(
    { atMs, type, kind, object, version }: ChangeEvent<K>,
    previous: KindMap[K] | undefined,
  ): void {
    const { namespace = '', name } = object.metadata;
    const head = `${this.#timeText(atMs)}${type} ${kind} ${namespace}/${name} ${version}`;
    this.#trace.add(
      head + this.#parts(object as unknown as Fields, previous as unknown as Fields | undefined, kind === 'Pod'),
    );
  }

  /** As {@link record} of the object that the new record stands for, letter by letter, without making it. */
  recordKept(atMs: number, { event, uid, creationTimestamp, version }: KeptEvent): void {
    const { namespace, name, regarding, reason, message, writer } = event;
    if (regarding !== this.#reference) {
      this.#reference = regarding;
      this.#referenceText = jsonOf(regarding);
    }
    if (writer !== this.#writer) {
      this.#writer = writer;
      this.#sourceText = jsonOf(writer.source);
      this.#writerText = ` reportingComponent${quoted(writer.component)} reportingInstance${quoted(writer.instance)}`;
    }
    this.#trace.add(
      `${this.#timeText(atMs)}ADDED Event ${namespace}/${name} ${version}` +
        ` metadata{uid:${uid},creationTimestamp:${creationTimestamp},} involvedObject=${this.#referenceText}` +
        ` reason${quoted(reason)} message${quoted(message)} source=${this.#sourceText}` +
        `${timesOf(event)}${this.#writerText}`,
    );
  }

  /** As {@link record} of the removal of the object that the record stands for, letter by letter, without making it. */
  recordDropped({ atMs, version }: { atMs: number; version: number }, { namespace, name }: KeptEvent): void {
    this.#trace.add(`${this.#timeText(atMs)}DELETED Event ${namespace}/${name} ${version} metadata{}`);
  }

  /** Many changes are of one time. */
  #timeText(atMs: number): string {
    if (atMs !== this.#timeMs) {
      this.#timeMs = atMs;
      this.#time = `${atMs} `;
    }
    return this.#time;
  }

  #parts(object: Fields, before: Fields | undefined, isPod: boolean): string {
    let text = '';
    // Not for-in: over objects of many shapes V8's optimized code of it is thrown away again and again.
    for (const part of Object.keys(object)) {
      const value = object[part];
      const known = before?.[part];
      if (value === known || part === 'kind' || part === 'apiVersion') continue;
      text += ` ${part}`;
      if (part === 'metadata') text += this.#metadata(value as Fields, known as Fields | undefined);
      else if (Array.isArray(value)) text += this.#list(value, Array.isArray(known) ? known : NO_ITEMS);
      else if (typeof value === 'string') text += quoted(value);
      else if (part !== 'spec' && part !== 'status') text += `=${jsonOf(value)}`;
      else if (isPod && before === undefined) text += this.#newText(value as Fields);
      else if (isPod && part === 'status') text += this.#podStatus(value as Fields, known as Fields);
      else text += this.#changes(value as Fields, known as Fields | undefined);
    }
    for (const part in before) if (object[part] === undefined && before[part] !== undefined) text += ` -${part}`;
    return text;
  }

  /** Most pods that have a spec of their own are the only one that has it. */
  #newText(fields: Fields): string {
    let text = this.#podTexts.get(fields);
    if (text === undefined) {
      this.#podTexts.set(fields, SEEN_ONCE);
      return this.#changes(fields, undefined);
    }
    if (text === SEEN_ONCE) {
      text = this.#changes(fields, undefined);
      this.#podTexts.set(fields, text);
    }
    return text;
  }

  #podStatus(status: Fields, before: Fields): string {
    if (this.#podTexts.get(before) === undefined) return this.#changes(status, before);
    if (status !== this.#statusAfter || before !== this.#statusBefore) {
      this.#statusText = this.#changes(status, before);
      this.#statusAfter = status;
      this.#statusBefore = before;
    }
    return this.#statusText;
  }

  /** As {@link #changes}, without what the head of the record says. */
  #metadata(fields: Fields, before: Fields | undefined): string {
    let text = '{';
    for (const field in fields) {
      const value = fields[field];
      if (value === before?.[field] || field === 'resourceVersion' || field === 'name' || field === 'namespace')
        continue;
      text += `${field}:${this.#text(field, value)},`;
    }
    return `${text}${withoutText(fields, before)}}`;
  }

  #changes(fields: Fields, before: Fields | undefined): string {
    let text = '{';
    for (const field in fields) {
      const value = fields[field];
      if (value !== before?.[field]) text += `${field}:${this.#text(field, value)},`;
    }
    return `${text}${withoutText(fields, before)}}`;
  }

  #text(field: string, value: unknown): string {
    if (typeof value === 'string') return value;
    if (typeof value === 'number') return String(value);
    if (typeof value !== 'object' || value === null) return jsonOf(value);
    if (field === 'conditions') return this.#conditionsText(value);
    if (!SHARED_PARTS.has(field)) return jsonOf(value);
    let text = this.#sharedTexts.get(value);
    if (text !== undefined) return text;
    text = digestOf(jsonOf(value));
    this.#sharedTexts.set(value, text);
    return text;
  }

  #conditionsText(conditions: object): string {
    let text = this.#conditionTexts.get(conditions);
    if (text === undefined) {
      text = jsonOf(conditions);
      this.#conditionTexts.set(conditions, text);
    }
    return text;
  }

  /**
   * A slice's endpoints, for one, and the addresses of Endpoints: each change of them shares most items with the
   * version before. What is the same at the beginning and at the end is left out.
   */
  #list(list: readonly unknown[], before: readonly unknown[]): string {
    const { length } = list;
    if (length < LIST_WORTH_COMPARING && !list.some(holdsLongList)) return jsonOf(list);
    const shorter = Math.min(length, before.length);
    let start = 0;
    while (start < shorter && isSameJson(list[start], before[start])) start += 1;
    let same = 0;
    while (same < shorter - start && isSameJson(list[length - 1 - same], before[before.length - 1 - same])) same += 1;
    let text = `[${length}:${start}`;
    const end = length - same;
    const isShort = end - start < LIST_WORTH_COMPARING;
    for (let index = start; index < end; index += 1) {
      const item = list[index];
      if (holdsLongList(item)) text += this.#holder(item as Fields, before[index]);
      else text += ` ${isShort ? jsonOf(item) : this.#itemText(item)}`;
    }
    return `${text}]`;
  }

  /** An item that holds long lists. */
  #holder(item: Fields, before: unknown): string {
    const known = typeof before === 'object' && before !== null ? (before as Fields) : undefined;
    let text = ' {';
    for (const [field, value] of Object.entries(item)) {
      if (value === undefined) continue;
      const list = known?.[field];
      text += `${field}:${Array.isArray(value) ? this.#list(value, Array.isArray(list) ? list : NO_ITEMS) : jsonOf(value)},`;
    }
    return `${text}}`;
  }

  #itemText(item: unknown): string {
    if (typeof item !== 'object' || item === null) return jsonOf(item);
    let text = this.#itemTexts.get(item);
    if (text === undefined) {
      text = digestOf(jsonOf(item));
      this.#itemTexts.set(item, text);
    }
    return text;
  }
}

/** Fields that are no longer there. */
function withoutText(fields: Fields, before: Fields | undefined): string {
  let text = '';
  for (const field in before) if (fields[field] === undefined && before[field] !== undefined) text += `-${field},`;
  return text;
}

/** What a record says of when something came about, or of when it was done. */
function timesOf({ time, type, action, related }: RecordedEvent): string {
  const timeText = quoted(time);
  if (action === undefined) return ` firstTimestamp${timeText} lastTimestamp${timeText} count=1 type${quoted(type)}`;
  const relatedText = related === undefined ? '' : ` related=${jsonOf(related)}`;
  return ` type${quoted(type)} eventTime${timeText} action${quoted(action)}${relatedText}`;
}

/** A text with its length, so that its end is known whatever it holds. */
function quoted(text: string): string {
  return `=${text.length}:${text}`;
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}

/** Stands for a text that comes often: itself where it is short. */
function digestOf(json: string): string {
  return json.length <= SHORT_TEXT_LENGTH ? json : hash('sha256', json, 'base64');
}

/** Whether an item holds a list with items that are worth comparing. */
function holdsLongList(item: unknown): boolean {
  if (typeof item !== 'object' || item === null) return false;
  for (const field in item) {
    const value = (item as Fields)[field];
    if (Array.isArray(value) && value.length >= LIST_WORTH_COMPARING) return true;
  }
  return false;
}
