/**
 * What users did to another cluster, as data: its beginning, and requests of the Kubernetes API by their times. What
 * controllers, the scheduler and kubelets did is left out, for they do it here themselves.
 */
import { ImportError } from '../import/import-error.js';
import { type SourceObject } from '../import/source-objects.js';

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
