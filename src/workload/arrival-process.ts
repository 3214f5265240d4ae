/**
 * When load comes: processes of arrivals as lists of moments, and as RxJS sources in simulated time. The same seed,
 * name and process give the same moments.
 */
import { Observable, type SchedulerLike } from 'rxjs';
import { naturalLog } from '../kernel/elementary-functions.js';
import { randomStream, type RandomStream } from '../kernel/random.js';
import { ArrivalError } from './arrival-error.js';
import { printed } from './input-error.js';

/** How moments follow each other. Rates are per second of simulated time. */
export type ArrivalProcess =
  /** Evenly spaced. */
  | { readonly type: 'constant'; readonly perSecond: number }
  /** From one rate to another, evenly over so long; then on at the latter, or no more where that is 0. */
  | { readonly type: 'ramp'; readonly fromPerSecond: number; readonly toPerSecond: number; readonly overMs: number }
  /** Independent of each other, as requests of many users are. */
  | { readonly type: 'poisson'; readonly perSecond: number }
  /** So many at once, again and again. */
  | { readonly type: 'burst'; readonly size: number; readonly everyMs: number }
  /** At the moments of a recording, ascending. */
  | { readonly type: 'replayed'; readonly atMs: readonly number[] };

/** One arrival of a source. */
export interface Arrival {
  /** From 0 on. */
  readonly index: number;
  /** Milliseconds of simulated time since the subscription. */
  readonly atMs: number;
}

/** How a source goes on. */
export interface ArrivalOptions {
  /** Sources of one name and seed have the same moments. @defaultValue `arrivals` */
  readonly name?: string;
  /** Ends after so many. @defaultValue as the process ends, or never */
  readonly count?: number;
}

/** What a source takes its time and its seed from: a cluster. */
export interface ArrivalClock {
  readonly scheduler: SchedulerLike;
  readonly seed: string;
}

const MS_PER_SECOND = 1000;
/** More of them at one moment, and they will never end. */
const MOST_AT_ONCE = 1_000_000;

/** What the fields of a process may be. */
const POSITIVE = ['a number > 0', (value: unknown) => isNumber(value) && value > 0] as const;
const RATE = ['a number >= 0', (value: unknown) => isNumber(value) && value >= 0] as const;
const COUNT = ['an integer > 0', (value: unknown) => Number.isSafeInteger(value) && Number(value) > 0] as const;
const MOMENTS = [
  'a list of milliseconds >= 0 that do not fall',
  (value: unknown) =>
    Array.isArray(value) &&
    value.every((each: unknown, index) => isNumber(each) && each >= Number(index === 0 ? 0 : value[index - 1])),
] as const;

type Field = readonly [allowed: string, isAllowed: (value: unknown) => boolean];

const FIELDS: Readonly<Record<ArrivalProcess['type'], Readonly<Record<string, Field>>>> = {
  constant: { perSecond: POSITIVE },
  ramp: { fromPerSecond: RATE, toPerSecond: RATE, overMs: POSITIVE },
  poisson: { perSecond: POSITIVE },
  burst: { size: COUNT, everyMs: POSITIVE },
  replayed: { atMs: MOMENTS },
};

/** @throws ArrivalError that names the field, what it got and what is allowed */
function checkProcess(process: ArrivalProcess): void {
  const given: unknown = process;
  const { type } = (typeof given === 'object' && given !== null ? given : {}) as { readonly type?: unknown };
  if (typeof type !== 'string' || !Object.hasOwn(FIELDS, type)) {
    throw new ArrivalError(`process.type must be one of ${Object.keys(FIELDS).join(', ')}, got ${printed(type)}`);
  }
  const fields = FIELDS[type as ArrivalProcess['type']];
  const unknown = Object.keys(process).find((field) => field !== 'type' && !Object.hasOwn(fields, field));
  if (unknown !== undefined) {
    throw new ArrivalError(`process.${unknown} is not known of ${type}; known are ${Object.keys(fields).join(', ')}`);
  }
  for (const [field, [allowed, isAllowed]] of Object.entries(fields)) {
    const value = (process as unknown as Readonly<Record<string, unknown>>)[field];
    if (!isAllowed(value)) throw new ArrivalError(`process.${field} must be ${allowed}, got ${printed(value)}`);
  }
}

/**
 * The moments of a process in whole milliseconds; the first interval comes before the first one. Without end, but for
 * those of a recording, and of a ramp to nothing.
 */
export function* arrivalTimes(process: ArrivalProcess, random: RandomStream): Generator<number, void> {
  checkProcess(process);
  if (process.type === 'replayed') return yield* process.atMs.map((atMs) => Math.round(atMs));
  if (process.type === 'ramp') return yield* rampTimes(process);
  let atMs = 0;
  for (;;) {
    if (process.type === 'burst') {
      for (let index = 0; index < process.size; index += 1) yield Math.round(atMs);
      atMs += process.everyMs;
    } else {
      const meanMs = MS_PER_SECOND / process.perSecond;
      atMs += process.type === 'constant' ? meanMs : -naturalLog(1 - random.unit()) * meanMs;
      yield Math.round(atMs);
    }
  }
}

/** The n-th arrival is where the area below the rate is n. */
function* rampTimes({
  fromPerSecond: from,
  toPerSecond: to,
  overMs,
}: Extract<ArrivalProcess, { type: 'ramp' }>): Generator<number, void> {
  const seconds = overMs / MS_PER_SECOND;
  const duringRamp = ((from + to) / 2) * seconds;
  const slope = (to - from) / seconds;
  for (let nth = 1; nth <= duringRamp + 1e-9; nth += 1) {
    const area = Math.min(nth, duringRamp);
    const root = Math.sqrt(Math.max(0, from * from + 2 * slope * area));
    yield Math.round(((2 * area) / (from + root)) * MS_PER_SECOND);
  }
  if (to === 0) return;
  for (let nth = Math.floor(duringRamp + 1e-9) + 1; ; nth += 1) {
    yield Math.round(overMs + ((nth - duringRamp) / to) * MS_PER_SECOND);
  }
}

/**
 * A process as a source in simulated time, from its subscription on; each subscription has the same moments. What a
 * subscriber does happens at that moment; one that is slow makes the run wait, in real time alone.
 *
 * @example
 * arrivals(cluster, { type: 'ramp', fromPerSecond: 1, toPerSecond: 50, overMs: 60_000 }, { count: 500 }).subscribe(({ index }) =>
 *   cluster.create('Pod', podNamed(`load-${index}`)),
 * );
 * @throws ArrivalError that names the field, what it got and what is allowed
 */
export function arrivals(
  { scheduler, seed }: ArrivalClock,
  process: ArrivalProcess,
  { name = 'arrivals', count = Number.POSITIVE_INFINITY }: ArrivalOptions = {},
): Observable<Arrival> {
  checkProcess(process);
  if (typeof name !== 'string') throw new ArrivalError(`name must be a text, got ${printed(name)}`);
  if (!(count >= 0)) throw new ArrivalError(`count must be a number >= 0, got ${printed(count)}`);
  return new Observable((subscriber) => {
    const startMs = scheduler.now();
    const times = arrivalTimes(process, randomStream(seed, `arrivals/${name}`));
    let index = 0;
    let next = times.next();
    const arrive = (): void => {
      const nowMs = scheduler.now() - startMs;
      for (let atOnce = 0; index < count && next.done !== true && next.value <= nowMs; atOnce += 1) {
        if (subscriber.closed) return;
        if (atOnce === MOST_AT_ONCE) {
          subscriber.error(
            new ArrivalError(`arrivals must be at most ${MOST_AT_ONCE} at one moment, got more at ${nowMs} ms`),
          );
          return;
        }
        subscriber.next({ index, atMs: nowMs });
        index += 1;
        next = times.next();
      }
      if (index >= count || next.done === true) subscriber.complete();
      else subscriber.add(scheduler.schedule(arrive, next.value - nowMs));
    };
    subscriber.add(scheduler.schedule(arrive, 0));
  });
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
