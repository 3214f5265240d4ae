/**
 * What users did to another cluster, as data: its beginning, and requests of the Kubernetes API by their times. What
 * controllers, the scheduler and kubelets did is left out, for they do it here themselves.
 */
import { ImportError } from '../import/import-error.js';
import { type SourceObject } from '../import/source-object.js';

/** A request that is made again. */
export interface HistoricRequest {
  /** Since the beginning of the history. */
  readonly atMs: number;
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query. */
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the answer; absent = it was not written down. */
  readonly status?: number;
  /** What a patch came to there, where its type was not written down and makes a difference. */
  readonly answer?: object;
  /** Of a pod whose name was drawn: it has another name here. */
  readonly drawn?: DrawnPod;
}

/** What is known of a pod that a controller made there, to find its counterpart here. */
export interface DrawnPod {
  /** What comes before the letters that were drawn (`metadata.generateName`). */
  readonly prefix: string;
  /** Absent = nothing tells. */
  readonly node?: string;
}

/** How objects are deleted of which is seen only that they go: as clients do, also where servers would orphan. */
export const SEEN_DELETION = { propagationPolicy: 'Background' } as const;

/** Letters that are drawn for a name (apimachinery, pkg/util/rand). */
const DRAWN_LETTERS = /[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/** The part of a name before the letters that were drawn for it; `undefined` = it ends otherwise. */
export function drawnPrefix(name: string): string | undefined {
  const { index = 0 } = DRAWN_LETTERS.exec(name) ?? {};
  return index === 0 ? undefined : name.slice(0, index);
}

/** See the file header. */
export interface History {
  /** What wrote it. */
  readonly form: 'kubeloom' | 'kwok' | 'simkube' | 'audit';
  /** When it began, RFC 3339; absent = nothing tells. */
  readonly time?: string;
  /** The cluster that it begins with; absent = the form has none. */
  readonly objects?: readonly SourceObject[];
  /** In order of time. */
  readonly requests: readonly HistoricRequest[];
  /** Of its end. */
  readonly endMs: number;
  /** What is not made again, in words, with how many there were. */
  readonly leftOut: ReadonlyMap<string, number>;
}

/** Counts what is left out. */
export class LeftOutTally {
  readonly counts = new Map<string, number>();

  add(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}

/** Of the API, such as `/apis/apps/v1/namespaces/a/deployments/b`; without a name that of the collection. */
export function resourcePath(
  group: string,
  version: string,
  plural: string,
  namespace: string | undefined,
  name?: string,
): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const place = namespace === undefined || namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${place}/${plural}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}

/** What is left out of a file whose writer was stopped in the middle. */
export const CUT_LINE = 'line that is cut off at the end';

/** The lines of a file that is written line by line, but for a last one whose object was never ended. */
export function wholeLines(text: string): { readonly lines: readonly string[]; readonly isCut: boolean } {
  const lines = text.split('\n');
  const last = lines.at(-1) ?? '';
  const isCut = lines.length > 1 && last.startsWith('{') && !isJson(last);
  return { lines: isCut ? lines.slice(0, -1) : lines, isCut };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** An object of JSON that stands on a line of its own. @throws ImportError that names the place */
export function fieldsOfLine(line: string, place: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    if (isFields(value)) return value;
  } catch {
    // Told below.
  }
  throw new ImportError(place, '', 'must be an object of JSON');
}

export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
