/** Thread entry: hosts one cluster and exposes it over Comlink. */
import { parentPort } from 'node:worker_threads';
import { expose } from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import type { Observable, Subscription } from 'rxjs';
import { createCluster, type Cluster } from '../src/cluster/cluster.js';
import { failureOf, outcomeOf, type ClusterHost, type Outcome } from '../src/cluster/host-protocol.js';
import { assert } from '../src/kernel/assert.js';

/** Items per message at most: a single proxied call costs about as much as a thousand items. */
const BATCH = 1024;

let cluster: Cluster | undefined;
const subscriptions = new Map<number, Subscription>();
const registrations = new Map<number, () => void>();

function opened(): Cluster {
  assert(cluster !== undefined, 'the hosted cluster is not open');
  return cluster;
}

/** Sends what a stream emits: a full batch at once, the rest when this thread's turn ends. */
function forward<T>(id: number, source$: Observable<T>, deliver: (batch: readonly T[]) => void): Outcome<void> {
  let batch: T[] = [];
  const flush = (): void => {
    if (batch.length === 0) return;
    deliver(batch);
    batch = [];
  };
  try {
    const subscription = source$.subscribe((item) => {
      if (batch.length === 0) setImmediate(flush);
      batch.push(item);
      if (batch.length >= BATCH) flush();
    });
    subscriptions.set(id, subscription);
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
  watch: (id, kind, selection, deliver) => forward(id, opened().watch(kind, selection), deliver),
  watchStats: (id, deliver) => forward(id, opened().stats$, deliver),
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
