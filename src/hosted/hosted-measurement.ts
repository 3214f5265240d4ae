/** A measurement of a cluster on another thread, with every method as a promise. */
import type { Remote } from 'comlink';
import type { Measurement } from '../cluster/measure.js';
import { unwrap, type ClusterHost, type MeasurementMethod, type Outcome } from './host-protocol.js';

type Of<Method extends 'check' | 'mark'> = Parameters<Measurement[Method]>;

/** See `Measurement`; numbers are taken where the cluster is, and cross as plain data. */
export class HostedMeasurement {
  /** @internal use `HostedCluster.measure` */
  constructor(
    private readonly host: Remote<ClusterHost>,
    private readonly id: number,
  ) {}

  /** Ends the measurement; what it came to can be read on. */
  stop(): Promise<void> {
    return this.#call('stop');
  }

  /** Notes something on the axis of time, for reports. */
  mark(...args: Of<'mark'>): Promise<void> {
    return this.#call('mark', ...args);
  }

  /** Compares thresholds with what was measured so far. @throws Error named `OptionError` */
  check(...args: Of<'check'>): Promise<ReturnType<Measurement['check']>> {
    return this.#call('check', ...args);
  }

  /** Whether a threshold with `abortOnFail` has ended the run. */
  isAborted(): Promise<boolean> {
    return this.#call('isAborted');
  }

  /** Everything that was measured so far. */
  read(): Promise<ReturnType<Measurement['read']>> {
    return this.#call('read');
  }

  /** Every metric as a whole and by its tags, as it stands. */
  metrics(): Promise<Measurement['metrics']> {
    return this.#call('metrics');
  }

  /** What each counter has come to, where each gauge stands, and how many values each trend has. */
  totals(): Promise<Measurement['totals']> {
    return this.#call('totals');
  }

  async #call<T>(method: MeasurementMethod, ...args: readonly unknown[]): Promise<T> {
    return unwrap((await this.host.measured(this.id, method, args)) as Outcome<T>);
  }
}
