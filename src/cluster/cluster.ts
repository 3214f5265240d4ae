/**
 * The composition root: builds one cluster out of the rooms of the house and offers it to the user.
 * It owns the wiring and nothing else: API server, bus, scheduler, controllers and kubelets meet in
 * the API server and over links, and this file is the only one that knows all of them.
 */
import { ReplaySubject, takeUntil, type Observable, type SchedulerLike } from 'rxjs';
import { clusterAdmission, type ClusterAdmission } from './admission-hooks.js';
import { isCustomKind } from '../api/custom/custom-kind.js';
import type { Draft, Kind, KindMap, Pod } from '../api/objects/objects.js';
import type {
  ApiServer,
  DeleteOptions,
  ListOptions,
  Patch,
  ScalableKind,
  Selection,
  ObjectEvent,
} from '../apiserver/store/server-types.js';
import type { CustomMetric, ExternalMetric } from '../controls/cluster-metrics.js';
import { createRxScheduler } from '../bus/rx/rx-scheduler.js';
import { CONTROLLER_NAMES, type ControllerDefinition } from '../controllers/controller-manager.js';
import type { FaultInjector } from '../faults/fault-injector.js';
import type { Kernel } from '../kernel/engine/kernel.js';
import { StrandClock } from '../kernel/engine/strand-clock.js';
import type { Metrics } from '../metrics/metrics.js';
import type { ImageBehaviour } from '../kubelet/scripts/image-scripts.js';
import type { ScriptInput } from '../kubelet/scripts/script-input.js';
import { endsByItself } from '../kubelet/scripts/script-source.js';
import { readLogs, runCommand, type ExecOptions, type ExecResult, type LogsOptions } from './containers.js';
import { createNodeStreams } from './node-streams.js';
import { tokenIssuer } from './pod-tokens.js';
import { createRequests, type Requests } from '../requests/requests.js';
import type { PodExplanation, PodFocus } from '../scheduler/explain/explanation.js';
import type { Listening } from '../server/listen.js';
import type { RecordedRequest, RequestReplay } from '../server/recording.js';
import type { ListenOptions } from '../server/listen-options.js';
import { startArrivals, type Arrivals, type TimedDraft } from '../workload/arrivals.js';
import { answerOnceAdmitted, answerTo, type ClusterAnswer, type ClusterRequest } from './api-call.js';
import { applyAll, type Applied, type ApplyOptions } from './apply.js';
import { runByClock } from './clock-run.js';
import type { ClockSpec } from '../api/objects/own-objects.js';
import type { AddedController } from '../assembly/cluster-controllers.js';
import { countedStats, statsStream, type ClusterStats } from '../observers/cluster-stats.js';
import { deletionRequest, deletionWarnings, type ClusterDeleteOptions } from './delete-options.js';
import type { DrainEvent } from './drain/drain.js';
import { resolveDrainOptions, type DrainOptions } from './drain/drain-options.js';
import { drainStream } from './drain/drain-stream.js';
import type { Duration } from '../options/durations.js';
import { DisposedError } from './disposed-error.js';
import { addNodes, createParts, disposeParts, startParts, type ClusterParts } from './cluster-parts.js';
import { exportParts } from './export-parts.js';
import { freezeInput, freezeObject } from '../options/freeze-input.js';
import { handOver } from '../observers/hand-over.js';
import { checkHold, holdListener } from './long-hold.js';
import type { InvariantMonitor } from '../observers/invariants/invariant-monitor.js';
import type { NodeTruth } from '../observers/node-truth.js';
import { resolveRef, type ObjectRef } from '../options/object-ref.js';
import { checkValue, MAPPINGS, POD, TEXT } from '../options/option-checks.js';
import { programStream } from '../observers/program-stream.js';
import {
  deleteOptions as checkedDeletion,
  listOptions,
  podOptions,
  selectionOptions,
  timelineOptions,
} from './request-options.js';
import { observedRun, RunEnds, type RunOptions, type RunResult } from './observed-run.js';
import { goalTest } from '../options/run-goal.js';
import { speedOf } from '../options/clock-options.js';
import { checkReadable, OptionError } from '../options/option-error.js';
import { Machines } from './machines.js';
import type { ClusterExport } from '../transfer/saved-state.js';
import { startMeasurement, type Measurement, type MeasurementOptions } from './measure.js';
import { servedParts } from './served-parts.js';
import { ServiceLoad } from './service-load.js';
import { resolveOptions, type ClusterOptions, type ResolvedOptions } from './options.js';
import type { NodeDescription } from '../options/node-description.js';
import type { PodCounts } from '../observers/pod-census.js';
import { connectUser, type UserConnection } from './user-connection.js';
import { Warnings, type TimedWarning } from '../observers/warnings.js';
import { timedEvents, type TimedEvent } from '../observers/timed-events.js';
import { timeline, type TimelineEntry, type TimelineOptions, type TimelineSelection } from '../observers/timeline.js';
import { groupUnschedulable, type UnschedulableGroup } from '../observers/unschedulable.js';

/** Kubernetes writes times in four digits of years, and refuses later ones. */
const LAST_TIME = '9999-12-31T23:59:59Z';

/**
 * A Kubernetes control plane inside this program.
 *
 * @example
 * ```ts
 * const cluster = createCluster({ nodes: 100, seed: 7 });
 * await cluster.ready();
 * cluster.apply(deploymentYaml);
 * await cluster.run({ until: () => cluster.stats().pods.ready === 500, limit: '5m' });
 * await cluster.dispose();
 * ```
 */
export class Cluster {
  readonly #options: ResolvedOptions;
  /** As they were given. */
  readonly #given: ClusterOptions;
  readonly #parts: ClusterParts;
  readonly #kernel: Kernel;
  readonly #server: ApiServer;
  /** Counters and histograms under Kubernetes' names, in Prometheus' model. */
  readonly metrics: Metrics;
  /** What goes wrong: links, machines and controllers, from outside. */
  readonly faults: FaultInjector;
  /** What runs where by the nodes' own account, and what should not. */
  readonly truth: NodeTruth;
  /** Promises that were not kept, as far as the option `invariants` has them checked. */
  readonly invariants: InvariantMonitor;
  /** The state machines of pods, nodes and controllers: how they stand, and how they came there. */
  readonly machines: Machines;
  /** Functions in the place of webhooks. */
  readonly admission: ClusterAdmission;
  readonly #warnings = new Warnings(() => this.nowMs);
  readonly #closed$ = new ReplaySubject<void>();
  readonly #requests: Requests;
  readonly #listening: Listening[] = [];
  readonly #ends = new RunEnds();
  #isDisposed = false;

  /** @internal use {@link createCluster} */
  constructor(options: ResolvedOptions, given: ClusterOptions) {
    const parts = createParts(options, this.#warnings.ofServer);
    this.#options = options;
    this.#given = given;
    this.#parts = parts;
    this.#kernel = parts.kernel;
    this.#server = parts.server;
    const { kernel, server, metrics, fleet, controllers, machineWatch } = parts;
    const { clock } = kernel;
    const shown = parts.controls.requestOptions(() => clock.lagMs);
    this.#requests = createRequests({ kernel, server, metrics, ...shown });
    fleet.view.issueToken = tokenIssuer(server, (wish) => this.#requests.issueToken(wish));
    this.metrics = parts.metrics;
    this.faults = parts.faults;
    this.admission = clusterAdmission(parts.hooks);
    this.truth = parts.truth;
    this.invariants = parts.invariants;
    this.machines = new Machines({
      clock,
      machineWatch,
      trails: () => [...fleet.trails(), ...controllers.trails()],
      stream: (source$) => this.#stream(source$),
    });
    clock.listenToHolds(holdListener(options.holdWarningMs, clock, this.#warnings));
    startParts(parts, options);
    this.addNodes(options.nodeDescriptions);
  }

  /** The seed that reproduces this cluster. */
  get seed(): string {
    return this.#options.seed;
  }

  /** Simulated time for RxJS operators: `delay(100, cluster.scheduler)`. */
  get scheduler(): SchedulerLike {
    return createRxScheduler(new StrandClock(this.#kernel.clock));
  }

  /** Simulated time, milliseconds since the start of the cluster. */
  get nowMs(): number {
    return this.#kernel.clock.now();
  }

  /** Simulated time 0 in milliseconds since 1970. */
  get epochMs(): number {
    return -this.#kernel.timestamps.toMs('1970-01-01T00:00:00Z');
  }

  /** Digest of every watch event so far: equal for equal seeds, options and versions. */
  get traceHash(): string {
    return this.#kernel.trace.digest();
  }

  /** Entries of the clock that have run so far: how far a run has come, whatever time it is. */
  get ticks(): number {
    return this.#kernel.clock.ticks;
  }

  /** The store's newest version; rises with every write. */
  get version(): number {
    return this.#server.version;
  }

  /**
   * Starts a controller of your own, on the runtime of the built-in ones: informers, a work queue, back-off,
   * events. It is a process of its own, as an operator is, with a link of its own named `operator/NAME`.
   *
   * @returns its handle: `stop` asks it to end, `crash` ends it at once, `start` starts it anew, and it hears of every object again
   * @example
   * ```ts
   * const labeller = cluster.addController(
   *   defineController({
   *     name: 'labeller',
   *     setup: (context) => context.watch('Pod', { onAdd: (pod) => context.queue.add(keyOf(pod)) }),
   *     async reconcile({ api }, key) {
   *       await api.patch('Pod', parseKey(key), { type: 'merge', body: { metadata: { labels: { seen: 'yes' } } } });
   *     },
   *   }),
   * );
   * ```
   * @throws OptionError for a name that is empty or taken
   */
  addController<State>(definition: ControllerDefinition<State>): AddedController {
    return this.#open.#parts.controllers.add(definition);
  }

  /** Starts the kubelets of more nodes; they register over their links. @throws NodeGroupError */
  addNodes(nodes: readonly NodeDescription[]): void {
    addNodes(this.#open.#parts, nodes);
  }

  /**
   * Says what containers of some images do, for pods that arrive at their nodes from now on. Of several
   * patterns that match an image the last registered counts; annotations and `scripts` win over it, field
   * by field.
   *
   * @param pattern - an image such as `nginx:1.27`, as it is written or by its full reference, or a glob such as
   * `registry.example/*`, in which `*` stands for any text and `?` for one character
   * @param behaviour - a script, or a function that makes one for each container
   * @returns what takes it back, for pods that arrive later
   * @throws ScriptError that names the field, what it got and what is allowed; `run` throws one for what a function returned
   */
  registerImage(pattern: string, behaviour: ScriptInput | ImageBehaviour): () => void {
    checkReadable('behaviour', behaviour);
    return this.#open.#parts.images.register(pattern, behaviour);
  }

  /** Whether an app container of the pod will end by itself, as the scripts of this moment say. @throws OptionError */
  endsByItself(pod: Pod): boolean {
    checkValue('pod', pod, POD);
    return endsByItself(this.#parts.scripts, pod);
  }

  /**
   * Provides a custom metric, as an adapter behind custom.metrics.k8s.io would, for autoscalers to follow. Until there
   * is one, that API is not served.
   *
   * @example `cluster.customMetric({ metric: 'requests', object: { kind: 'Pod', name: 'web-0' }, value: '250m' })`
   * @returns what takes it back
   * @throws OptionError
   */
  customMetric(metric: CustomMetric): () => void {
    return this.#open.#parts.clusterMetrics.provideCustom(metric);
  }

  /**
   * Provides a metric of something outside of the cluster, as external.metrics.k8s.io has them.
   *
   * @example `cluster.externalMetric({ metric: 'queue_length', value: (nowMs) => nowMs / 1000 })`
   * @returns what takes it back @throws OptionError
   */
  externalMetric(metric: ExternalMetric): () => void {
    return this.#open.#parts.clusterMetrics.provideExternal(metric);
  }

  /**
   * The requests to a service from outside: its endpoints work them off as far as their CPU goes, and autoscalers
   * follow. `load.state` tells how they fare.
   *
   * @example `cluster.load('web').set('sine 100..500 every 24h')`
   * @throws OptionError
   */
  load(service: ObjectRef): ServiceLoad {
    const { server, offeredLoad } = this.#open.#parts;
    return new ServiceLoad(server, offeredLoad, resolveRef(server, 'Service', service));
  }

  /** @internal a way in for what plays a user's load, over the link of `party` */
  connect(party: string): UserConnection {
    return connectUser(this.#open.#parts, party);
  }

  /** Creates objects over time, through a link of their own. */
  submit(arrivals: Iterable<TimedDraft>): Arrivals {
    const connection = this.#open.#parts.bus.connect('user');
    const started = startArrivals({ clock: this.#kernel.clock, client: connection.client, arrivals });
    started.progress$.subscribe({ complete: () => connection.dispose() });
    return started;
  }

  /**
   * Creates what is new and patches what exists, as `kubectl apply` does. Takes one object, a list of
   * objects, or YAML or JSON text with any number of documents. All are checked before the first is
   * written; kinds that are not simulated are returned as ignored. Objects that are handed in are
   * shared with the cluster from then on, and frozen.
   *
   * @throws ManifestError for text that is no manifest; ApiError for an object that is refused
   */
  apply(input: string | Draft | readonly Draft[], options: ApplyOptions = {}): readonly Applied[] {
    return applyAll(this.#open.#parts, freezeInput('object', input), options, this.#warnings);
  }

  /** Creates one object, shared and frozen from then on; unknown fields are told of in {@link warnings$}. @throws ApiError */
  create<K extends Kind>(kind: K, draft: Draft): KindMap[K] {
    return this.#open.#server.create(kind, freezeObject('draft', draft));
  }

  /** The object as it is stored now. @throws ApiError NotFound */
  get<K extends Kind>(kind: K, ref: ObjectRef): KindMap[K] {
    return this.#server.get(kind, resolveRef(this.#server, kind, ref));
  }

  /** Objects of a kind, ordered by namespace and name; selections as kubectl writes them. */
  list<K extends Kind>(kind: K, options: ListOptions = {}): readonly KindMap[K][] {
    return this.#server.list(kind, listOptions(options)).items;
  }

  /**
   * Patches an object: by a strategic merge unless said otherwise, an object of a custom kind by a plain merge, as it
   * takes no other. @throws ApiError
   */
  patch<K extends Kind>(kind: K, ref: ObjectRef, body: unknown, type?: Patch['type']): KindMap[K] {
    const usual = isCustomKind(this.#server.describe(kind)) ? 'merge' : 'strategic';
    const sent: Patch = { type: type ?? usual, body: freezeInput('patch', body) };
    return this.#open.#server.patch(kind, resolveRef(this.#server, kind, ref), sent);
  }

  /** Replaces an object; with a resourceVersion only if it is still that. @throws ApiError Conflict */
  update<K extends Kind>(kind: K, draft: Draft): KindMap[K] {
    return this.#open.#server.update(kind, freezeObject('draft', draft));
  }

  /** Replaces the status of an object, as kubelets and controllers do; the rest of it stays. @throws ApiError Conflict */
  updateStatus<K extends Kind>(kind: K, draft: Draft): KindMap[K] {
    return this.#open.#server.update(kind, freezeObject('draft', draft), 'status');
  }

  /** Asks for deletion, gracefully unless said otherwise; `force` is told in {@link warnings$}. @throws ApiError NotFound */
  delete<K extends Kind>(kind: K, ref: ObjectRef, options: ClusterDeleteOptions = {}): KindMap[K] {
    const request = deletionRequest(options);
    for (const text of deletionWarnings(kind, options)) this.#warnings.tell(text);
    return this.#open.#server.delete(kind, resolveRef(this.#server, kind, ref), request);
  }

  /**
   * Answers a request of the Kubernetes API at once and over no link, as the server of {@link listen} would answer its
   * administrator.
   *
   * @example `cluster.request({ method: 'GET', path: '/api/v1/pods?limit=5' }).body`
   * @throws OptionError for a request that is none, and for one that a stream answers: a watch, a log, an exec
   */
  request(request: ClusterRequest): ClusterAnswer {
    return answerTo(this.#open.#requests, request);
  }

  /** As {@link request}, and waits where a webhook has it wait: at once where none does. @throws OptionError */
  async ask(request: ClusterRequest): Promise<ClusterAnswer> {
    return answerOnceAdmitted(this.#open.#requests, request);
  }

  /**
   * What a container has logged, as `kubectl logs` prints it.
   *
   * @throws OptionError; ApiError BadRequest where there is no such log
   */
  logs(pod: ObjectRef, options: LogsOptions = {}): string {
    return readLogs(createNodeStreams(this.#open.#parts), resolveRef(this.#server, 'Pod', pod), options);
  }

  /**
   * Runs a command in a container, as `kubectl exec` does: in simulated time, so it ends while the cluster runs.
   *
   * @throws OptionError; ApiError
   */
  exec(pod: ObjectRef, command: readonly string[], options: ExecOptions = {}): Promise<ExecResult> {
    const name = resolveRef(this.#open.#server, 'Pod', pod);
    return runCommand(createNodeStreams(this.#parts), name, command, options);
  }

  /**
   * What kubectl would warn of, such as the risk of a forced deletion, at the moment of the call; and long holds.
   * Slow subscribers as in {@link watch}.
   */
  get warnings$(): Observable<TimedWarning> {
    return this.#warnings.all$;
  }

  /**
   * Asks for a pod's deletion as far as its PodDisruptionBudget lets it go.
   *
   * @throws ApiError NotFound; TooManyRequests when the budget says no
   */
  evict(pod: ObjectRef, deleteOptions?: DeleteOptions): void {
    const asked = deleteOptions === undefined ? undefined : checkedDeletion(deleteOptions);
    this.#open.#server.evict({ metadata: resolveRef(this.#server, 'Pod', pod), deleteOptions: asked });
  }

  /**
   * Takes the pods off a node as kubectl drain does, budgets included: cordon, evict, ask again every five
   * seconds where a budget says no, wait until each pod is gone. Begins when subscribed, goes on while the
   * cluster runs, completes once the node is drained. Slow subscribers as in {@link watch}.
   *
   * @throws OptionError; the Observable fails with DrainError, in kubectl's words, and with ApiError NotFound
   */
  drain(node: string, options: DrainOptions = {}): Observable<DrainEvent> {
    checkValue('node', node, TEXT);
    const { name } = resolveRef(this.#server, 'Node', node);
    const drain$ = drainStream(() => this.#open.#parts, name, resolveDrainOptions(options));
    return programStream(this.#kernel.clock, drain$);
  }

  /** Sets the number of replicas. @throws ApiError NotFound, Invalid */
  scale(kind: ScalableKind, ref: ObjectRef, replicas: number): void {
    this.#open.#server.setScale(kind, resolveRef(this.#server, kind, ref), replicas);
  }

  /**
   * Watch events of a kind, current state first, each with its simulated time and what wrote it. Here and in the other
   * streams of a cluster a subscriber that is slow makes the run wait, in real time alone: it is told every value in
   * order, and nothing is kept for it but the values of one tick. Completes on dispose.
   */
  watch<K extends Kind>(kind: K, selection: Selection = {}): Observable<ObjectEvent<K>> {
    this.#server.describe(kind);
    const watched = this.#parts.bus.lookout.watch(kind, selectionOptions(selection));
    return this.#stream(watched.pipe(handOver(this.#kernel.clock)));
  }

  /** The `Event` objects that components write, as kubectl shows them; slow subscribers as in {@link watch}. */
  get events$(): Observable<TimedEvent> {
    return timedEvents(this.watch('Event'));
  }

  /**
   * The story of some pods from now on, beginning with what there is: writes with what they changed, events,
   * what their processes do and, if asked for, what their machines go through, in order of simulated time. Costs
   * something only while subscribed; slow subscribers as in {@link watch}.
   */
  timeline(pods: TimelineSelection = {}, options: TimelineOptions = {}): Observable<TimelineEntry> {
    const { bus, fleet, kernel, machineWatch } = this.#parts;
    const [facts$, steps$] = [fleet.processes.facts$, machineWatch.steps$];
    const sources = { lookout: bus.lookout, clock: kernel.clock, facts$, steps$ };
    return this.#stream(timeline(sources, podOptions(pods), timelineOptions(options)));
  }

  /**
   * Counts of the moment, then again whenever pods have changed, at most once per simulated second; slow subscribers
   * as in {@link watch}.
   */
  get stats$(): Observable<ClusterStats> {
    return this.#stream(statsStream(this.#parts.bus.lookout, this.#kernel.clock, () => this.stats()));
  }

  /** As the program is given it; it completes with the cluster. */
  #stream<T>(source$: Observable<T>): Observable<T> {
    return programStream(this.#kernel.clock, source$.pipe(takeUntil(this.#closed$)));
  }

  /**
   * Measures what happens from now on, without changing it: metrics with thresholds, their course over time, what went
   * wrong. Several may go on at once; each costs something until it is stopped. A threshold's `abortOnFail` ends runs.
   *
   * @example `cluster.measure()`, and after the run `.check({ pod_startup_ms: 'p(99)<5000' })`
   */
  measure(options: MeasurementOptions = {}): Measurement {
    return startMeasurement(this.#open.#parts, this.#closed$, this.#ends, options);
  }

  /** Counts of the moment; cheap, except for the quantiles, which sort what is new. */
  stats(): ClusterStats {
    return countedStats(this.#parts, this.nowMs);
  }

  /** How many pods there are, by what they do; cheap at any size. */
  get pods(): PodCounts {
    return this.#parts.census.counts();
  }

  /** Pods with the condition Ready at True; cheap enough for `until`. */
  get readyPods(): number {
    return this.#parts.census.ready;
  }

  /** Kubelets that were started, registered or not. */
  get wantedNodes(): number {
    return this.#parts.fleet.size;
  }

  /** Pods that are bound to a node; cheap enough for `until`. */
  get boundPods(): number {
    return this.#parts.census.bound;
  }

  /** Pending pods that the scheduler could not place, grouped by reason. */
  unschedulable(): readonly UnschedulableGroup[] {
    return groupUnschedulable(this.#server.list('Pod').items);
  }

  /** Pods that the scheduler could not place at their first attempt, by the reason it gave then. */
  waited(): readonly UnschedulableGroup[] {
    return this.#parts.census.waited();
  }

  /**
   * The scheduler's attempts at a pod, latest last: rejections by plugin and node, scores, choice, preemption;
   * `undefined` if there was none. Known are the last 16 attempts of a pod, for the last 10,000 pods that
   * were placed at once and as many others; verdicts and scores of all single nodes for as long as 2 MiB
   * last (some 90 attempts that score 500 nodes each), a summary of older attempts.
   */
  explain(pod: ObjectRef): PodExplanation | undefined {
    const { namespace, name } = resolveRef(this.#server, 'Pod', pod);
    return this.#parts.scheduler.explain(`${namespace}/${name}`);
  }

  /** Keeps the attempts at some pods apart from now on, with 256 MiB for single nodes; the last call counts. */
  focusExplanations(focus: PodFocus): void {
    this.#parts.scheduler.focusExplanations(podOptions(focus));
  }

  /**
   * The cluster as it is now: a `List` of its objects, the last of which holds the seed, the clock and what kubelets
   * know beside. `createCluster({ from })` goes on from it, and so does a file that `saveCluster` has written. Between
   * two runs; events, leases, controls, faults and contents of secrets are left out.
   */
  export(): ClusterExport {
    return exportParts(this.#open.#parts, this.seed, this.#options, false);
  }

  /**
   * Another cluster on this thread that goes on from the present of this one, with its options but for those that are
   * given. Its random choices are its own from then on, by its seed. Between two runs.
   *
   * @example `const future = cluster.fork({ seed: 7, schedulerConfig })`
   * @throws OptionError
   */
  fork(options: ClusterOptions = {}): Cluster {
    return createCluster(this.forkOptions(options));
  }

  /** @internal what a fork is made with */
  forkOptions(options: ClusterOptions): ClusterOptions {
    checkReadable('options', options);
    const { nodes: _nodes, from: _from, epoch: _epoch, ...given } = this.#given;
    const from = exportParts(this.#open.#parts, this.seed, this.#options, true);
    return { ...given, defaultStorageClass: false, ...options, from };
  }

  /**
   * Serves the Kubernetes API of this cluster over the network: TLS on the loopback unless said otherwise, with a
   * kubeconfig that kubectl and client libraries take. Requests are answered between two ticks, also while no run is
   * under way; the port is closed by `close`, and by {@link dispose}. Until then a run without a limit waits for
   * requests where nothing is left to do.
   *
   * @example
   * ```ts
   * const { url, kubeconfig, close } = await cluster.listen({ port: 0 });
   * ```
   * @throws ListenError for options that cannot be followed; the host's error where the port is taken
   */
  async listen(options: ListenOptions = {}): Promise<Listening> {
    // What serving needs is loaded where it is wanted.
    const parts = this.#open.#parts;
    const { listen } = await import('../server/listen.js');
    this.keepClock();
    const listening = await listen(servedParts(parts, this.#requests, options), options);
    this.#listening.push(listening);
    return listening;
  }

  /**
   * Makes the object `clocks/cluster` of kubeloom.dev/v1alpha1, unless it is there: {@link listen} does. Time passes as
   * the object says while {@link runByClock} drives the cluster; a program that calls {@link run} keeps it in its hands.
   * @param spec - where it is silent, time passes as the cluster was made: in real time at its speed, or virtual
   */
  keepClock(spec: ClockSpec = {}): void {
    this.#open.#parts.controls.open(spec);
  }

  /**
   * Lets time pass as the object `clocks/cluster` says, until the signal is raised: at its speed, in jumps while clients
   * are quiet, not at all, or ahead to a time.
   *
   * @throws OptionError for a cluster that was made without `realtime`
   */
  runByClock(signal: AbortSignal): Promise<void> {
    this.keepClock();
    const idleForMs = (): number => Math.min(...this.#listening.map((each) => each.idleForMs));
    return runByClock(this, { control: this.#parts.controls.clock, idleForMs }, signal);
  }

  /**
   * Takes requests of an earlier run of this cluster at the places at which they entered there, while it runs: with
   * equal seed, options and program it comes to the same trace hash. In virtual time only. `requests` is what
   * `listen`'s `record` was told, in order.
   */
  async replayRequests(requests: readonly RecordedRequest[]): Promise<RequestReplay> {
    if (this.#options.speed !== undefined) {
      throw new OptionError('realtime', 'absent for requests to be replayed', this.#options.speed);
    }
    checkValue('requests', requests, MAPPINGS);
    const { replayed } = await import('../server/recording.js');
    this.keepClock();
    const { inputs, replay } = await replayed(requests, this.#requests, createNodeStreams(this.#parts));
    this.#kernel.clock.plan(inputs);
    return replay;
  }

  /**
   * Runs until every node that was asked for is registered and takes pods, as one waits for a real
   * cluster before using it; `limit` and `signal` as for `run`.
   */
  ready(limit: Duration = '10m', signal?: AbortSignal): Promise<RunResult> {
    return this.run({ until: () => this.nodesAreReady, limit, ...(signal === undefined ? {} : { signal }) });
  }

  /**
   * Whether every node that was asked for is registered and takes pods (without a controller manager, which takes the
   * taint off a new one: is ready), but for those that took none when the cluster was taken over.
   */
  get nodesAreReady(): boolean {
    const word = this.#options.without.includes('kube-controller-manager') ? 'ready' : 'schedulable';
    return this.#parts.nodes.countSettled(word) >= this.wantedNodes;
  }

  /** Runs until a condition holds, a limit is met or nothing is left to do. One run at a time. */
  run(options: RunOptions = {}): Promise<RunResult> {
    const pause = this.#ends.begin();
    const lastMs = this.#kernel.timestamps.toMs(LAST_TIME);
    return observedRun(this.#kernel.clock, lastMs, options, (goal) => goalTest(this, goal), pause);
  }

  /**
   * Keeps simulated time where it is until `work` has settled, and gives what came of it: for a subscriber that
   * awaits real time. Nothing else happens in the cluster meanwhile, not even at the same millisecond. Promises
   * of several holds settle in the order in which the program asked for them, so that a run is the same however
   * long real things take. What takes longer than `holdWarningAfter` is told in {@link warnings$}.
   * @param work - must wait for real time alone: for what simulated time brings it would wait for ever
   * @param label - names it in that warning
   * @example
   * ```ts
   * cluster.watch('Pod').subscribe(async ({ object }) => {
   *   const answer = await cluster.hold(fetch(url).then((response) => response.text()));
   *   cluster.patch('Pod', object.metadata, { metadata: { annotations: { answer } } });
   * });
   * ```
   * @throws OptionError when it is no promise, or the label no text
   */
  hold<T>(work: PromiseLike<T>, label = 'a promise of the program'): Promise<T> {
    checkHold(work, label);
    return this.#kernel.clock.keep(work, label);
  }

  /**
   * Lets simulated time pass faster or slower from now on, relative to real time.
   *
   * @param speed - seconds of simulated time per real second, in (0, 1000000]
   * @throws OptionError for other values, and for a cluster that was made without `realtime`
   */
  setSpeed(speed: number): void {
    if (this.#options.speed === undefined) {
      throw new OptionError('realtime', 'given from the start for a speed to be set', undefined);
    }
    this.#kernel.clock.setSpeed(speedOf(speed) ?? 1);
  }

  /** Ends the run that is under way after the current tick; run again to go on. */
  pause(): void {
    this.#ends.pause();
  }

  /** Runs the next entry of the event heap; `false` when there is none. */
  step(): Promise<boolean> {
    return this.#kernel.clock.step();
  }

  /** This cluster, for what changes it. @throws DisposedError once it is disposed */
  get #open(): this {
    if (this.#isDisposed) throw new DisposedError();
    return this;
  }

  /**
   * Ends everything: no timer, thread or subscription is left. What the cluster came to can be read on; what would
   * change it throws {@link DisposedError}. Calling it twice is harmless.
   */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    this.pause();
    await Promise.all(this.#listening.map((each) => each.close()));
    await disposeParts(this.#parts);
    this.#warnings.complete();
    this.#closed$.next();
    this.#closed$.complete();
    this.#kernel.clock.dispose();
  }
}

/**
 * Builds a cluster in this thread; nothing happens until it is run.
 *
 * @throws OptionError that names the field, what it got and what is allowed
 */
export function createCluster(options: ClusterOptions = {}): Cluster {
  return new Cluster(resolveOptions(options, CONTROLLER_NAMES), options);
}
