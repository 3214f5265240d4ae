/** The requests to one service, in a program's hands: a Load object of the service's name. */
import type { ObjectName } from '../api/objects/objects.js';
import type { LoadSpec } from '../api/objects/own-objects.js';
import type { ApiServer } from '../apiserver/store/server-types.js';
import type { LoadState, OfferedLoad, ServiceName } from '../offered-load/offered-load.js';
import { RATE_TABLE_TEXT, RATE_TEXT, readRate, readRateTable } from '../offered-load/read-rate.js';
import { OptionError } from '../options/option-error.js';

/**
 * How many requests a second come, over the time since they began to: a number, a text such as `200`,
 * `0s=10, 5m=500` (straight lines between points), `steps 0s=10, 5m=500 repeat 1h` or `sine 100..500 every 24h` (from its
 * lowest), or a table of lines with seconds or a duration, a comma and a rate.
 */
export type LoadRate = number | string | { readonly table: string };

/** See the file header. */
export class ServiceLoad {
  readonly #server: ApiServer;
  readonly #offered: OfferedLoad;
  readonly #service: ServiceName;

  /** @internal use `cluster.load` */
  constructor(server: ApiServer, offered: OfferedLoad, { name, namespace }: ObjectName) {
    this.#server = server;
    this.#offered = offered;
    this.#service = { name, namespace: namespace ?? 'default' };
  }

  /**
   * Requests come at that rate, which begins now, in the place of the one before. What is set already goes on.
   *
   * @throws OptionError
   */
  set(rate: LoadRate): void {
    const spec = specOf(rate);
    const { metadata } = this.#server.find('Load', this.#service) ?? {};
    const object = { metadata: metadata ?? { ...this.#service }, spec };
    if (metadata === undefined) this.#server.create('Load', object);
    else this.#server.update('Load', object);
  }

  /** No request comes any more. */
  stop(): void {
    if (this.#server.find('Load', this.#service) !== undefined) this.#server.delete('Load', this.#service);
  }

  /** How they fare, by the last whole second; `undefined` before the first request could come. */
  get state(): LoadState | undefined {
    return this.#offered.state(this.#service);
  }
}

function specOf(rate: LoadRate): LoadSpec {
  if (typeof rate === 'object' && typeof rate?.table === 'string') {
    if (readRateTable(rate.table) === undefined) throw new OptionError('rate.table', RATE_TABLE_TEXT, rate.table);
    return { table: rate.table };
  }
  if (typeof rate === 'object' || readRate(rate) === undefined) throw new OptionError('rate', RATE_TEXT, rate);
  return { rate: Number.isInteger(rate) ? rate : String(rate) };
}
