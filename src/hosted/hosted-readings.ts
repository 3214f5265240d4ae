/** What is read of a cluster on another thread: its promises, its machines and its metrics, every method as a promise. */
import type { Remote } from 'comlink';
import type { Observable } from 'rxjs';
import type { MetricSample } from '../metrics/metrics.js';
import type { MachineSelection } from '../cluster/machine-selection.js';
import type { MachineReading, MachineStep } from '../machines/trail.js';
import { unwrap, type ClusterHost } from './host-protocol.js';
import type { InvariantViolation } from '../observers/invariants/invariant-monitor.js';

/** See `InvariantMonitor`. */
export class HostedInvariants {
  /** @internal */
  constructor(
    private readonly host: Remote<ClusterHost>,
    /** What is found from now on; completes on dispose. */
    readonly violations$: Observable<InvariantViolation>,
  ) {}

  /** What was found so far, the first 1,000. */
  violations(): Promise<readonly InvariantViolation[]> {
    return this.host.violations('all');
  }

  /** Those that were not asked for. */
  faults(): Promise<readonly InvariantViolation[]> {
    return this.host.violations('faults');
  }

  /** Looks at what must hold once all is at rest, and returns what it finds. */
  checkAtRest(): Promise<readonly InvariantViolation[]> {
    return this.host.violations('at-rest');
  }
}

/** See `Machines`. */
export class HostedMachines {
  /** @internal */
  constructor(
    private readonly host: Remote<ClusterHost>,
    private readonly stream: (selection: MachineSelection) => Observable<MachineStep>,
  ) {}

  /** How they stand, each with its last steps. @throws Error named `OptionError` */
  async states(selection: MachineSelection = {}): Promise<readonly MachineReading[]> {
    return unwrap(await this.host.machines(selection));
  }

  /** Their last steps, then each step. */
  watch(selection: MachineSelection = {}): Observable<MachineStep> {
    return this.stream(selection);
  }
}

/** See `Metrics`. */
export class HostedMetrics {
  /** @internal */
  constructor(private readonly host: Remote<ClusterHost>) {}

  /** Everything in Prometheus' text format. */
  text(): Promise<string> {
    return this.host.metricsText();
  }

  /** Every sample, in order of registration. */
  samples(): Promise<readonly MetricSample[]> {
    return this.host.metricSamples();
  }
}
