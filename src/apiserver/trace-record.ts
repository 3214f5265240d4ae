/**
 * The text under which a change enters the run's trace hash: time, type, kind, key, version and the
 * content that changed. Content is found by reference, part by part, so that a record costs what the
 * change costs and not what the object weighs.
 */
import { hash } from 'node:crypto';
import { keyOf, type Kind, type KindMap } from '../api/objects.js';
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
/** Shared parts remembered at a time; the cache starts anew when it is full. */
const SHARED_PARTS_CACHED = 1024;
/** Shared parts whose text is not longer than this enter as they are. */
const SHORT_TEXT_LENGTH = 48;

/** Parts of metadata that the record says elsewhere. */
const TOLD_ELSEWHERE: ReadonlySet<string> = new Set(['name', 'namespace', 'resourceVersion']);

/** Writes trace records; one per API server. */
export class TraceRecorder {
  readonly #sharedTexts = new Map<object, string>();

  /** @param previous - the object before the change; absent for ADDED */
  record<K extends Kind>(event: ChangeEvent<K>, previous: KindMap[K] | undefined): string {
    const head = `${event.atMs} ${event.type} ${event.kind} ${keyOf(event.object)} ${event.version}`;
    const object = event.object as unknown as Fields;
    const before = previous as unknown as Fields | undefined;
    let text = head;
    for (const part in object) {
      const value = object[part];
      if (value === before?.[part] || part === 'kind' || part === 'apiVersion') continue;
      text += ` ${part}`;
      if (part === 'metadata' || part === 'spec' || part === 'status') {
        text += this.#changes(value as Fields, before?.[part] as Fields | undefined, part === 'metadata');
      } else text += `=${JSON.stringify(value)}`;
    }
    for (const part in before) if (object[part] === undefined && before[part] !== undefined) text += ` -${part}`;
    return text;
  }

  #changes(fields: Fields, before: Fields | undefined, isMetadata: boolean): string {
    let text = '{';
    for (const field in fields) {
      const value = fields[field];
      if (value === before?.[field] || (isMetadata && TOLD_ELSEWHERE.has(field))) continue;
      text += `${field}:${this.#text(field, value)},`;
    }
    for (const field in before) if (before[field] !== undefined && fields[field] === undefined) text += `-${field},`;
    return `${text}}`;
  }

  #text(field: string, value: unknown): string {
    if (typeof value === 'string') return value;
    if (typeof value !== 'object' || value === null || !SHARED_PARTS.has(field)) return JSON.stringify(value) ?? '';
    let text = this.#sharedTexts.get(value);
    if (text !== undefined) return text;
    const json = JSON.stringify(value);
    text = json.length <= SHORT_TEXT_LENGTH ? json : hash('sha256', json, 'base64');
    if (this.#sharedTexts.size >= SHARED_PARTS_CACHED) this.#sharedTexts.clear();
    this.#sharedTexts.set(value, text);
    return text;
  }
}
