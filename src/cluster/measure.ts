/** Begins the measurement of a cluster, as its face offers it. */
import type { Observable } from 'rxjs';
import { Measurement } from '../measurements/measurement.js';
import { groupUnschedulable } from '../observers/unschedulable.js';
import type { ClusterParts } from './cluster-parts.js';

export type { Measurement } from '../measurements/measurement.js';

/** @param closed$ - ends it */
export function startMeasurement(
  { kernel, server, bus, machineWatch, faults, scheduler, controllers, truth, invariants }: ClusterParts,
  closed$: Observable<void>,
): Measurement {
  const measurement = new Measurement({
    clock: kernel.clock,
    bus,
    machineWatch,
    faults,
    scheduler,
    controllers,
    truth,
    invariants,
    unschedulable: () => groupUnschedulable(server.list('Pod').items),
  });
  closed$.subscribe(() => measurement.stop());
  return measurement;
}
