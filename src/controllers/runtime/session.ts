import { ApiError } from '../../api/errors/api-error.js';
import type { Kind } from '../../api/objects/objects.js';
import {
  LinkDownError,
  type Connection,
  type Indexers,
  type Informer,
  type InformerHandler,
  type PromisedClient,
  type SendingClient,
} from '../../bus/bus-types.js';
import { clientLimit } from '../../bus/client-limits.js';
import type { Clock } from '../../kernel/engine/clock.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import { StrandClock } from '../../kernel/engine/strand-clock.js';
import type { Strand, Strands } from '../../kernel/engine/strands.js';
import type { RateLimit } from '../../kernel/token-bucket.js';
import type { Troubles } from '../../kernel/troubles.js';
import type { MachineWatch } from '../../machines/trail.js';
import type { Metrics } from '../../metrics/metrics.js';
import { managerLimit, type ControllerSettings } from './controller-settings.js';
import type { ControllerContext, ControllerDefinition } from './controller-definition.js';
import type { MapOrder } from './map-order.js';
import type { MetricApis } from './metric-apis.js';
import { RetryError } from './retry-error.js';
import { SessionClient } from './session-client.js';
import { WorkQueue } from './work-queue.js';

const DEFAULT_CONCURRENT_SYNCS = 5;

/** Whether an error is one of the world outside, to be tried again, and not a bug. */
function isOperational(error: unknown): boolean {
  return error instanceof ApiError || error instanceof LinkDownError || error instanceof RetryError;
}

/** Whether the API refused because the namespace is going away: trying again is of no use. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    error instanceof ApiError && error.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true
  );
}

/** Lets a bug surface from the running loop. */
export function endRun(clock: Clock, error: unknown): void {
  const failure = Promise.reject(error instanceof Error ? error : new Error(String(error)));
  failure.catch(() => undefined);
  clock.hold(failure);
}

/** Each controller has a client of its own, which writes its events as well. */
function limitOf(definition: ControllerDefinition, settings: ControllerSettings): RateLimit | undefined {
  if (definition.clientLimit === undefined) return managerLimit(settings);
  const { qps, burst } = definition.clientLimit(settings);
  return clientLimit(qps, burst);
}

/** What all controllers of a manager are given. */
export interface ControllerMeans {
  readonly kernel: Kernel;
  readonly connection: Connection;
  readonly metrics: Metrics;
  readonly settings: ControllerSettings;
  readonly storage: Troubles<string>;
  readonly metricApis: MetricApis;
  /** Whether reconciles are strands: the clock stands still while one awaits real time. @defaultValue false */
  readonly holdsClock?: boolean;
  readonly mapOrder?: MapOrder | undefined;
  /** Told of the steps of the controllers' machines. */
  readonly machineWatch: MachineWatch;
}

/** What a session reports its work to. */
export interface SessionWatcher {
  /** A reconcile is under way, and none was. */
  busy(): void;
  /** No reconcile is under way any more, or whether keys wait after failures has changed. */
  rested(): void;
  /** Told right after each write was sent. */
  wrote(): void;
  readonly isWatchingReconciles: boolean;
  /** Told before each reconcile, if it watches them. */
  began(): void;
}

/** One run of a controller, from its start to its stop: its queue, its workers and its memory. */
export class Session implements ControllerContext {
  readonly name: string;
  readonly kernel: Kernel;
  readonly client: SessionClient;
  readonly api: ControllerContext['api'];
  readonly queue: WorkQueue;
  readonly recorder: ControllerContext['recorder'];
  readonly metrics: Metrics;
  readonly settings: ControllerSettings;
  readonly storage: Troubles<string>;
  readonly metricApis: MetricApis;
  readonly mapOrder: MapOrder | undefined;
  readonly #definition: ControllerDefinition;
  readonly #connection: Connection;
  readonly #informers = new Set<{ whenSynced(task: () => void): void }>();
  readonly #removals: (() => void)[] = [];
  readonly #limit: number;
  readonly #sending: RateLimit | undefined;
  readonly #clients: SessionClient[] = [];
  readonly #watcher: SessionWatcher;
  readonly #clock: Clock;
  readonly #state: unknown;
  readonly #strands: Strands | undefined;
  /** Those under way. */
  readonly #reconciles = new Set<Strand>();
  #busy = 0;
  /** As the watcher was told. */
  #isKnownToBackOff = false;
  #isSetUp = false;
  #isWorking = false;
  #isPumpDue = false;
  #isClosed = false;

  constructor(
    definition: ControllerDefinition,
    { kernel, connection, metrics, settings, storage, metricApis, mapOrder, holdsClock = false }: ControllerMeans,
    watcher: SessionWatcher,
  ) {
    this.name = definition.name;
    this.#clock = kernel.clock;
    this.#strands = holdsClock ? kernel.clock.strands : undefined;
    this.kernel = holdsClock ? { ...kernel, clock: new StrandClock(kernel.clock) } : kernel;
    this.#watcher = watcher;
    this.#connection = connection;
    this.#sending = limitOf(definition, settings);
    const client = connection.openClient(this.#sending);
    this.client = this.#guarded(client);
    this.api = this.client.promised;
    this.queue = new WorkQueue(kernel.clock, () => this.#pumpSoon(), definition.retryDelays);
    this.recorder = connection.recorder(definition.component ?? definition.name, undefined, {
      kernel,
      client: client.inTurn,
      limit: definition.eventLimit,
    });
    this.metrics = metrics;
    this.settings = settings;
    this.storage = storage;
    this.metricApis = metricApis;
    this.mapOrder = mapOrder;
    this.#definition = definition;
    this.#limit = definition.concurrentSyncs ?? DEFAULT_CONCURRENT_SYNCS;
    this.#state = definition.setup(this);
    this.#isSetUp = true;
  }

  informer<K extends Kind>(kind: K, indexers?: Indexers<K>): Informer<K> {
    const informer = this.#connection.informers.informer(kind, indexers);
    this.#informers.add(informer);
    this.#startLate();
    return informer;
  }

  watch<K extends Kind>(kind: K, handler: InformerHandler<K>, indexers?: Indexers<K>): Informer<K> {
    const informer = this.informer(kind, indexers);
    this.#removals.push(informer.addHandler(handler));
    return informer;
  }

  openClient(): PromisedClient {
    const client = this.#guarded(this.#connection.openClient(this.#sending));
    if (this.#isClosed) client.close();
    return client.promised;
  }

  /** A client that dies with the session. */
  #guarded(client: SendingClient): SessionClient {
    const guarded = new SessionClient(client, this.#clock, () => this.#watcher.wrote(), this.#strands);
    this.#clients.push(guarded);
    return guarded;
  }

  /** What is asked for once the controller runs, of a kind that has come up since, begins at once. */
  #startLate(): void {
    if (this.#isSetUp && !this.#isClosed) this.#connection.informers.start();
  }

  timestamp(): string {
    return this.kernel.timestamps.toTime(this.#clock.now());
  }

  /** Runs `task` once every informer that `setup` asked for has its first list. */
  whenSynced(task: () => void): void {
    let missing = this.#informers.size;
    if (missing === 0) task();
    for (const informer of this.#informers) {
      informer.whenSynced(() => {
        missing -= 1;
        if (missing === 0 && !this.#isClosed) task();
      });
    }
  }

  /** Lets the workers begin. */
  work(): void {
    this.#isWorking = true;
    this.#pumpSoon();
  }

  /** Takes up no more work; the watcher is told once nothing is under way. */
  drain(): void {
    this.queue.shutDown();
  }

  /** Whether a reconcile is under way. */
  get isBusy(): boolean {
    return this.#busy > 0;
  }

  /** Whether keys wait because their reconciles failed. */
  get isBackingOff(): boolean {
    return this.queue.hasFailures;
  }

  /** Ends the run as a crash does. */
  close(): void {
    this.#isClosed = true;
    for (const remove of this.#removals) remove();
    for (const client of this.#clients) client.close();
    this.recorder.forget();
    this.queue.shutDown();
    for (const reconcile of this.#reconciles) reconcile.end();
    this.#reconciles.clear();
  }

  /** A watcher of single reconciles gets them one by one. */
  get #limitNow(): number {
    return this.#watcher.isWatchingReconciles ? 1 : this.#limit;
  }

  #pumpSoon(): void {
    if (this.#isPumpDue || !this.#isWorking || this.#busy >= this.#limitNow) return;
    this.#isPumpDue = true;
    this.#clock.schedule(0, this.#pump);
  }

  readonly #pump = (): void => {
    this.#isPumpDue = false;
    // A key that its own reconcile adds waits for the next tick: one that does so for ever must not keep this one.
    for (let left = this.queue.length; left > 0; left -= 1) {
      if (this.#isClosed || this.#busy >= this.#limitNow) return;
      const key = this.queue.take();
      if (key === undefined) return;
      if (this.#strands === undefined) this.#run(key);
      else this.#runStrand(key, this.#strands);
    }
    if (this.queue.length > 0) this.#pumpSoon();
    if (this.#busy === 0 && this.isBackingOff !== this.#isKnownToBackOff) this.#rested();
  };

  /** In its turn; until then it counts as one that is under way. */
  #runStrand(key: string, strands: Strands): void {
    const strand = strands.open(`reconcile of ${this.name}`, key);
    this.#reconciles.add(strand);
    this.#begun();
    strand.goOn(() => {
      if (this.#isClosed) return;
      let work: Promise<void> | void;
      try {
        work = this.#reconcile(key);
      } catch (error) {
        return this.#settled(key, error, strand);
      }
      if (work === undefined) return this.#settled(key, undefined, strand);
      this.#await(key, work, strand);
    });
  }

  #run(key: string): void {
    let work: Promise<void> | void;
    try {
      work = this.#reconcile(key);
    } catch (error) {
      this.#failed(key, error);
      this.queue.done(key);
      return;
    }
    if (work === undefined) {
      this.queue.forget(key);
      this.queue.done(key);
      return;
    }
    this.#begun();
    this.#await(key, work);
  }

  #begun(): void {
    this.#busy += 1;
    if (this.#busy === 1) this.#watcher.busy();
  }

  #rested(): void {
    this.#isKnownToBackOff = this.isBackingOff;
    this.#watcher.rested();
  }

  #reconcile(key: string): Promise<void> | void {
    if (this.#watcher.isWatchingReconciles) this.#watcher.began();
    return this.#definition.reconcile(this, key, this.#state);
  }

  #await(key: string, work: Promise<void>, strand?: Strand): void {
    this.#clock.settle();
    work.then(
      () => this.#settled(key, undefined, strand),
      (error: unknown) => this.#settled(key, error, strand),
    );
  }

  #settled(key: string, error?: unknown, strand?: Strand): void {
    if (this.#isClosed) return;
    if (strand !== undefined) {
      strand.end();
      this.#reconciles.delete(strand);
    }
    this.#busy -= 1;
    if (error === undefined) this.queue.forget(key);
    else this.#failed(key, error);
    this.queue.done(key);
    if (this.queue.length > 0) this.#pumpSoon();
    if (this.#busy === 0) this.#rested();
  }

  #failed(key: string, error: unknown): void {
    if (!isOperational(error)) {
      endRun(this.#clock, error);
      return;
    }
    const { maxRetries = Number.POSITIVE_INFINITY } = this.#definition;
    if (isNamespaceTerminating(error) || this.queue.retries(key) >= maxRetries) this.queue.forget(key);
    else this.queue.addRateLimited(key);
  }
}
