/** Thread entry: hosts one cluster and exposes it over Comlink. */
import { parentPort } from 'node:worker_threads';
import { expose } from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import type { Subscription } from 'rxjs';
import { deliverInBatches, type Delivery } from '../src/cluster/host-delivery.js';
import { createCluster, type Cluster } from '../src/cluster/cluster.js';
import { failureOf, outcomeOf, type ClusterHost, type Outcome } from '../src/cluster/host-protocol.js';
import { assert } from '../src/kernel/assert.js';

let cluster: Cluster | undefined;
const subscriptions = new Map<number, Subscription>();
const holds = new Map<number, () => void>();
const registrations = new Map<number, () => void>();

function opened(): Cluster {
  assert(cluster !== undefined, 'the hosted cluster is not open');
  return cluster;
}

function forward<T>(id: number, delivery: Delivery<T>): Outcome<void> {
  try {
    subscriptions.set(id, deliverInBatches(opened(), delivery));
    return { value: undefined };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

const host: ClusterHost = {
  open(options) {
    try {
      cluster = createCluster(options);
      return { value: cluster.seed };
    } catch (error) {
      return { failure: failureOf(error) };
    }
  },
  call(method, args) {
    const target = opened();
    const call = target[method] as (...args: readonly unknown[]) => unknown;
    return outcomeOf(() => call.apply(target, [...args]));
  },
  run: (options) => outcomeOf(() => opened().run(options)),
  traceHash: () => opened().traceHash,
  watch: (id, kind, selection, deliver) =>
    forward(id, { source$: opened().watch(kind, selection), deliver, label: `a slow subscriber of watch('${kind}')` }),
  watchStats: (id, deliver) => forward(id, { source$: opened().stats$, deliver, label: 'a slow subscriber of stats$' }),
  unsubscribe(id) {
    subscriptions.get(id)?.unsubscribe();
    subscriptions.delete(id);
  },
  registerImage(id, pattern, script) {
    try {
      registrations.set(id, opened().registerImage(pattern, script));
      return { value: undefined };
    } catch (error) {
      return { failure: failureOf(error) };
    }
  },
  takeImageBack(id) {
    registrations.get(id)?.();
    registrations.delete(id);
  },
  injectFault(fault) {
    try {
      return { value: opened().faults.inject(fault).id };
    } catch (error) {
      return { failure: failureOf(error) };
    }
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
  async close() {
    await cluster?.dispose();
  },
};

assert(parentPort !== null, 'host-cluster runs on a worker thread only');
expose(host, nodeEndpoint(parentPort));
