/** Thread entry: hosts one cluster and exposes it over Comlink. */
import { parentPort } from 'node:worker_threads';
import { expose } from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import type { Observable, Subscription } from 'rxjs';
import { deliverInBatches } from '../src/hosted/host-delivery.js';
import { createCluster, type Cluster } from '../src/cluster/cluster.js';
import {
  failureOf,
  outcomeOf,
  type ClusterHost,
  type HostedObserver,
  type HostedStream,
  type Outcome,
} from '../src/hosted/host-protocol.js';
import type { Measurement } from '../src/cluster/measure.js';
import type { AddedController } from '../src/assembly/cluster-controllers.js';
import { contentOf, presentOf } from '../src/hosted/present.js';
import { addFromModule } from '../src/hosted/hosted-controllers.js';
import { assert } from '../src/kernel/assert.js';

let cluster: Cluster | undefined;
const subscriptions = new Map<number, Subscription>();
const holds = new Map<number, () => void>();
const registrations = new Map<number, () => void>();
const measurements = new Map<number, Measurement>();
/** By name. */
const controllers = new Map<string, AddedController>();

function opened(): Cluster {
  assert(cluster !== undefined, 'the hosted cluster is not open');
  return cluster;
}

function forward(id: number, stream: HostedStream, observer: HostedObserver): void {
  const subscription = deliverInBatches(opened(), {
    source$: streamOf(stream),
    label: `a slow subscriber of ${labelOf(stream)}`,
    deliver: (batch) => observer.next(batch),
    end(error) {
      subscriptions.delete(id);
      observer.end(error === undefined ? undefined : failureOf(error));
    },
  });
  if (!subscription.closed) subscriptions.set(id, subscription);
}

function labelOf(stream: HostedStream): string {
  switch (stream.of) {
    case 'watch':
      return `watch('${stream.kind}')`;
    case 'drain':
      return `drain('${stream.node}')`;
    case 'timeline':
      return 'timeline()';
    case 'machines':
      return 'machines.watch()';
    default:
      return stream.of;
  }
}

function streamOf(stream: HostedStream): Observable<unknown> {
  const target = opened();
  switch (stream.of) {
    case 'watch':
      return target.watch(stream.kind, stream.selection);
    case 'timeline':
      return target.timeline(stream.pods, stream.options);
    case 'machines':
      return target.machines.watch(stream.selection);
    case 'drain':
      return target.drain(stream.node, stream.options);
    case 'violations$':
      return target.invariants.violations$;
    default:
      return target[stream.of];
  }
}

/** Does something at once, and turns what it throws into data. */
function outcomeNow<T>(work: () => T): Outcome<T> {
  try {
    return { value: work() };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

const host: ClusterHost = {
  open(options, present) {
    return outcomeNow(() => {
      cluster = createCluster(present === undefined ? options : { ...options, from: contentOf(present) });
      return cluster.seed;
    });
  },
  present: () => outcomeNow(() => presentOf(opened())),
  call(method, args) {
    const target = opened();
    const call = target[method] as (...args: readonly unknown[]) => unknown;
    return outcomeOf(() => call.apply(target, [...args]));
  },
  run: (options) => outcomeOf(() => opened().run(options)),
  traceHash: () => opened().traceHash,
  subscribe: (id, stream, observer) => outcomeNow(() => forward(id, stream, observer)),
  unsubscribe(id) {
    subscriptions.get(id)?.unsubscribe();
    subscriptions.delete(id);
  },
  registerImage(id, pattern, script) {
    return outcomeNow(() => void registrations.set(id, opened().registerImage(pattern, script)));
  },
  takeImageBack(id) {
    registrations.get(id)?.();
    registrations.delete(id);
  },
  injectFault(fault) {
    return outcomeNow(() => opened().faults.inject(fault).id);
  },
  healFault: (id) => opened().faults.heal(id),
  healFaults: () => opened().faults.healAll(),
  beginHold(id, label) {
    const { promise, resolve } = Promise.withResolvers<void>();
    holds.set(id, resolve);
    void opened().hold(promise, label);
  },
  endHold(id) {
    holds.get(id)?.();
    holds.delete(id);
  },
  truth() {
    const { truth } = opened();
    return { processes: truth.processes(), unconfirmed: truth.unconfirmed(), counts: truth.counts };
  },
  machines: (selection) => outcomeNow(() => opened().machines.states(selection)),
  addController: (module, settings) =>
    outcomeOf(async () => {
      const added = await addFromModule(opened(), module, settings);
      controllers.set(added.name, added);
      return added.name;
    }),
  commandController: (name, command) => outcomeNow(() => controllers.get(name)?.[command]()),
  isControllerRunning: (name) => controllers.get(name)?.isRunning === true,
  violations(of) {
    const { invariants } = opened();
    if (of === 'at-rest') return invariants.checkAtRest();
    return of === 'faults' ? invariants.faults : invariants.violations;
  },
  measure: (id, options) => outcomeNow(() => void measurements.set(id, opened().measure(options))),
  measured: (id, method, args) =>
    outcomeNow(() => {
      const measurement = measurements.get(id);
      assert(measurement !== undefined, 'the measurement has begun');
      if (method === 'totals' || method === 'metrics' || method === 'isAborted') return measurement[method];
      const call = measurement[method] as (...given: readonly unknown[]) => unknown;
      return call.apply(measurement, [...args]);
    }),
  metricsText: () => opened().metrics.text(),
  metricSamples: () => opened().metrics.samples(),
  async close() {
    await cluster?.dispose();
  },
};

assert(parentPort !== null, 'host-cluster runs on a worker thread only');
expose(host, nodeEndpoint(parentPort));
