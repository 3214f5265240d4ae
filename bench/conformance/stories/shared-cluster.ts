/**
 * What the recorded cluster had besides the story: nodes that were there before, and nodes that others put
 * into it while the story went on. Both are read off the story itself: from the nodes on which its pods ran,
 * and from the numbers of nodes in the scheduler's texts.
 */
import { isObject } from '../recorded-lines.js';
import { textField } from './plain-object.js';
import type { RecordedObject, Story } from './story.js';

/** Nodes of the recorded cluster when a story says nothing of them. */
const USUAL_NODES = 6;
const USUAL_START_MS = Date.UTC(2030, 0);

/** How many nodes of others there are from some time on. */
export interface Neighbours {
  readonly atMs: number;
  readonly count: number;
  /** So many of them are not ready yet, and tainted. */
  readonly notReady: number;
}

/** See the file header. */
export interface SharedCluster {
  readonly nodes: readonly string[];
  /** In order of time; each holds until the next. */
  readonly neighbours: readonly Neighbours[];
  readonly namespaces: readonly string[];
  /** What else there is when the story begins, and nodes that are known in detail. */
  readonly objects: readonly RecordedObject[];
  /** When the story began by its clock, milliseconds since 1970. */
  readonly startMs: number;
}

/** Reads off a story what was around it. @param present - what is known to have been there when it began */
export function sharedCluster(story: Story, present: readonly RecordedObject[] = []): SharedCluster {
  const own = ownNodes(story);
  const known = present.filter(({ kind }) => kind === 'Node').map(({ metadata }) => metadata.name);
  const ran = new Set<string>(known);
  for (const { object } of story.events) {
    const { spec, status } = object;
    const name = isObject(spec) ? spec['nodeName'] : undefined;
    if (typeof name === 'string' && isObject(status) && status['podIP'] !== undefined && !own.has(name)) ran.add(name);
    if (object.kind === 'Node' && !own.has(object.metadata.name)) ran.add(object.metadata.name);
  }
  for (const { request, status } of story.actions) {
    const name = /^\/api\/v1\/nodes\/([^/?]+)/.exec(request.path)?.[1];
    if (name !== undefined && status < 400 && !own.has(name)) ran.add(name);
  }
  const counts = schedulerCounts(story).map((each) => ({ ...each, others: each.nodes - ownNodesAt(story, each.atMs) }));
  // Daemons are on every node that they can be on: one without any is none that the story knows.
  const isCovered = known.length > 0 || story.events.some(({ object }) => object.kind === 'DaemonSet');
  const wanted = Math.min(
    isCovered && counts.length === 0 ? ran.size : USUAL_NODES,
    ...counts.map(({ others }) => others),
  );
  const nodes = new Set(ran);
  for (let index = 0; nodes.size < wanted; index += 1) nodes.add(`node-${String(index).padStart(6, '0')}`);
  const neighbours = counts.map(({ atMs, others, tainted }) => {
    const count = Math.max(0, others - nodes.size);
    return { atMs, count, notReady: Math.min(count, tainted) };
  });
  return {
    nodes: [...nodes].sort(),
    neighbours,
    namespaces: namespacesOf(story, present),
    objects: present,
    startMs: startOf(story),
  };
}

/** Nodes that come to be in the story. */
function ownNodes({ events, actions }: Story): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { type, object } of events) {
    if (type === 'ADDED' && object.kind === 'Node') names.add(object.metadata.name);
  }
  for (const { request, response, status } of actions) {
    if (request.method === 'POST' && status === 201 && request.path.endsWith('/nodes'))
      names.add((response as RecordedObject).metadata.name);
  }
  return names;
}

function ownNodesAt({ events }: Story, atMs: number): number {
  const names = new Set<string>();
  for (const { ms, type, object } of events) {
    if (object.kind !== 'Node' || ms > atMs) continue;
    if (type === 'ADDED') names.add(object.metadata.name);
    if (type === 'DELETED') names.delete(object.metadata.name);
  }
  return names.size;
}

/** Numbers of nodes in the texts of failed attempts. */
function schedulerCounts({ events }: Story): { atMs: number; nodes: number; tainted: number }[] {
  return events.flatMap(({ ms, object }) => {
    if (object.kind !== 'Event' || object['reason'] !== 'FailedScheduling') return [];
    const note = textField(object, 'note') || textField(object, 'message');
    const [verdicts = ''] = note.split('. ');
    const nodes = /^0\/(\d+) nodes are available/.exec(note)?.[1];
    const tainted = /(\d+) node\(s\) had untolerated taint/.exec(verdicts)?.[1] ?? '0';
    return nodes === undefined ? [] : [{ atMs: ms, nodes: Number(nodes), tainted: Number(tainted) }];
  });
}

/** Times of the recorded clock that lie before the moment in which they are told. */
const PAST_TIMES = /"(?:creationTimestamp|lastTransitionTime|startTime)":"([^"]+)"/g;

/** Nothing was told of before it was. */
function startOf({ events }: Story): number {
  let startMs = Number.NEGATIVE_INFINITY;
  for (const { ms, object } of events) {
    for (const [, time = ''] of JSON.stringify(object).matchAll(PAST_TIMES)) {
      const atMs = Date.parse(time);
      if (atMs - ms > startMs) startMs = atMs - ms;
    }
  }
  return Number.isFinite(startMs) ? startMs : USUAL_START_MS;
}

/** Namespaces that are there before the story begins. */
function namespacesOf({ events, actions }: Story, present: readonly RecordedObject[]): readonly string[] {
  const made = new Set<string>();
  const named = new Set(present.map(({ metadata }) => metadata.namespace ?? ''));
  for (const { type, object } of events) {
    if (object.kind !== 'Namespace') named.add(object.metadata.namespace ?? '');
    else if (type === 'ADDED') made.add(object.metadata.name);
    else named.add(object.metadata.name);
  }
  for (const { request, response, status } of actions) {
    const { pathname } = new URL(request.path, 'http://server');
    const place = /\/namespaces\/([^/]+)/.exec(pathname)?.[1];
    if (place !== undefined && status !== 404) named.add(place);
    if (request.method === 'POST' && status === 201 && pathname === '/api/v1/namespaces')
      made.add((response as RecordedObject).metadata.name);
  }
  const listed = new Set(present.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name));
  return [...named].filter((name) => name !== '' && !made.has(name) && !listed.has(name));
}
