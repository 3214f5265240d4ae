/**
 * What a recording shows of its cluster: the objects in its answers, whatever form they have there, as a story that
 * says what came to be; the namespace that its commands work in; and bounds for when each command began.
 */
import { isObject, type Json, type JsonObject } from '../recorded-lines.js';
import type { EventLine, RecordedObject, Story } from '../stories/story.js';
import { resourceRequest } from '../../../src/requests/request-info.js';
import { BUILT_IN } from '../../../src/requests/served-resources.js';
import type { RecordedCommand, RecordedExchange } from './wire-recording.js';

/** From the end of a command to the begin of the next one, where nothing says that it was more. */
const USUAL_GAP_MS = 100;
/** Times that lie before the moment in which they are told. */
const PAST_FIELDS: ReadonlySet<string> = new Set([
  'creationTimestamp',
  'lastTransitionTime',
  'lastUpdateTime',
  'startTime',
  'completionTime',
  'firstTimestamp',
  'lastTimestamp',
  'time',
]);

/** A command, and when it began by the recorded clock: milliseconds since 1970. */
export interface TimedCommand extends RecordedCommand {
  readonly startMs: number;
}

/** The commands with their times, as early as what they show allows. */
export function timedCommands(commands: readonly RecordedCommand[]): readonly TimedCommand[] {
  let earliestMs = 0;
  return commands.map((command) => {
    let startMs = earliestMs + USUAL_GAP_MS;
    let lastMs = command.stopAfterMs ?? 0;
    for (const { ms, answer } of command.exchanges) {
      startMs = Math.max(startMs, latestTime(answer.body) - ms);
      lastMs = Math.max(lastMs, ms);
      for (const frame of answer.lines ?? []) {
        startMs = Math.max(startMs, latestTime(frame.line) - frame.ms);
        lastMs = Math.max(lastMs, frame.ms);
      }
    }
    earliestMs = startMs + lastMs;
    return { ...command, startMs };
  });
}

function latestTime(value: Json): number {
  if (Array.isArray(value)) return Math.max(0, ...(value as readonly Json[]).map(latestTime));
  if (!isObject(value)) return 0;
  let latest = 0;
  for (const [name, field] of Object.entries(value)) {
    const time = typeof field === 'string' && PAST_FIELDS.has(name) ? Date.parse(field) || 0 : latestTime(field);
    if (time > latest) latest = time;
  }
  return latest;
}

/** The namespace that kubectl's context names: it shows where kubectl tells of it, else it is the one of the commands. */
export function contextNamespace(commands: readonly RecordedCommand[]): string | undefined {
  const told = commands.find(({ argv }) => argv[1] === 'config' && argv[2] === 'view')?.stdout;
  if (told !== undefined) return /^ +namespace: (\S+)$/m.exec(told)?.[1];
  return ownNamespace(commands);
}

/** The namespace that most requests are for; `default` where none is for any. */
export function ownNamespace(commands: readonly RecordedCommand[]): string {
  const counts = new Map<string, number>();
  for (const { exchanges } of commands) {
    for (const { path } of exchanges) {
      const name = /\/namespaces\/([^/]+)\/./.exec(path)?.[1];
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const [most] = [...counts].toSorted((a, b) => b[1] - a[1]);
  return most?.[0] ?? 'default';
}

/** The objects that a recording shows, each state as an event of a story, in the order of their coming. */
export function seenObjects(commands: readonly TimedCommand[]): Story {
  const events: EventLine[] = [];
  const named = new Set<string>();
  for (const { startMs, line, exchanges } of commands) {
    for (const exchange of exchanges) {
      const add = (object: RecordedObject, ms: number): void => {
        events.push({ line, ms, res: '', type: 'ADDED', object });
        named.add(`${object.kind}/${object.metadata.name}`);
      };
      for (const object of objectsOf(exchange, exchange.answer.body))
        add(object, birthMs(object, startMs + exchange.ms));
      // A table tells its columns in the first frame alone.
      let columns: Json = null;
      for (const { line: frame } of exchange.answer.lines ?? []) {
        if (!isObject(frame) || !isObject(frame['object'])) continue;
        columns = frame['object']['columnDefinitions'] ?? columns;
        const shown = columns === null ? frame['object'] : { ...frame['object'], columnDefinitions: columns };
        for (const object of objectsOf(exchange, shown)) add(object, birthMs(object, startMs + exchange.ms));
      }
    }
  }
  for (const { startMs, line, exchanges } of commands) {
    for (const { path, ms } of exchanges) {
      const object = objectOfPath(path, startMs + ms);
      const key = `${object?.kind ?? ''}/${object?.metadata.name ?? ''}`;
      if (object === undefined || named.has(key)) continue;
      named.add(key);
      events.push({ line, ms: startMs + ms, res: '', type: 'ADDED', object });
    }
  }
  const inOrder = events.toSorted((a, b) => a.ms - b.ms);
  return { marks: [], actions: [], events: inOrder, lastMs: inOrder.at(-1)?.ms ?? 0 };
}

/** A pod of a generated name that is named in a path alone. */
function objectOfPath(path: string, seenMs: number): RecordedObject | undefined {
  const [, namespace, name = '', generateName] =
    /^\/api\/v1\/namespaces\/([^/]+)\/pods\/(([^/]+-)[a-z0-9]{5})(?:\/|$)/.exec(path) ?? [];
  if (namespace === undefined || generateName === undefined) return undefined;
  const creationTimestamp = new Date(seenMs).toISOString().replace(/\.\d+Z$/, 'Z');
  const metadata = { name, namespace, generateName, uid: `of-${name}`, creationTimestamp };
  return { kind: 'Pod', apiVersion: 'v1', metadata };
}

function birthMs({ metadata }: RecordedObject, seenMs: number): number {
  const created = metadata['creationTimestamp'];
  const atMs = typeof created === 'string' ? Date.parse(created) : Number.NaN;
  return Number.isNaN(atMs) ? seenMs : atMs;
}

function objectsOf({ path, method }: Pick<RecordedExchange, 'path' | 'method'>, body: Json): readonly RecordedObject[] {
  const info = resourceRequest(method, path, false);
  const resource = info && BUILT_IN.resource(info.group, info.version, info.resource ?? '');
  if (resource === undefined || info?.subresource !== undefined || !isObject(body)) return [];
  const { kind, group, version } = resource;
  const type = { kind, apiVersion: group === '' ? version : `${group}/${version}` };
  return candidates(body).flatMap((object) => {
    const { metadata } = object;
    const isOne = isObject(metadata) && typeof metadata['name'] === 'string' && typeof metadata['uid'] === 'string';
    return isOne ? [{ ...object, ...type, metadata: metadata as RecordedObject['metadata'] }] : [];
  });
}

/** The objects of an answer, or of a frame. */
export function candidates(body: JsonObject): readonly JsonObject[] {
  const { items, rows, columnDefinitions } = body;
  if (Array.isArray(items)) return (items as readonly Json[]).filter(isObject);
  if (!Array.isArray(rows)) return [body];
  const columns = Array.isArray(columnDefinitions) ? (columnDefinitions as readonly Json[]) : [];
  const nodeAt = columns.findIndex((column) => isObject(column) && column['name'] === 'Node');
  return (rows as readonly Json[]).flatMap((row) => {
    if (!isObject(row) || !isObject(row['object'])) return [];
    const node = Array.isArray(row['cells']) ? (row['cells'] as readonly Json[])[nodeAt] : undefined;
    const isPlaced = typeof node === 'string' && node !== '<none>';
    return [isPlaced ? { spec: { nodeName: node }, ...row['object'] } : row['object']];
  });
}
