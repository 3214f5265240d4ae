/** Holds an answer of ours against the recorded one. */
import { canonicalJson } from '../../../src/api/values/canonical-json.js';
import { isObject, type Json, type JsonObject } from '../recorded-lines.js';
import { maskedBody } from './masks.js';
import { jsonOrText } from './recording-proxy.js';
import { isLeftOut, type RecordedExchange } from './wire-recording.js';

/** Something that differs. */
export interface WireDifference {
  /** Where: `status`, `stdout`, or a path into the body. */
  readonly field: string;
  readonly recorded: Json;
  readonly ours: Json;
}

/** What can be compared of an exchange. */
export type ComparedPart = 'status' | 'body';

/** Of one exchange. */
export interface ExchangeVerdict {
  readonly compared: ReadonlySet<ComparedPart>;
  readonly differences: readonly WireDifference[];
}

/** What a recording can be expected to show. */
export interface OwnObjects {
  /** In which the recorded commands work. */
  readonly namespace: string;
  /** Names of what they made outside of any namespace. */
  readonly made: ReadonlySet<string>;
}

const NOT_MODIFIED = 304;
/** Most differences of one body that are told. */
const MOST_TOLD = 20;
/** Documents that tell of a whole API, whose words are our own. */
const OPENAPI = /^\/openapi\//;

/** @returns what was compared, and how it differs */
export function compareExchange(
  recorded: RecordedExchange,
  ours: { readonly status: number; readonly text: string | (() => string) },
  own: OwnObjects,
): ExchangeVerdict {
  const { status, body, lines } = recorded.answer;
  const text = typeof ours.text === 'string' ? ours.text : ours.text();
  // Whether a client has kept a document depends on what it has asked for before.
  if (status === NOT_MODIFIED && ours.status === 200) return { compared: new Set(['status']), differences: [] };
  if (status !== ours.status) {
    const said = isLeftOut(body) ? `${status}` : `${status} ${messageOf(body)}`;
    const field = { field: 'status', recorded: said, ours: `${ours.status} ${messageOf(jsonOrText(text))}` };
    return { compared: new Set(['status']), differences: [field] };
  }
  if (lines !== undefined) return { compared: new Set(['status', 'body']), differences: [] };
  if (isLeftOut(body) || OPENAPI.test(recorded.path) || recorded.path === '/metrics') {
    return { compared: new Set(['status']), differences: [] };
  }
  const answered = text === '' ? null : jsonOrText(text);
  const [theirs, mine] = ownParts(body, isOfAllGroups(recorded.path) ? withoutOwnGroups(answered) : answered, own);
  const differences: WireDifference[] = [];
  differ('', maskedBody(theirs), maskedBody(mine), differences);
  return { compared: new Set(['status', 'body']), differences };
}

/** Groups that are served here besides those of Kubernetes. */
const OWN_GROUPS = ['kubeloom.dev', 'metrics.k8s.io'];

function isOfAllGroups(path: string): boolean {
  return path === '/' || path === '/apis';
}

/** Documents of all groups without those. */
function withoutOwnGroups(value: Json): Json {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, field]): [string, Json] => {
    if (!Array.isArray(field)) return [name, field];
    return [name, (field as readonly Json[]).filter((item) => !OWN_GROUPS.some((group) => isOfGroup(item, group)))];
  });
  return Object.fromEntries(entries);
}

function isOfGroup(item: Json, group: string): boolean {
  if (typeof item === 'string') return item === `/apis/${group}` || item.startsWith(`/apis/${group}/`);
  return isObject(item) && (item['name'] === group || metadataOf(item)['name'] === group);
}

function messageOf(body: Json): string {
  if (isObject(body)) return typeof body['message'] === 'string' ? body['message'] : '';
  return typeof body === 'string' ? body.trim() : '';
}

/** Names of what stands in one of the two lists alone, and was made by others than the recorded commands. */
export function foreignIn(recorded: Json, ours: Json, own: OwnObjects): readonly string[] {
  if (!isObject(recorded) || !isObject(ours)) return [];
  return (['items', 'rows'] as const).flatMap((field) => {
    const [theirs, mine] = [recorded[field], ours[field]];
    if (!Array.isArray(theirs) || !Array.isArray(mine)) return [];
    const [left, right] = [theirs as readonly Json[], mine as readonly Json[]];
    const [met, known] = [new Set(left.map(keyOf)), new Set(right.map(keyOf))];
    const foreign = [...left, ...right].filter(
      (item) => !(met.has(keyOf(item)) && known.has(keyOf(item))) && !isOwn(item, own),
    );
    return foreign.flatMap((item) => {
      const { name } = metadataOf(item);
      return typeof name === 'string' ? [name] : [];
    });
  });
}

/** Lists without what other commands than the recorded ones have made. */
function ownParts(recorded: Json, ours: Json, own: OwnObjects): readonly [Json, Json] {
  if (!isObject(recorded) || !isObject(ours)) return [recorded, ours];
  for (const field of ['items', 'rows'] as const) {
    const [theirs, mine] = [recorded[field], ours[field]];
    if (!Array.isArray(theirs) || !Array.isArray(mine)) continue;
    const [left, right] = [theirs as readonly Json[], mine as readonly Json[]];
    const [known, met] = [new Set(right.map(keyOf)), new Set(left.map(keyOf))];
    const kept = left.filter((item) => known.has(keyOf(item)) || isOwn(item, own));
    const kept2 = right.filter((item) => met.has(keyOf(item)) || isOwn(item, own));
    return [
      { ...recorded, [field]: inOrder(kept) },
      { ...ours, [field]: inOrder(kept2) },
    ];
  }
  return [recorded, ours];
}

function metadataOf(item: Json): JsonObject {
  if (!isObject(item)) return {};
  const { metadata, object } = item;
  if (isObject(metadata)) return metadata;
  return isObject(object) && isObject(object['metadata']) ? object['metadata'] : {};
}

function keyOf(item: Json): string {
  const { namespace, name } = metadataOf(item);
  return JSON.stringify([namespace, name]);
}

function isOwn(item: Json, { namespace, made }: OwnObjects): boolean {
  const metadata = metadataOf(item);
  if (metadata['namespace'] !== undefined) return metadata['namespace'] === namespace;
  const { name } = metadata;
  return typeof name !== 'string' || made.has(name);
}

/** Event records have names after their times: they are compared as a set. */
function inOrder(items: readonly Json[]): readonly Json[] {
  const isEvent = items.some(
    (item) =>
      isObject(item) && ('involvedObject' in item || /\.[0-9a-f]{16}"$/.test(JSON.stringify(metadataOf(item)['name']))),
  );
  if (!isEvent) return items;
  const keyed = items.map((item) => [canonicalJson(maskedBody(item)), item] as const);
  return keyed.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

function differ(field: string, recorded: Json, ours: Json, found: WireDifference[]): void {
  if (found.length >= MOST_TOLD) return;
  if (isObject(recorded) && isObject(ours)) {
    for (const name of new Set([...Object.keys(recorded), ...Object.keys(ours)])) {
      differ(`${field}.${name}`, recorded[name], ours[name], found);
    }
    return;
  }
  if (Array.isArray(recorded) && Array.isArray(ours)) {
    const [left, right] = [recorded as readonly Json[], ours as readonly Json[]];
    for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
      differ(`${field}[${index}]`, left[index], right[index], found);
    }
    return;
  }
  if (
    canonicalJson(recorded ?? null) !== canonicalJson(ours ?? null) ||
    (recorded === undefined) !== (ours === undefined)
  )
    found.push({ field, recorded: recorded ?? null, ours: ours ?? null });
}
