/**
 * The form in which a watched cluster is written down, a line of JSON each: a head with the time, the objects that were
 * there, requests as users made them, and an end. Nothing but the end is needed twice, so lines are written as they come.
 */
import { createTimestamps } from '../../kernel/timestamps.js';
import { ImportError } from '../import/import-error.js';
import { type SourceObject } from '../import/source-object.js';
import {
  CUT_LINE,
  wholeLines,
  fieldsOfLine,
  isFields,
  LeftOutTally,
  type HistoricRequest,
  type History,
} from '../history/history.js';
import { livesOf, withLives, type OwnerLives } from './owner-lives.js';
import type { PodLife } from './pod-lives.js';
import { withoutContents, type UserChange } from './recorder.js';

type Mapping = Readonly<Record<string, unknown>>;

const FORM = 'kubeloom.dev/recording/v1';
const UNIX = createTimestamps('1970-01-01T00:00:00Z');

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

export function requestLine({ atMs, method, path, body, headers, drawn }: UserChange): string {
  const request: HistoricRequest = {
    atMs,
    method,
    path,
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers }),
    ...(drawn === undefined ? {} : { drawn }),
  };
  return line({ request });
}

export function endLine(atMs: number, lives: readonly PodLife[], leftOut: ReadonlyMap<string, number>): string {
  return line({ end: { atMs, lives: livesOf(lives), leftOut: Object.fromEntries(leftOut) } });
}

function line(content: object): string {
  return `${JSON.stringify(content)}\n`;
}

export function isRecording(firstLine: string): boolean {
  return firstLine.startsWith(`{"recording":"${FORM}"`);
}

/** @throws ImportError that names the line */
export function parseRecording(text: string, name: string): History {
  const objects: SourceObject[] = [];
  const requests: HistoricRequest[] = [];
  const tally = new LeftOutTally();
  let lives: readonly OwnerLives[] = [];
  let [endMs, time] = [0, ''];
  const { lines, isCut } = wholeLines(text);
  if (isCut) tally.add(CUT_LINE);
  lines.forEach((each, index) => {
    if (each === '') return;
    const place = `${name}:${index + 1}`;
    const content = fieldsOfLine(each, place);
    if (typeof content['time'] === 'string') ({ time } = content as { readonly time: string });
    else if (isFields(content['object'])) objects.push({ value: content['object'], place });
    else if (isFields(content['request'])) requests.push(checkedRequest(content['request'], place));
    else if (isFields(content['end'])) {
      const { atMs, lives: told, leftOut } = content['end'];
      endMs = Number(atMs);
      lives = told as readonly OwnerLives[];
      for (const [what, count] of Object.entries(leftOut as Record<string, number>)) tally.counts.set(what, count);
    } else throw new ImportError(place, '', 'must have an object, a request or the end');
  });
  const sorted = requests.toSorted((a, b) => a.atMs - b.atMs);
  return {
    form: 'kubeloom',
    time,
    ...withLives({ objects, requests: sorted }, lives),
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
