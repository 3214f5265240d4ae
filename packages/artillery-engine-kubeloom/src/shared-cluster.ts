/** What the verbs of virtual users do to the cluster that they share. */
import { writeFileSync } from 'node:fs';
import type * as Kubeloom from 'kubeloom';
import { fieldsOf, ScriptError, textOf, type Fields } from './contract.js';
import { Driver, type Changes } from './driver.js';
import { isConditionTrue, isRolledOut, type Workload } from './conditions.js';
import { CallError, type Measured } from './protocol.js';
import { ToldMeasurement } from './told-measurement.js';

type Library = typeof Kubeloom;
type Kind = Kubeloom.Kind;

/** What `config.engines.kubeloom` says besides options of the cluster. */
export interface EngineOptions {
  /** Simulated seconds per real second; absent = virtual time. */
  readonly speed?: number;
  /** Threads for whole runs. */
  readonly runThreads?: number;
  /** Bounds in k6's grammar, judged by the verb `report`, or when the cluster ends. */
  readonly thresholds?: Kubeloom.ThresholdMap;
}

/** An object that a user has made, as later verbs find it. */
interface Ref {
  readonly kind: Kind;
  readonly namespace?: string;
  readonly name: string;
}

/** What a verb answers. */
export interface Told {
  readonly value?: unknown;
  /** Simulated time for which the user waited. */
  readonly waitedMs?: number;
}

const DEFAULT_WITHIN = '10m';
const ROLLED: readonly string[] = ['Deployment', 'StatefulSet', 'DaemonSet'];
const SCALED: readonly string[] = ['Deployment', 'StatefulSet', 'ReplicaSet', 'ReplicationController'];
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

/** See the file header. */
export class SharedCluster {
  readonly #library: Library;
  readonly #cluster: Kubeloom.Cluster;
  readonly #driver: Driver;
  readonly #measurement: Kubeloom.Measurement;
  readonly #told: ToldMeasurement;
  readonly #thresholds: readonly Kubeloom.Threshold[];
  readonly #faults = new Map<number, { heal(): void }>();
  readonly #kinds: ReadonlyMap<string, Kind>;

  private constructor(
    library: Library,
    cluster: Kubeloom.Cluster,
    isRealTime: boolean,
    thresholds: Kubeloom.ThresholdMap,
  ) {
    this.#library = library;
    this.#cluster = cluster;
    this.#thresholds = library.parseThresholds(thresholds);
    this.#measurement = cluster.measure();
    this.#told = new ToldMeasurement(this.#measurement, library.METRICS);
    this.#kinds = new Map(library.KINDS.map((kind) => [kind.toLowerCase(), kind]));
    this.#driver = new Driver(cluster, isRealTime);
  }

  /** Makes the cluster and waits until its nodes are ready. @throws OptionError of the library */
  static async start(
    library: Library,
    { speed, thresholds = {}, runThreads: _runThreads, ...options }: EngineOptions,
  ): Promise<SharedCluster> {
    const aborting = library.parseThresholds(thresholds).find(({ abortOnFail }) => abortOnFail);
    if (aborting !== undefined) {
      const field = `thresholds.${aborting.metric}.abortOnFail`;
      throw new ScriptError(
        field,
        'false here, as phases of Artillery have their length; a step `run` ends by it',
        true,
      );
    }
    const cluster = library.createCluster({ ...options, ...(speed === undefined ? {} : { realtime: 1_000_000 }) });
    await cluster.ready();
    if (speed !== undefined) cluster.setSpeed(speed);
    return new SharedCluster(library, cluster, speed !== undefined, thresholds);
  }

  /** What was measured since it was asked last. */
  measured(): Measured {
    return this.#told.take();
  }

  /** @throws CallError, ScriptError, or an error of the library */
  async play(verb: string, args: Fields): Promise<Told> {
    this.#driver.asked();
    const before = this.#cluster.nowMs;
    const value = await this.#play(verb, args);
    const isWait = verb === 'await' || verb === 'drain' || verb === 'think';
    return { value, ...(isWait ? { waitedMs: this.#cluster.nowMs - before } : {}) };
  }

  #play(verb: string, args: Fields): unknown {
    switch (verb) {
      case 'cluster':
        return { nodes: this.#cluster.wantedNodes, seed: this.#cluster.seed };
      case 'apply':
        return this.#apply(args);
      case 'scale':
        return this.#scale(args);
      case 'roll':
        return this.#roll(args);
      case 'delete':
        return this.#delete(args);
      case 'drain':
        return this.#drain(args);
      case 'fault':
        return this.#fault(args);
      case 'heal':
        return this.#heal(args);
      case 'await':
        return this.#await(args);
      case 'request':
        return this.#request(args);
      case 'think':
        return this.#driver.sleep(this.#library.durationMs('think', args['for'] as Kubeloom.Duration));
      case 'report':
        return this.#report(args);
      default:
        throw new ScriptError('a verb', 'one of this engine', verb);
    }
  }

  #apply({ manifest }: Fields): readonly Ref[] {
    const applied = this.#cluster.apply(manifest as string | Kubeloom.Draft);
    return applied.flatMap((each) => {
      if (each.action === 'ignored') return [];
      const { kind, metadata } = each.object;
      return [
        { kind: kind as Kind, ...(metadata.namespace ? { namespace: metadata.namespace } : {}), name: metadata.name },
      ];
    });
  }

  #scale(args: Fields): void {
    const { replicas, ...rest } = args;
    const { kind, ...ref } = this.#refOf('scale', rest, [], SCALED);
    if (!Number.isSafeInteger(replicas)) throw new ScriptError('scale.replicas', 'an integer >= 0', replicas);
    this.#cluster.scale(kind as Kubeloom.ScalableKind, ref, replicas as number);
  }

  /** A new image, or a restart as `kubectl rollout restart` makes one. */
  #roll(args: Fields): void {
    const { image, container, ...rest } = args;
    const { kind, ...ref } = this.#refOf('roll', rest, [], ROLLED);
    if (image === undefined) {
      const annotations = { [RESTARTED_AT]: new Date(this.#cluster.epochMs + this.#cluster.nowMs).toISOString() };
      this.#cluster.patch(kind, ref, { spec: { template: { metadata: { annotations } } } });
      return;
    }
    const { spec } = this.#cluster.get(kind, ref) as Kubeloom.Deployment;
    const [first] = spec.template.spec.containers;
    const name = container === undefined ? first?.name : textOf('roll.container', container);
    const containers = [{ name, image: textOf('roll.image', image) }];
    this.#cluster.patch(kind, ref, { spec: { template: { spec: { containers } } } });
  }

  #delete(args: Fields): void {
    const { refs, gracePeriodSeconds, force, ...rest } = args;
    const found = refs === undefined ? [this.#refOf('delete', rest)] : (refs as readonly Ref[]);
    const options = {
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: gracePeriodSeconds as number }),
      ...(force === undefined ? {} : { force: force === true }),
    };
    for (const { kind, ...ref } of found) this.#cluster.delete(kind, ref, options);
  }

  async #drain({ node, within = DEFAULT_WITHIN, ...options }: Fields): Promise<void> {
    const drained$ = this.#cluster.drain(textOf('drain.node', node), options);
    let isOver = false;
    const changes: Changes = (changed, failed) => {
      const complete = (): void => {
        isOver = true;
        changed();
      };
      const subscription = drained$.subscribe({ error: failed, complete });
      return () => subscription.unsubscribe();
    };
    await this.#until(`drain of ${String(node)}`, () => isOver, changes, within);
  }

  #fault(args: Fields): { readonly fault: number } {
    const handle = this.#cluster.faults.inject(args as unknown as Kubeloom.Fault);
    this.#faults.set(handle.id, handle);
    return { fault: handle.id };
  }

  #heal({ fault }: Fields): void {
    if (fault === 'all') return this.#cluster.faults.healAll();
    const id = typeof fault === 'object' && fault !== null && 'fault' in fault ? fault.fault : fault;
    const handle = this.#faults.get(id as number);
    if (handle === undefined) throw new ScriptError('heal', 'all, or the name that a fault has been given', fault);
    handle.heal();
  }

  #await(args: Fields): Promise<void> {
    const { within = DEFAULT_WITHIN, ...what } = args;
    const [form] = Object.keys(what).filter((field) => field in AWAITED);
    if (form === undefined) throw new ScriptError('await', `one of ${Object.keys(AWAITED).join(', ')}`, what);
    const { [form]: subject, ...rest } = what;
    switch (form as keyof typeof AWAITED) {
      case 'ready':
        return this.#ready(subject, rest, within);
      case 'gone':
        return this.#gone(subject, rest, within);
      case 'rollout':
        return this.#rollout(subject, within);
      case 'complete':
        return this.#complete(subject, within);
      case 'nodes':
        return this.#nodes(subject, within);
    }
  }

  /** Pods with these labels, so many or as many as there are, at least one. */
  #ready(selector: unknown, fields: Fields, within: unknown): Promise<void> {
    const { namespace, count } = fieldsOf('await', fields, ['namespace', 'count']);
    if (count !== undefined && !Number.isSafeInteger(count)) throw new ScriptError('await.count', 'an integer', count);
    const selection = this.#selection('await.ready', selector, namespace);
    const { isPodReady } = this.#library;
    const isEnough = (ready: number, all: number): boolean =>
      count === undefined ? ready > 0 && ready === all : ready >= (count as number);
    /** As they were told one by one: to look through all pods of a cluster after each change would take long. */
    const told = new Map<string, boolean>();
    let ready = 0;
    const note = (event: Kubeloom.WatchEvent<'Pod'>): void => {
      if (!('object' in event)) return;
      const { type, object } = event;
      const { namespace: of = '', name } = object.metadata;
      const key = `${of}/${name}`;
      if (told.get(key) === true) ready -= 1;
      if (type === 'DELETED') told.delete(key);
      else told.set(key, isPodReady(object));
      if (told.get(key) === true) ready += 1;
    };
    const isMet = (): boolean => {
      if (!isEnough(ready, told.size)) return false;
      const pods = this.#cluster.list('Pod', selection);
      return isEnough(pods.filter((pod) => isPodReady(pod)).length, pods.length);
    };
    const changes: Changes = (changed, failed) => {
      const next = (event: Kubeloom.WatchEvent<'Pod'>): void => {
        note(event);
        changed();
      };
      const subscription = this.#cluster.watch('Pod', selection).subscribe({ next, error: failed });
      return () => subscription.unsubscribe();
    };
    return this.#until(`ready ${String(selector)}`, isMet, changes, within);
  }

  #gone(subject: unknown, fields: Fields, within: unknown): Promise<void> {
    if (typeof subject === 'string') {
      const { namespace } = fieldsOf('await', fields, ['namespace']);
      const selection = this.#selection('await.gone', subject, namespace);
      const isMet = (): boolean => this.#cluster.list('Pod', selection).length === 0;
      return this.#until(`gone ${subject}`, isMet, this.#changesIn('Pod', selection), within);
    }
    const refs = Array.isArray(subject) ? (subject as Ref[]) : [this.#refOf('await.gone', subject)];
    const isMet = (): boolean => refs.every(({ kind, ...ref }) => this.#found(kind, ref) === undefined);
    const changes: Changes = (changed, failed) => {
      const leave = refs.map((ref) => this.#changesOf(ref.kind, ref)(changed, failed));
      return () => leave.forEach((each) => each());
    };
    return this.#until(`gone ${refs.map(({ name }) => name).join(', ')}`, isMet, changes, within);
  }

  #rollout(subject: unknown, within: unknown): Promise<void> {
    const { kind, ...ref } = this.#refOf('await.rollout', subject, [], ROLLED);
    const isMet = (): boolean => isRolledOut(kind, this.#cluster.get(kind, ref) as unknown as Workload);
    return this.#until(`rollout of ${ref.name}`, isMet, this.#changesOf(kind, ref), within);
  }

  #complete(subject: unknown, within: unknown): Promise<void> {
    const job = typeof subject === 'string' ? { job: subject } : (subject as Fields);
    const { kind, ...ref } = this.#refOf('await.complete', job, [], ['Job']);
    const isMet = (): boolean => {
      const found = this.#cluster.get(kind, ref) as unknown as Workload;
      if (isConditionTrue(found, 'Failed')) throw new CallError('JobFailed', `job ${ref.name} failed`);
      return isConditionTrue(found, 'Complete');
    };
    return this.#until(`job ${ref.name}`, isMet, this.#changesOf(kind, ref), within);
  }

  #nodes(wanted: unknown, within: unknown): Promise<void> {
    if (wanted !== 'ready' && !Number.isSafeInteger(wanted)) {
      throw new ScriptError('await.nodes', 'ready, or how many are to be', wanted);
    }
    const isMet = (): boolean => {
      const { schedulable: ready, total } = this.#cluster.stats().nodes;
      return wanted === 'ready' ? ready === total : ready >= (wanted as number);
    };
    return this.#until('nodes', isMet, this.#changesIn('Node', {}), within);
  }

  #request({ method = 'GET', path, body, headers, status, capture }: Fields): unknown {
    const answer = this.#cluster.request({
      method: textOf('request.method', method),
      path: textOf('request.path', path),
      ...(body === undefined ? {} : { body }),
      ...(headers === undefined ? {} : { headers: headers as Readonly<Record<string, string>> }),
    });
    const isExpected = status === undefined ? answer.status < 400 : answer.status === status;
    if (!isExpected) {
      throw new CallError(
        `Status${answer.status}`,
        `${String(method)} ${String(path)} was answered with ${answer.status}`,
      );
    }
    // Whole lists need not cross to the thread of the user.
    return {
      status: answer.status,
      ...(capture === true ? { body: JSON.parse(JSON.stringify(answer.body)) as unknown } : {}),
    };
  }

  /** Files, and the bounds that do not hold. */
  #report(args: Fields): { readonly failed: readonly string[]; readonly met: readonly string[] } {
    const { title = 'artillery run', ...files } = fieldsOf('report', args, [
      'title',
      'page',
      'summary',
      'junit',
      'openmetrics',
    ]);
    const { summarize, runPage, junitText, openMetricsText, thresholdText } = this.#library;
    const thresholds = this.#measurement.check(this.#thresholds);
    const { seed, traceHash, epochMs } = this.#cluster;
    const summary = summarize(this.#measurement.read(), {
      title: textOf('report.title', title),
      kind: 'artillery',
      program: 'artillery-engine-kubeloom',
      seed,
      traceHash,
      epochMs,
      checks: [],
      thresholds,
    });
    const texts = {
      page: () => runPage(summary),
      summary: () => `${JSON.stringify(summary)}\n`,
      junit: () => junitText(summary),
      openmetrics: () => openMetricsText(summary),
    };
    for (const [form, file] of Object.entries(files)) {
      writeFileSync(textOf(`report.${form}`, file), texts[form as keyof typeof texts]());
    }
    const lines = (isMet: boolean): string[] =>
      thresholds.filter(({ ok }) => ok === isMet).map((each) => thresholdText(each));
    return { failed: lines(false), met: lines(true) };
  }

  async #until(what: string, isMet: () => boolean, changes: Changes, within: unknown): Promise<void> {
    const withinMs = this.#library.durationMs('within', within as Kubeloom.Duration);
    if ((await this.#driver.until(isMet, changes, withinMs)) === 'met') return;
    throw new CallError('Late', `${what}: not within ${String(within)} of simulated time`);
  }

  #changesIn(kind: Kind, selection: Kubeloom.Selection): Changes {
    return (changed, failed) => {
      const subscription = this.#cluster.watch(kind, selection).subscribe({ next: changed, error: failed });
      return () => subscription.unsubscribe();
    };
  }

  #changesOf(kind: Kind, { namespace, name }: Pick<Ref, 'namespace' | 'name'>): Changes {
    const fieldSelector = `metadata.name=${name}`;
    return this.#changesIn(kind, { fieldSelector, ...(namespace === undefined ? {} : { namespace }) });
  }

  #found(kind: Kind, ref: Pick<Ref, 'namespace' | 'name'>): unknown {
    try {
      return this.#cluster.get(kind, ref);
    } catch (error) {
      if (error instanceof this.#library.ApiError && error.reason === 'NotFound') return undefined;
      throw error;
    }
  }

  #selection(place: string, selector: unknown, namespace: unknown): Kubeloom.Selection {
    return {
      labelSelector: textOf(place, selector),
      ...(namespace === undefined ? {} : { namespace: textOf('namespace', namespace) }),
    };
  }

  /** `{ deployment: web, namespace: a }`, or `{ kind: Deployment, name: web }`. */
  #refOf(place: string, value: unknown, others: readonly string[] = [], allowed?: readonly string[]): Ref {
    const fields = fieldsOf(place, value);
    const { namespace, kind: named, name, ...rest } = fields;
    const short = Object.keys(rest).find((field) => !others.includes(field));
    const word = named === undefined ? short : textOf(`${place}.kind`, named);
    const kind = this.#kinds.get(String(word).toLowerCase());
    const known = allowed ?? [...this.#kinds.values()];
    if (kind === undefined || !known.includes(kind)) {
      throw new ScriptError(`${place}: a kind`, `one of ${known.map((each) => each.toLowerCase()).join(', ')}`, word);
    }
    const target = textOf(
      `${place}.${named === undefined ? String(short) : 'name'}`,
      named === undefined ? rest[String(short)] : name,
    );
    return {
      kind,
      name: target,
      ...(namespace === undefined ? {} : { namespace: textOf(`${place}.namespace`, namespace) }),
    };
  }
}

/** What can be waited for. */
const AWAITED = { ready: true, gone: true, rollout: true, complete: true, nodes: true } as const;
