/** Servers of containers by their addresses and ports: what a request within the cluster reaches. */
import type { HttpHandler } from '../../shell/processes/network.js';

/** One that listens. */
export interface Listener {
  readonly node: string;
  /** `undefined` = it takes connections and says nothing. */
  readonly handler: HttpHandler | undefined;
  /** Of one that speaks TLS, as PEM. */
  readonly certificate?: string | undefined;
}

/** See the file header. One for all machines of a cluster. */
export class Listeners {
  readonly #byAddress = new Map<string, Map<number, Listener>>();

  /** @returns whether the port was free */
  add(address: string, port: number, listener: Listener): boolean {
    let ports = this.#byAddress.get(address);
    if (ports === undefined) {
      ports = new Map();
      this.#byAddress.set(address, ports);
    }
    if (ports.has(port)) return false;
    ports.set(port, listener);
    return true;
  }

  remove(address: string, port: number, listener: Listener): void {
    const ports = this.#byAddress.get(address);
    if (ports?.get(port) !== listener) return;
    ports.delete(port);
    if (ports.size === 0) this.#byAddress.delete(address);
  }

  at(address: string, port: number): Listener | undefined {
    return this.#byAddress.get(address)?.get(port);
  }
}
