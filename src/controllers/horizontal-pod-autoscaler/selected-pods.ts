/**
 * The pods that one autoscaler's target selects, as far as its arithmetic asks for them, in columns: a sync of thousands
 * of pods looks at each of them, every 15 s, and at most of them nothing has changed.
 */
import { getCondition } from '../../api/objects/conditions.js';
import { keyOf, type Pod } from '../../api/objects/objects.js';
import type { Selector } from '../../api/selectors/labels.js';
import { NOT_MEASURED, type UsageReading } from '../runtime/usage-reading.js';
import { hasRequest, requestOf, type Present, type ReadinessPeriods } from './pod-groups.js';
import type { PodColumns, Tally } from './replica-arithmetic.js';

/** How a pod counts, whatever is measured. */
const NONE = 0;
const IGNORED = 1;
const PENDING = 2;
/** Its use of CPU says nothing before it has the condition Ready and a start time. */
const STARTING = 3;
const READY = 4;
const NOT_READY = 5;

/** What a pod without a request is noted as; and one that was not looked at yet. */
const NO_REQUEST = -1;
const UNKNOWN_REQUEST = -2;
const NO_ROW = -1;
const LEAST_ROWS = 64;

/** See the file header. */
export class SelectedPods implements PodColumns {
  readonly selector: Selector;
  /** Whether another autoscaler may select one of them. */
  mayBeShared = true;
  /** Row by key, in order of arrival. */
  readonly #rows = new Map<string, number>();
  readonly #free: number[] = [];
  readonly #pods: (Pod | undefined)[] = [];
  readonly #names: string[] = [];
  #states = new Uint8Array(LEAST_ROWS);
  #startMs = new Float64Array(LEAST_ROWS);
  #turnedMs = new Float64Array(LEAST_ROWS);
  /** Where a reading had the pod last. */
  #readRows = new Int32Array(LEAST_ROWS);
  /** By resource and container. */
  readonly #requests = new Map<string, Float64Array<ArrayBuffer>>();
  readonly #toMs: (timestamp: string) => number;

  constructor(selector: Selector, toMs: (timestamp: string) => number) {
    this.selector = selector;
    this.#toMs = toMs;
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Them, in order of arrival. */
  list(): Pod[] {
    return [...this.#rows.values()].map((row) => this.#pods[row] as Pod);
  }

  put(pod: Pod): void {
    const key = keyOf(pod);
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = this.#free.pop() ?? this.#pods.length;
      this.#rows.set(key, row);
      if (row >= this.#states.length) this.#grow();
      this.#names[row] = pod.metadata.name;
      this.#readRows[row] = NO_ROW;
    }
    const { startTime, conditions } = pod.status;
    const ready = getCondition(conditions, 'Ready');
    this.#pods[row] = pod;
    this.#states[row] = stateOf(pod, ready?.status);
    this.#startMs[row] = startTime === undefined ? 0 : this.#toMs(startTime);
    this.#turnedMs[row] = ready?.lastTransitionTime === undefined ? -Infinity : this.#toMs(ready.lastTransitionTime);
    for (const column of this.#requests.values()) column[row] = UNKNOWN_REQUEST;
  }

  delete(pod: Pod): void {
    const key = keyOf(pod);
    const row = this.#rows.get(key);
    if (row === undefined) return;
    this.#rows.delete(key);
    this.#pods[row] = undefined;
    this.#states[row] = NONE;
    this.#free.push(row);
  }

  /** How the pods count by what was read of them. Mirrors groupPods and the sums over what it leaves. */
  tally(
    reading: UsageReading,
    { resource, container }: { readonly resource: string; readonly container: string | undefined },
    periods: ReadinessPeriods,
    { nowMs }: Present,
  ): Tally {
    const requests = this.#requestColumn(resource, container);
    const tally = {
      readyCount: 0,
      counted: { count: 0, used: 0, requested: 0 },
      others: { count: reading.count, used: reading.sum },
      missing: [] as number[],
      unready: [] as number[],
      isRequestMissing: false,
    };
    const { counted, others } = tally;
    const youngSinceMs = nowMs - periods.cpuInitializationMs;
    const isCpu = resource === 'cpu';
    for (let row = 0; row < this.#pods.length; row += 1) {
      const state = this.#states[row] as number;
      if (state === NONE) continue;
      const request = this.#requestAt(requests, row, resource, container);
      if (request === NO_REQUEST) tally.isRequestMissing = true;
      const value = this.#valueIn(reading, row);
      if (value !== NOT_MEASURED) {
        others.count -= 1;
        others.used -= value;
      }
      if (state === IGNORED) continue;
      if (
        state === PENDING ||
        (value !== NOT_MEASURED && isCpu && this.#isUnready(row, reading, youngSinceMs, periods))
      ) {
        tally.unready.push(request);
        continue;
      }
      if (value === NOT_MEASURED) {
        tally.missing.push(request);
        continue;
      }
      tally.readyCount += 1;
      counted.count += 1;
      counted.used += value;
      counted.requested += request;
    }
    return tally;
  }

  /** What a pod requests. */
  #requestAt(column: Float64Array, row: number, resource: string, container: string | undefined): number {
    const known = column[row] as number;
    if (known !== UNKNOWN_REQUEST) return known;
    const pod = this.#pods[row] as Pod;
    const request = hasRequest(pod, container, resource) ? requestOf(pod, container, resource) : NO_REQUEST;
    column[row] = request;
    return request;
  }

  #requestColumn(resource: string, container: string | undefined): Float64Array {
    const key = `${resource}/${container ?? ''}`;
    let column = this.#requests.get(key);
    if (column === undefined) {
      column = new Float64Array(this.#states.length).fill(UNKNOWN_REQUEST);
      this.#requests.set(key, column);
    }
    return column;
  }

  #valueIn(reading: UsageReading, row: number): number {
    const { pods, values } = reading;
    const name = this.#names[row] as string;
    let readRow = this.#readRows[row] as number;
    if (readRow === NO_ROW || pods[readRow] !== name) {
      readRow = reading.rowOf(name) ?? NO_ROW;
      this.#readRows[row] = readRow;
      if (readRow === NO_ROW || pods[readRow] !== name) return NOT_MEASURED;
    }
    return values[readRow] as number;
  }

  /** Whether the use of CPU of a pod says nothing yet about the load. */
  #isUnready(
    row: number,
    { atMs, windowMs }: UsageReading,
    youngSinceMs: number,
    { initialReadinessMs }: ReadinessPeriods,
  ): boolean {
    const state = this.#states[row];
    if (state === STARTING) return true;
    const startMs = this.#startMs[row] as number;
    const turnedMs = this.#turnedMs[row] as number;
    if (startMs > youngSinceMs) return state === NOT_READY || atMs < turnedMs + windowMs;
    return state === NOT_READY && startMs + initialReadinessMs > turnedMs;
  }

  #grow(): void {
    const size = this.#states.length * 2;
    this.#states = grown(new Uint8Array(size), this.#states);
    this.#startMs = grown(new Float64Array(size), this.#startMs);
    this.#turnedMs = grown(new Float64Array(size), this.#turnedMs);
    this.#readRows = grown(new Int32Array(size), this.#readRows);
    for (const [key, column] of this.#requests) {
      this.#requests.set(key, grown(new Float64Array(size).fill(UNKNOWN_REQUEST), column));
    }
  }
}

function grown<T extends { set(from: T): void }>(larger: T, column: T): T {
  larger.set(column);
  return larger;
}

function stateOf({ metadata, status: { phase, startTime } }: Pod, ready: string | undefined): number {
  if (metadata.deletionTimestamp !== undefined || phase === 'Failed') return IGNORED;
  if (phase === 'Pending') return PENDING;
  if (ready === undefined || startTime === undefined) return STARTING;
  return ready === 'False' ? NOT_READY : READY;
}
