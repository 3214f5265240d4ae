/**
 * The text under which a change enters the run's trace hash: time, type, kind, key, version and the
 * content that changed. Content is found by reference, part by part, so that a record costs what the
 * change costs and not what the object weighs.
 */
import { hash } from 'node:crypto';
import type { Kind, KindMap } from '../../api/objects/objects.js';
import type { EventReference } from '../../api/objects/recorded-event.js';
import { RecentMap } from '../../kernel/recent-map.js';
import type { TraceHash } from '../../kernel/trace-hash.js';
import type { KeptEvent } from './kept-event.js';
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
/** Shared parts and items of lists with a text not longer than this enter as they are. */
const SHORT_TEXT_LENGTH = 48;

/** Stands for the text of a part that has come once. */
const SEEN_ONCE = '';

/** Shorter lists are written anew each time. */
const LIST_WORTH_REMEMBERING = 8;

/** Parts of metadata that the record says elsewhere. */
const TOLD_ELSEWHERE: ReadonlySet<string> = new Set(['name', 'namespace', 'resourceVersion']);

/** Takes a record piece by piece. */
type Sink = Pick<TraceHash, 'write'>;

/** Writes trace records; one per API server. */
export class TraceRecorder {
  readonly #trace: TraceHash;
  readonly #sharedTexts = new RecentMap<object, string>(SHARED_PARTS_CACHED);
  /** Specs and statuses of new pods, which those of one template share whole; the text once a second pod has come. */
  readonly #podTexts = new RecentMap<object, string>(SHARED_PARTS_CACHED);
  /** Conditions of pods that start in the same second are one list. */
  readonly #conditionTexts = new RecentMap<object, string>(CONDITIONS_CACHED);
  /** Under which the items of long lists enter: they come again with each change of the list. */
  readonly #itemTexts = new WeakMap<object, string>();
  /** The last change of a status that new pods share: those that look alike go on sharing theirs when they are bound. */
  #statusBefore: Fields | undefined;
  #statusAfter: Fields | undefined;
  #statusText = '';
  #timeMs = Number.NaN;
  #time = '';

  constructor(trace: TraceHash) {
    this.#trace = trace;
  }

  /** @param previous - the object before the change; absent for ADDED */
  record<K extends Kind>(
    { atMs, type, kind, object, version }: ChangeEvent<K>,
    previous: KindMap[K] | undefined,
  ): void {
    const trace = this.#trace;
    const { namespace = '', name } = object.metadata;
    trace.write(this.#timeText(atMs));
    trace.write(type);
    trace.write(' ');
    trace.write(kind);
    trace.write(' ');
    if (namespace !== '') {
      trace.write(namespace);
      trace.write('/');
    }
    trace.write(name);
    trace.write(' ');
    trace.write(String(version));
    this.#writeParts(object as unknown as Fields, previous as unknown as Fields | undefined, kind === 'Pod');
    trace.end();
  }

  /** As {@link record} of the object that the new record stands for, letter by letter, without making it. */
  recordKept(atMs: number, { event, uid, creationTimestamp, version }: KeptEvent): void {
    const trace = this.#trace;
    const { namespace, name, regarding, type, reason, message, time, writer } = event;
    trace.write(this.#timeText(atMs));
    trace.write('ADDED Event ');
    trace.write(namespace);
    trace.write('/');
    trace.write(name);
    trace.write(' ');
    trace.write(version);
    trace.write(' metadata{uid:');
    trace.write(uid);
    trace.write(',creationTimestamp:');
    trace.write(creationTimestamp);
    trace.write(',} involvedObject=');
    this.#writeReference(regarding);
    this.#writeField(' reason=', reason);
    this.#writeField(' message=', message);
    this.#writeField(' source={"component":', writer.source.component);
    this.#writeField(',"host":', writer.source.host);
    this.#writeField('} firstTimestamp=', time);
    this.#writeField(' lastTimestamp=', time);
    this.#writeField(' count=1 type=', type);
    this.#writeField(' reportingComponent=', writer.component);
    this.#writeField(' reportingInstance=', writer.instance);
    trace.end();
  }

  #writeReference({ kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath }: EventReference): void {
    this.#writeField('{"kind":', kind);
    this.#writeField(',"namespace":', namespace);
    this.#writeField(',"name":', name);
    this.#writeField(',"uid":', uid);
    this.#writeField(',"apiVersion":', apiVersion);
    this.#writeField(',"resourceVersion":', resourceVersion);
    this.#writeField(',"fieldPath":', fieldPath);
    this.#trace.write('}');
  }

  #writeField(label: string, text: string | undefined): void {
    if (text === undefined) return;
    this.#trace.write(label);
    this.#trace.writeQuoted(text);
  }

  /** Many changes are of one time. */
  #timeText(atMs: number): string {
    if (atMs !== this.#timeMs) {
      this.#timeMs = atMs;
      this.#time = `${atMs} `;
    }
    return this.#time;
  }

  #writeParts(object: Fields, before: Fields | undefined, isPod: boolean): void {
    const trace = this.#trace;
    // Not for-in: over objects of many shapes V8's optimized code of it is thrown away again and again.
    for (const part of Object.keys(object)) {
      const value = object[part];
      if (value === before?.[part] || part === 'kind' || part === 'apiVersion') continue;
      trace.write(' ');
      trace.write(part);
      if (part === 'metadata') this.#writeChanges(trace, value as Fields, before?.[part] as Fields | undefined, true);
      else if (Array.isArray(value)) {
        trace.write('=');
        this.#writeList(value as readonly unknown[]);
      } else if (typeof value === 'string') {
        trace.write('=');
        trace.writeQuoted(value);
      } else if (part !== 'spec' && part !== 'status') {
        trace.write('=');
        trace.write(JSON.stringify(value));
      } else if (isPod && before === undefined) this.#writeNew(value as Fields);
      else if (isPod && part === 'status') this.#writeStatus(value as Fields, before?.[part] as Fields);
      else this.#writeChanges(trace, value as Fields, before?.[part] as Fields | undefined, false);
    }
    for (const part in before) if (object[part] === undefined && before[part] !== undefined) trace.write(` -${part}`);
  }

  /**
   * A slice's endpoints, for one, and the addresses of Endpoints: each change of them shares most items with the
   * version before.
   */
  #writeList(list: readonly unknown[]): void {
    const trace = this.#trace;
    if (list.length < LIST_WORTH_REMEMBERING) {
      if (list.some(hasLongList)) {
        for (let index = 0; index < list.length; index += 1) {
          trace.write(index === 0 ? '[' : ',');
          this.#writeHolder(list[index]);
        }
        return trace.write(']');
      }
      return trace.write(JSON.stringify(list));
    }
    for (let index = 0; index < list.length; index += 1) {
      trace.write(index === 0 ? '[' : ',');
      trace.write(this.#itemText(list[index]));
    }
    return trace.write(']');
  }

  /** An item of a short list that may hold long ones, as JSON. */
  #writeHolder(item: unknown): void {
    const trace = this.#trace;
    if (!hasLongList(item)) return trace.write(JSON.stringify(item) ?? 'null');
    let separator = '{';
    for (const [field, value] of Object.entries(item as Fields)) {
      if (value === undefined) continue;
      trace.write(`${separator}${JSON.stringify(field)}:`);
      separator = ',';
      if (Array.isArray(value)) this.#writeList(value);
      else trace.write(JSON.stringify(value));
    }
    return trace.write('}');
  }

  #itemText(item: unknown): string {
    if (typeof item !== 'object' || item === null) return JSON.stringify(item) ?? 'null';
    let text = this.#itemTexts.get(item);
    if (text === undefined) {
      text = digestOf(JSON.stringify(item));
      this.#itemTexts.set(item, text);
    }
    return text;
  }

  /** Most pods that have a spec of their own are the only one that has it. */
  #writeNew(fields: Fields): void {
    let text = this.#podTexts.get(fields);
    if (text === undefined) {
      this.#podTexts.set(fields, SEEN_ONCE);
      return this.#writeChanges(this.#trace, fields, undefined, false);
    }
    if (text === SEEN_ONCE) {
      text = this.#changesText(fields, undefined);
      this.#podTexts.set(fields, text);
    }
    return this.#trace.write(text);
  }

  #writeStatus(status: Fields, before: Fields): void {
    if (this.#podTexts.get(before) === undefined) return this.#writeChanges(this.#trace, status, before, false);
    if (status !== this.#statusAfter || before !== this.#statusBefore) {
      this.#statusText = this.#changesText(status, before);
      this.#statusAfter = status;
      this.#statusBefore = before;
    }
    return this.#trace.write(this.#statusText);
  }

  #changesText(fields: Fields, before: Fields | undefined): string {
    let text = '';
    const pieces = { write: (piece: string) => void (text += piece) };
    this.#writeChanges(pieces, fields, before, false);
    return text;
  }

  #writeChanges(sink: Sink, fields: Fields, before: Fields | undefined, isMetadata: boolean): void {
    sink.write('{');
    let kept = 0;
    for (const field in fields) {
      const value = fields[field];
      const known = before?.[field];
      if (known !== undefined && value !== undefined) kept += 1;
      if (value === known || (isMetadata && TOLD_ELSEWHERE.has(field))) continue;
      sink.write(field);
      sink.write(':');
      sink.write(this.#text(field, value));
      sink.write(',');
    }
    if (before !== undefined && kept < Object.keys(before).length) {
      for (const field in before)
        if (before[field] !== undefined && fields[field] === undefined) sink.write(`-${field},`);
    }
    sink.write('}');
  }

  #text(field: string, value: unknown): string {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return String(value);
    if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
    if (field === 'conditions') return this.#conditionsText(value);
    if (!SHARED_PARTS.has(field)) return JSON.stringify(value);
    let text = this.#sharedTexts.get(value);
    if (text !== undefined) return text;
    const json = JSON.stringify(value);
    text = digestOf(json);
    this.#sharedTexts.set(value, text);
    return text;
  }

  #conditionsText(conditions: object): string {
    let text = this.#conditionTexts.get(conditions);
    if (text === undefined) {
      text = JSON.stringify(conditions);
      this.#conditionTexts.set(conditions, text);
    }
    return text;
  }
}

/** Stands for a text that comes often: itself where it is short. */
function digestOf(json: string): string {
  return json.length <= SHORT_TEXT_LENGTH ? json : hash('sha256', json, 'base64');
}

/** Whether an item holds a list with items that are worth remembering. */
function hasLongList(item: unknown): boolean {
  if (typeof item !== 'object' || item === null) return false;
  return Object.values(item).some((value) => Array.isArray(value) && value.length >= LIST_WORTH_REMEMBERING);
}
