/**
 * The form in which a watched cluster is written down, a line of JSON each: a head with the time, the objects that were
 * there, requests as users made them, and an end. Nothing but the end is needed twice, so lines are written as they come.
 */
import { createTimestamps } from '../../kernel/timestamps.js';
import { ImportError } from '../import/import-error.js';
import { type SourceObject } from '../import/source-objects.js';
import { fieldsOfLine, isFields, LeftOutTally, type HistoricRequest, type History } from '../history/history.js';
import type { PodLife } from './pod-lives.js';
import { withoutContents, type UserChange } from './recorder.js';

type Mapping = Readonly<Record<string, unknown>>;

/** What the lives of an owner's pods come to, as words of scripts. */
interface OwnerLives {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly runs: readonly string[];
}

const FORM = 'kubeloom.dev/recording/v1';
const UNIX = createTimestamps('1970-01-01T00:00:00Z');
/** Owners whose pods end by themselves. */
const ENDING: readonly string[] = ['Job', 'CronJob', 'Pod'];
const RUN_FOR = 'kubeloom.dev/run-for';
const RUNS = 'kubeloom.dev/runs';

/** @param timeMs - of the beginning, since 1970 */
export function headLine(timeMs: number): string {
  return line({ recording: FORM, time: UNIX.toTime(timeMs) });
}

export function objectLine(object: Mapping): string {
  const { metadata, ...content } = object;
  const { managedFields: _fields, resourceVersion: _version, ...kept } = metadata as Mapping;
  const told = { ...content, metadata: kept };
  return line({ object: object['kind'] === 'Secret' ? withoutContents(told) : told });
}

export function requestLine({ atMs, method, path, body, headers }: UserChange): string {
  const request: HistoricRequest = {
    atMs,
    method,
    path,
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers }),
  };
  return line({ request });
}

export function endLine(atMs: number, lives: readonly PodLife[], leftOut: ReadonlyMap<string, number>): string {
  return line({ end: { atMs, lives: livesOf(lives), leftOut: Object.fromEntries(leftOut) } });
}

function line(content: object): string {
  return `${JSON.stringify(content)}\n`;
}

/** Owners all of whose pods have ended by themselves. */
function livesOf(lives: readonly PodLife[]): readonly OwnerLives[] {
  const byOwner = new Map<string, { owner: PodLife['owner']; lives: PodLife[] }>();
  for (const life of lives) {
    const { owner } = life;
    if (!ENDING.includes(owner.kind)) continue;
    const key = `${owner.kind}/${owner.namespace}/${owner.name}`;
    const known = byOwner.get(key);
    if (known === undefined) byOwner.set(key, { owner, lives: [life] });
    else known.lives.push(life);
  }
  return [...byOwner.values()].flatMap(({ owner: { kind, namespace, name }, lives: all }) => {
    const ended = all.filter(({ isByItself, endS }) => isByItself && endS !== undefined);
    if (ended.length < all.length) return [];
    const runs = ended.map(({ startS, endS = startS, exitCode }) => `${endS - startS}s exit ${exitCode}`);
    return [{ kind, namespace, name, runs }];
  });
}

export function isRecording(firstLine: string): boolean {
  return firstLine.startsWith(`{"recording":"${FORM}"`);
}

/** @throws ImportError that names the line */
export function parseRecording(text: string, name: string): History {
  const objects: SourceObject[] = [];
  const requests: HistoricRequest[] = [];
  const tally = new LeftOutTally();
  let lives = new Map<string, readonly string[]>();
  let [endMs, time] = [0, ''];
  text.split('\n').forEach((each, index) => {
    if (each === '') return;
    const place = `${name}:${index + 1}`;
    const content = fieldsOfLine(each, place);
    if (typeof content['time'] === 'string') ({ time } = content as { readonly time: string });
    else if (isFields(content['object'])) objects.push({ value: content['object'], place });
    else if (isFields(content['request'])) requests.push(checkedRequest(content['request'], place));
    else if (isFields(content['end'])) {
      const { atMs, lives: told, leftOut } = content['end'];
      endMs = Number(atMs);
      lives = new Map(
        (told as readonly OwnerLives[]).map(({ kind, namespace, name: own, runs }) => [
          keyOf(kind, namespace, own),
          runs,
        ]),
      );
      for (const [what, count] of Object.entries(leftOut as Record<string, number>)) tally.counts.set(what, count);
    } else throw new ImportError(place, '', 'must have an object, a request or the end');
  });
  const sorted = requests.toSorted((a, b) => a.atMs - b.atMs);
  return {
    form: 'kubeloom',
    time,
    objects: objects.map(({ value, place }) => ({ value: withLives(value, lives), place })),
    requests: sorted.map((request) =>
      isFields(request.body) ? { ...request, body: withLives(request.body, lives) } : request,
    ),
    endMs: Math.max(endMs, sorted.at(-1)?.atMs ?? 0),
    leftOut: tally.counts,
  };
}

function checkedRequest(request: Mapping, place: string): HistoricRequest {
  const { atMs, method, path } = request;
  if (typeof atMs !== 'number' || !(atMs >= 0)) throw new ImportError(place, 'request.atMs', 'must be a number >= 0');
  if (typeof method !== 'string' || !['POST', 'PUT', 'PATCH', 'DELETE'].includes(method))
    throw new ImportError(place, 'request.method', `must be POST, PUT, PATCH or DELETE, got ${String(method)}`);
  if (typeof path !== 'string' || !path.startsWith('/'))
    throw new ImportError(place, 'request.path', `must begin with /, got ${String(path)}`);
  return request as unknown as HistoricRequest;
}

function keyOf(kind: string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

/** What was seen of an owner's pods becomes their script, unless it has one. */
function withLives(object: Mapping, lives: ReadonlyMap<string, readonly string[]>): Mapping {
  const { kind, metadata, spec } = object;
  const { name = '', namespace = '' } = isFields(metadata) ? metadata : {};
  const runs = lives.get(keyOf(String(kind), String(namespace), String(name)));
  if (runs === undefined || !isFields(spec)) return object;
  if (kind === 'Pod') return withScript(object, runs);
  if (kind === 'Job') return { ...object, spec: { ...spec, template: withScript(fieldsOf(spec['template']), runs) } };
  const job = fieldsOf(spec['jobTemplate']);
  const below = fieldsOf(job['spec']);
  const jobTemplate = { ...job, spec: { ...below, template: withScript(fieldsOf(below['template']), runs) } };
  return { ...object, spec: { ...spec, jobTemplate } };
}

function fieldsOf(value: unknown): Mapping {
  return isFields(value) ? value : {};
}

/** Of several ends each pod draws a length; how it ends is told where all ended alike or there was one pod. */
function withScript(template: Mapping, runs: readonly string[]): Mapping {
  const metadata = fieldsOf(template['metadata']);
  const annotations = fieldsOf(metadata['annotations']);
  const isAlike = new Set(runs).size === 1;
  const lengths = [...new Set(runs.map((run) => run.replace(/ exit .*/, '')))];
  const told = isAlike
    ? { [RUNS]: runs[0] }
    : { [RUN_FOR]: lengths.length === 1 ? lengths[0] : `choice(${lengths.join(', ')})` };
  return { ...template, metadata: { ...metadata, annotations: { ...told, ...annotations } } };
}
