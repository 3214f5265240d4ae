/**
 * Requests to services as objects: they come from the moment at which an object is made or its spec changes, until it
 * is deleted. How they fare is worked out when the object is read, since time passes without a write.
 */
import type { LoadObject, LoadSpec } from '../api/objects/own-objects.js';
import type { FieldError } from '../api/objects/resource-kind.js';
import { invalid, required } from '../api/errors/field-errors.js';
import { listen } from '../bus/rx/listen.js';
import type { OfferedLoad, ServiceName } from '../offered-load/offered-load.js';
import type { RateCurve } from '../offered-load/rate-curve.js';
import { RATE_TABLE_TEXT, RATE_TEXT, readRate, readRateTable } from '../offered-load/read-rate.js';
import { soon, type ControlParts } from './control-parts.js';

interface Begun {
  readonly uid: string;
  readonly generation: number;
  readonly service: ServiceName;
}

const MS_PER_SECOND = 1000;
const DIGITS = 1000;

/** What is wrong with a load. */
export function validateLoad({ spec = {} }: LoadObject): readonly FieldError[] {
  const { rate, table } = spec;
  if (rate !== undefined && table !== undefined) return [invalid('spec.table', table, 'cannot stand beside rate')];
  if (table !== undefined) {
    return readRateTable(table) === undefined ? [invalid('spec.table', table, `must be ${RATE_TABLE_TEXT}`)] : [];
  }
  if (rate === undefined) return [required('spec.rate', `must be ${RATE_TEXT}`)];
  return readRate(rate) === undefined ? [invalid('spec.rate', rate, `must be ${RATE_TEXT}`)] : [];
}

/** See the file header. */
export class LoadControl {
  readonly #parts: ControlParts;
  readonly #load: OfferedLoad;
  readonly #begun = new Map<string, Begun>();

  /** Acts on the loads among the objects of a cluster from now on. */
  constructor(parts: ControlParts, load: OfferedLoad) {
    this.#parts = parts;
    this.#load = load;
    listen(parts.lookout.watch('Load'), ({ type, object }) => {
      const { name, namespace = '', uid, generation } = object.metadata;
      const begun = this.#begun.get(`${namespace}/${name}`);
      if (type === 'DELETED') soon(parts, () => this.#end({ namespace, name }, uid));
      else if (begun?.uid !== uid || begun.generation !== generation)
        soon(parts, () => this.#begin({ namespace, name }));
    });
  }

  /** The object as it is read: with the present in its status. */
  shown<T extends object>(object: T): T {
    const { metadata, status, spec } = object as Pick<LoadObject, 'metadata' | 'spec' | 'status'>;
    const state = this.#load.state(serviceOf(metadata, spec));
    if (status === undefined || state === undefined) return object;
    const { rate, endpoints, saturation, queueingDelayMs, waiting, offered, answered, failed } = state;
    const queueingDelay = queueingDelayMs === Infinity ? {} : { queueingDelay: secondsText(queueingDelayMs) };
    const shown = {
      rate: rounded(rate),
      endpoints,
      saturation: rounded(saturation),
      ...queueingDelay,
      waiting: rounded(waiting),
      offered: Math.round(offered),
      answered: Math.round(answered),
      failed: Math.round(failed),
    };
    return { ...object, status: { ...status, ...shown } };
  }

  #begin(name: ServiceName): void {
    const { server, kernel } = this.#parts;
    const key = `${name.namespace}/${name.name}`;
    const stored = server.find('Load', name) as LoadObject | undefined;
    if (stored === undefined) return;
    const { uid, generation = 0 } = stored.metadata;
    const known = this.#begun.get(key);
    if (known?.uid === uid && known.generation === generation) return;
    const curve = curveOf(stored.spec);
    if (curve === undefined) return;
    const service = serviceOf(stored.metadata, stored.spec);
    if (known !== undefined) this.#load.withdraw(key, known.service);
    const { clock, timestamps } = kernel;
    const nowMs = clock.now();
    const { status } = stored;
    // One that was begun in an earlier life of the cluster goes on.
    const isBegun = status?.observedGeneration === generation;
    this.#begun.set(key, { uid, generation, service });
    this.#load.offer(key, service, curve, isBegun ? Math.min(nowMs, timestamps.toMs(status.startTime)) : nowMs);
    if (isBegun) return;
    const begun = { observedGeneration: generation, startTime: timestamps.toTime(nowMs) };
    server.update('Load', { ...stored, status: begun }, 'status');
  }

  #end({ namespace, name }: ServiceName, uid: string): void {
    const key = `${namespace}/${name}`;
    const begun = this.#begun.get(key);
    if (begun?.uid !== uid) return;
    this.#begun.delete(key);
    this.#load.withdraw(key, begun.service);
  }
}

function serviceOf({ namespace = '', name }: LoadObject['metadata'], spec: LoadSpec = {}): ServiceName {
  return { namespace, name: spec.service ?? name };
}

function curveOf({ rate, table }: LoadSpec = {}): RateCurve | undefined {
  return table === undefined ? readRate(rate) : readRateTable(table);
}

function rounded(value: number): number {
  return Math.round(value * DIGITS) / DIGITS;
}

/** As Go writes a duration in seconds: `1.5s`. */
function secondsText(ms: number): string {
  return `${Math.round(ms) / MS_PER_SECOND}s`;
}
