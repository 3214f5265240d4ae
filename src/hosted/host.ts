/**
 * A cluster on another thread: same cluster, same trace hash, with every method as a promise and
 * watch events delivered in batches. Comlink carries the calls.
 */
import { Worker } from 'node:worker_threads';
import { proxy, releaseProxy, wrap, type Remote } from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { Observable, type Subscriber } from 'rxjs';
import type { Draft, Kind, KindMap } from '../api/objects/objects.js';
import type {
  DeleteOptions,
  ListOptions,
  Patch,
  ScalableKind,
  Selection,
  ObjectEvent,
} from '../apiserver/store/server-types.js';
import { ScriptError } from '../kubelet/scripts/script-error.js';
import { readScript } from '../kubelet/scripts/script-fields.js';
import type { ScriptInput } from '../kubelet/scripts/script-input.js';
import { HoldWarnings } from '../kernel/engine/hold-warnings.js';
import { Holds } from '../kernel/engine/holds.js';
import { drained } from '../kernel/engine/turn.js';
import { programFile } from '../kernel/program-file.js';
import type { PodExplanation, PodFocus } from '../scheduler/explain/explanation.js';
import { Cluster } from '../cluster/cluster.js';
import type { Applied, ApplyOptions } from '../cluster/apply.js';
import type { ClusterDeleteOptions } from '../cluster/delete-options.js';
import type { TimedWarning } from '../observers/warnings.js';
import type { DrainEvent } from '../cluster/drain/drain.js';
import type { DrainOptions } from '../cluster/drain/drain-options.js';
import type { Duration } from '../options/durations.js';
import type { ClusterStats } from '../observers/cluster-stats.js';
import { plainEndpoint } from './host-crossing.js';
import {
  errorOf,
  unwrap,
  type ClusterHost,
  type Failure,
  type HostedMethod,
  type HostedRunOptions,
  type HostedStream,
  type HostedTruth,
  type Outcome,
  type Present,
} from './host-protocol.js';
import { presentOf } from './present.js';
import { HostedMeasurement } from './hosted-measurement.js';
import type { MeasurementOptions } from '../cluster/measure.js';
import { addHostedController, type HostedController } from './hosted-controllers.js';
import { HostedFaults } from './hosted-faults.js';
import { HostedInvariants, HostedMachines, HostedMetrics } from './hosted-readings.js';
import { checkHold } from '../cluster/long-hold.js';
import { checkValue, isMapping, MAPPING, SIGNAL, type Check } from '../options/option-checks.js';
import type { ObjectRef } from '../options/object-ref.js';
import type { RunResult } from '../cluster/observed-run.js';
import type { ClusterOptions } from '../cluster/options.js';
import type { NodeDescription } from '../options/node-description.js';
import type { TimedEvent } from '../observers/timed-events.js';
import type { TimelineEntry, TimelineOptions, TimelineSelection } from '../observers/timeline.js';
import type { UnschedulableGroup } from '../observers/unschedulable.js';

const CLUSTER: Check = [
  'a cluster, a hosted one, or its present',
  (value) => value instanceof Cluster || value instanceof HostedCluster,
];

/** See the file header; methods are those of `Cluster`. */
export class HostedCluster {
  #subscriptions = 0;
  #registrations = 0;
  #measurements = 0;
  #held = 0;
  /** Puts the ends of several holds into the program's order. */
  readonly #holds = new Holds(new HoldWarnings(), () => undefined);
  #isClosed = false;
  readonly #open = new Set<Subscriber<never>>();
  /** See `Cluster.faults`. */
  readonly faults: HostedFaults;
  /** See `Cluster.invariants`. */
  readonly invariants: HostedInvariants;
  /** See `Cluster.machines`. */
  readonly machines: HostedMachines;
  /** See `Cluster.metrics`. */
  readonly metrics: HostedMetrics;

  /** @internal use {@link hostCluster} */
  constructor(
    private readonly thread: { terminate(): Promise<unknown> },
    private readonly host: Remote<ClusterHost>,
    /** The seed that reproduces this cluster. */
    readonly seed: string,
  ) {
    this.faults = new HostedFaults(host);
    this.invariants = new HostedInvariants(host, this.#stream({ of: 'violations$' }));
    this.machines = new HostedMachines(host, (selection) => this.#stream({ of: 'machines', selection }));
    this.metrics = new HostedMetrics(host);
  }

  addNodes(nodes: readonly NodeDescription[]): Promise<void> {
    return this.#call('addNodes', nodes);
  }

  apply(input: string | Draft | readonly Draft[], options?: ApplyOptions): Promise<readonly Applied[]> {
    return this.#call('apply', input, options);
  }

  create<K extends Kind>(kind: K, draft: Draft): Promise<KindMap[K]> {
    return this.#call('create', kind, draft);
  }

  get<K extends Kind>(kind: K, ref: ObjectRef): Promise<KindMap[K]> {
    return this.#call('get', kind, ref);
  }

  list<K extends Kind>(kind: K, options?: ListOptions): Promise<readonly KindMap[K][]> {
    return this.#call('list', kind, options);
  }

  patch<K extends Kind>(kind: K, ref: ObjectRef, body: unknown, type?: Patch['type']): Promise<KindMap[K]> {
    return this.#call('patch', kind, ref, body, type);
  }

  update<K extends Kind>(kind: K, draft: Draft): Promise<KindMap[K]> {
    return this.#call('update', kind, draft);
  }

  delete<K extends Kind>(kind: K, ref: ObjectRef, options?: ClusterDeleteOptions): Promise<KindMap[K]> {
    return this.#call('delete', kind, ref, options);
  }

  updateStatus<K extends Kind>(kind: K, draft: Draft): Promise<KindMap[K]> {
    return this.#call('updateStatus', kind, draft);
  }

  /** See `Cluster.evict`. */
  evict(pod: ObjectRef, deleteOptions?: DeleteOptions): Promise<void> {
    return this.#call('evict', pod, deleteOptions);
  }

  scale(kind: ScalableKind, ref: ObjectRef, replicas: number): Promise<void> {
    return this.#call('scale', kind, ref, replicas);
  }

  stats(): Promise<ClusterStats> {
    return this.#call('stats');
  }

  unschedulable(): Promise<readonly UnschedulableGroup[]> {
    return this.#call('unschedulable');
  }

  waited(): Promise<readonly UnschedulableGroup[]> {
    return this.#call('waited');
  }

  explain(pod: ObjectRef): Promise<PodExplanation | undefined> {
    return this.#call('explain', pod);
  }

  focusExplanations(focus: PodFocus): Promise<void> {
    return this.#call('focusExplanations', focus);
  }

  /**
   * See `Cluster.registerImage`; the script must be plain data here. The promise is of what takes it back.
   *
   * @throws ScriptError for a function, which cannot cross to the cluster's thread, and for a script that cannot be used
   */
  async registerImage(pattern: string, script: ScriptInput): Promise<() => Promise<void>> {
    const place = { path: 'behaviour', keys: [] };
    if (typeof script === 'function') {
      throw new ScriptError(
        place,
        "a script as plain data: functions cannot cross to a hosted cluster's thread",
        script,
      );
    }
    this.#registrations += 1;
    const id = this.#registrations;
    unwrap(await this.host.registerImage(id, pattern, readScript(script, place)));
    return async () => {
      if (!this.#isClosed) await this.host.takeImageBack(id);
    };
  }

  /** See `Cluster.truth`: what the nodes say at this moment. */
  truth(): Promise<HostedTruth> {
    return this.host.truth();
  }

  step(): Promise<boolean> {
    return this.#call('step');
  }

  pause(): Promise<void> {
    return this.#call('pause');
  }

  /**
   * See `Cluster.hold`. The clock stands still from when the request has arrived at the cluster's thread, which runs
   * ahead of what its subscribers here have heard, until all that follows from the promise here, as far as it does not
   * wait, has been asked for. Between two runs it is exact: the next run begins when nothing is held any more.
   *
   * @throws OptionError when it is no promise, or the label no text
   */
  hold<T>(work: PromiseLike<T>, label?: string): Promise<T> {
    checkHold(work, label);
    const promise = Promise.resolve(work);
    if (this.#isClosed) return promise;
    this.#held += 1;
    const id = this.#held;
    const begun = this.host.beginHold(id, label);
    const settled = this.#holds.hold(Promise.allSettled([promise, begun]), '').then(() => promise);
    void this.#endHold(id, settled);
    return settled;
  }

  /** Requests that follow from the promise arrive before the end of the hold: they take the same way. */
  async #endHold(id: number, settled: Promise<unknown>): Promise<void> {
    await settled.catch(() => undefined);
    await drained();
    if (!this.#isClosed) await this.host.endHold(id);
  }

  /** See `Cluster.ready`. */
  ready(limit?: Duration, signal?: AbortSignal): Promise<RunResult> {
    return this.#until(signal, () => this.#call('ready', signal?.aborted === true ? 0 : limit));
  }

  /** Runs until a goal given as data is met, a limit is met, nothing is left to do, or the signal is raised. */
  async run({ signal, ...options }: HostedRunOptions & { readonly signal?: AbortSignal } = {}): Promise<RunResult> {
    const limits = { ...options, ...(signal?.aborted === true ? { limit: 0 } : {}) };
    return this.#until(signal, async () => unwrap(await this.host.run(limits)));
  }

  /** A run that a signal ends. */
  async #until(signal: AbortSignal | undefined, run: () => Promise<RunResult>): Promise<RunResult> {
    if (signal !== undefined) checkValue('signal', signal, SIGNAL);
    const running = run();
    const end = (): void => void this.host.call('pause', []);
    signal?.addEventListener('abort', end);
    try {
      const result = await running;
      return signal?.aborted === true ? { ...result, end: 'aborted' } : result;
    } finally {
      signal?.removeEventListener('abort', end);
    }
  }

  /**
   * See `Cluster.measure`: measures what happens from now on, on the cluster's thread.
   *
   * @throws Error named `OptionError`
   */
  async measure(options: MeasurementOptions = {}): Promise<HostedMeasurement> {
    this.#measurements += 1;
    const id = this.#measurements;
    unwrap(await this.host.measure(id, options));
    return new HostedMeasurement(this.host, id);
  }

  /** Digest of every watch event so far. */
  traceHash(): Promise<string> {
    return this.host.traceHash();
  }

  /**
   * Starts a controller of your own on the cluster's thread; see `Cluster.addController`.
   *
   * @param module - a `file:` URL, or an absolute path, of a module with a default export that `defineController` has
   * returned, or that is a function of `settings` and returns such a definition
   * @param settings - plain data for that function
   * @example
   * ```ts
   * const labeller = await cluster.addController(new URL('../cluster/labeller.js', import.meta.url), { label: 'seen' });
   * ```
   * @throws Error named `OptionError` for a module that cannot be used, and as `Cluster.addController` does
   */
  addController(module: string | URL, settings?: unknown): Promise<HostedController> {
    return addHostedController(this.host, module, settings);
  }

  /** Watch events of a kind, current state first, in batches of up to 256 over the boundary. */
  watch<K extends Kind>(kind: K, selection: Selection = {}): Observable<ObjectEvent<K>> {
    return this.#stream({ of: 'watch', kind, selection });
  }

  /** See `Cluster.drain`. It begins when subscribed, and goes on while the cluster runs. */
  drain(node: string, options: DrainOptions = {}): Observable<DrainEvent> {
    return this.#stream({ of: 'drain', node, options });
  }

  /** See `Cluster.timeline`. */
  timeline(pods: TimelineSelection = {}, options: TimelineOptions = {}): Observable<TimelineEntry> {
    return this.#stream({ of: 'timeline', pods, options });
  }

  /** See `Cluster.events$`. */
  get events$(): Observable<TimedEvent> {
    return this.#stream({ of: 'events$' });
  }

  /** See `Cluster.warnings$`. */
  get warnings$(): Observable<TimedWarning> {
    return this.#stream({ of: 'warnings$' });
  }

  /** See `Cluster.stats$`. */
  get stats$(): Observable<ClusterStats> {
    return this.#stream({ of: 'stats$' });
  }

  /** Writes the present down for {@link hostFork}: it is the same on any thread. Between two runs. */
  async present(): Promise<Present> {
    return unwrap(await this.host.present());
  }

  /** Ends the cluster and its thread, and completes its streams. Calling it twice is harmless. */
  async dispose(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.host.close();
    this.host[releaseProxy]();
    await this.thread.terminate();
    for (const subscriber of this.#open) subscriber.complete();
  }

  async #call<T>(method: HostedMethod, ...args: readonly unknown[]): Promise<T> {
    return unwrap((await this.host.call(method, args)) as Outcome<T>);
  }

  #stream<T>(stream: HostedStream): Observable<T> {
    return new Observable((subscriber) => {
      if (this.#isClosed) {
        subscriber.complete();
        return undefined;
      }
      this.#subscriptions += 1;
      const id = this.#subscriptions;
      const fail = (error: unknown): void => subscriber.error(error);
      const observer = proxy({
        next(batch: readonly unknown[]): Promise<void> {
          for (const item of batch) subscriber.next(item as T);
          return Promise.resolve();
        },
        end(failure?: Failure) {
          if (failure === undefined) subscriber.complete();
          else fail(errorOf(failure));
        },
      });
      this.#open.add(subscriber);
      this.host.subscribe(id, stream, observer).then(unwrap).catch(fail);
      return () => {
        this.#open.delete(subscriber);
        if (!this.#isClosed) void this.host.unsubscribe(id);
      };
    });
  }
}

/**
 * Builds a cluster on a thread of its own.
 *
 * @param signal - gives up while the cluster is built: no thread is left then
 * @throws Error named `OptionError` for options that `createCluster` refuses; `latency` must be a number here; the
 * signal's reason
 */
export async function hostCluster(options: ClusterOptions = {}, signal?: AbortSignal): Promise<HostedCluster> {
  checkAbort(signal);
  return opened(options, undefined, signal);
}

/** @throws OptionError for what is no signal; the reason of one that is raised already */
function checkAbort(signal: AbortSignal | undefined): void {
  if (signal !== undefined) checkValue('signal', signal, SIGNAL);
  signal?.throwIfAborted();
}

/**
 * A future of a cluster on a thread of its own: goes on from the present of the other one as `Cluster.fork` does, to
 * the same trace hash. Between two runs of that cluster.
 *
 * @param origin - a cluster, or its {@link takePresent | present}, which many futures share
 * @param options - in place of the cluster's own; those must be plain data
 * @param signal - gives up while the future is built: no thread is left then
 * @example
 * ```ts
 * const present = await takePresent(cluster);
 * for (const seed of seeds) {
 *   const future = await hostFork(present, { seed, schedulerConfig });
 *   await future.run({ limit: '1h' });
 *   await future.dispose();
 * }
 * ```
 * @throws Error named `OptionError` for options that `createCluster` refuses; the signal's reason
 */
export async function hostFork(
  origin: Cluster | HostedCluster | Present,
  options: ClusterOptions = {},
  signal?: AbortSignal,
): Promise<HostedCluster> {
  checkValue('options', options, MAPPING);
  checkAbort(signal);
  const present = isPresent(origin) ? origin : await takePresent(origin);
  return opened({ ...present.options, ...options }, present.bytes, signal);
}

/** Writes the present of a cluster down for {@link hostFork}. Between two runs. */
export async function takePresent(cluster: Cluster | HostedCluster): Promise<Present> {
  checkValue('cluster', cluster, CLUSTER);
  return cluster instanceof HostedCluster ? cluster.present() : presentOf(cluster);
}

async function opened(
  options: ClusterOptions,
  present?: SharedArrayBuffer,
  signal?: AbortSignal,
): Promise<HostedCluster> {
  signal?.throwIfAborted();
  const worker = new Worker(programFile('workers/host-cluster.js'));
  const host = wrap<ClusterHost>(plainEndpoint(nodeEndpoint(worker)));
  try {
    return new HostedCluster(
      worker,
      host,
      unwrap(await orAborted<Outcome<string>>(host.open(options, present), signal)),
    );
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

function isPresent(origin: object): origin is Present {
  return isMapping(origin) && origin['bytes'] instanceof SharedArrayBuffer && isMapping(origin['options']);
}

/** What is awaited, or the signal's reason as soon as it is raised. */
async function orAborted<T>(awaited: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return awaited;
  const raised = Promise.withResolvers<never>();
  const reject = (): void => raised.reject(signal.reason);
  signal.addEventListener('abort', reject);
  try {
    return await Promise.race([awaited, raised.promise]);
  } finally {
    signal.removeEventListener('abort', reject);
  }
}
