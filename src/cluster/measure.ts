/** Begins the measurement of a cluster, as its face offers it. */
import type { Observable } from 'rxjs';
import { Measurement, type MeasurementOptions } from '../measurements/measurement.js';
import { groupUnschedulable } from '../observers/unschedulable.js';
import { refuseUnknown } from '../options/option-error.js';
import type { ClusterParts } from './cluster-parts.js';
import type { RunEnds } from './observed-run.js';

export type { Measurement, MeasurementOptions } from '../measurements/measurement.js';

/** @param closed$ - ends it */
export function startMeasurement(
  { kernel, server, bus, machineWatch, faults, scheduler, controllers, truth, invariants }: ClusterParts,
  closed$: Observable<void>,
  ends: RunEnds,
  options: MeasurementOptions,
): Measurement {
  refuseUnknown('', options, ['thresholds']);
  const parts = {
    clock: kernel.clock,
    bus,
    machineWatch,
    faults,
    scheduler,
    controllers,
    truth,
    invariants,
    unschedulable: () => groupUnschedulable(server.list('Pod').items),
    abort: () => ends.pause(),
  };
  const measurement = new Measurement(parts, options);
  measurement.atStop(ends.follow(measurement));
  closed$.subscribe(() => measurement.stop());
  return measurement;
}
