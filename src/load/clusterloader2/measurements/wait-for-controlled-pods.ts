/**
 * Waits until what controls pods has all of them running (wait_for_controlled_pods.go). From `start` on each object of
 * the selection has a check that looks every five seconds, begins anew when its spec changes, and has
 * `operationTimeout`; `gather` waits for all checks. An object that is deleted is waited for until its pods are gone.
 */
import { isDeepStrictEqual } from 'node:util';
import { resolveKind } from '../../../api/kinds/registry.js';
import { isPodReady } from '../../../api/objects/conditions.js';
import { keyOf, type Kind, type KubeObject, type Node, type Pod, type PodSpec } from '../../../api/objects/objects.js';
import { NodeFitness } from '../../../controllers/daemon-set/node-fitness.js';
import type { Selection } from '../../../apiserver/store/server-types.js';
import type { Informer } from '../../../bus/bus-types.js';
import type { LoadFields } from '../../input/load-fields.js';
import { printed } from '../../../workload/input-error.js';
import type { ControlledPods } from './controlled-pods.js';
import { hasPodSpec } from './has-pod-spec.js';
import { actionOf, done, type Call, type Measurement, type MeasurementMeans, type Outcome } from './measurement.js';
import { selectionOf } from './object-selection.js';
import { jsonText } from './perf-data.js';
import { synced } from './synced.js';
import { waitingText } from '../../player/waiting-text.js';

const METHOD = 'WaitForControlledPodsRunning';
const OPERATION_TIMEOUT_MS = 600_000;
const SYNC_TIMEOUT_MS = 60_000;
const INTERVAL_MS = 5000;

/** What controls pods, as far as it matters here. */
interface Controlling extends KubeObject {
  readonly kind: string;
  readonly spec: {
    readonly replicas?: number;
    readonly parallelism?: number;
    readonly template?: { readonly spec?: PodSpec };
  };
}

export function waitForControlledPodsRunning(means: MeasurementMeans): Measurement {
  return new WaitForControlledPods(means);
}

interface Settings {
  readonly kind: Kind;
  readonly selection: Selection;
  readonly timeoutMs: number;
  readonly errorMargin: number;
  readonly checksUpdates: boolean;
}

class WaitForControlledPods implements Measurement {
  readonly #means: MeasurementMeans;
  readonly #checks = new Map<string, Check>();
  readonly #present = new Set<string>();
  #informer: Informer<Kind> | undefined;
  #nodes: Informer<'Node'> | undefined;
  #settings: Settings | undefined;

  constructor(means: MeasurementMeans) {
    this.#means = means;
  }

  async execute(call: Call): Promise<Outcome> {
    switch (actionOf(call, ['start', 'gather', 'stop'])) {
      case 'start':
        return this.#start(call.params);
      case 'gather':
        return this.#gather(call.params.durationMs('syncTimeout', SYNC_TIMEOUT_MS));
      case 'stop':
        this.dispose();
        return done();
    }
  }

  dispose(): void {
    const { connection } = this.#means.player;
    for (const check of this.#checks.values()) check.stop();
    if (this.#informer !== undefined) connection.release(this.#informer);
    if (this.#nodes !== undefined) connection.release(this.#nodes);
    this.#informer = undefined;
    this.#nodes = undefined;
  }

  async #start(params: LoadFields): Promise<Outcome> {
    if (this.#informer !== undefined) return done();
    const { player } = this.#means;
    const settings = settingsOf(params);
    this.#settings = settings;
    const pods = await this.#means.controlledPods();
    if (settings.kind === 'DaemonSet') this.#nodes = await synced(player, player.connection.select('Node', {}));
    const informer = player.connection.select(settings.kind, settings.selection);
    informer.addHandler({
      onAdd: (object) => this.#changed(pods, undefined, object as Controlling),
      onUpdate: (previous, object) => this.#changed(pods, previous as Controlling, object as Controlling),
      onDelete: (object) => this.#deleted(pods, object as Controlling),
    });
    this.#informer = informer;
    await synced(player, informer);
    return done();
  }

  #changed(pods: ControlledPods, previous: Controlling | undefined, object: Controlling): void {
    const key = keyOf(object);
    this.#present.add(key);
    if (previous !== undefined && (previous.spec === object.spec || isDeepStrictEqual(previous.spec, object.spec)))
      return;
    const settings = this.#settings;
    const { template } = object.spec;
    const spec = settings?.checksUpdates === true ? template?.spec : undefined;
    this.#check(pods, object, { wanted: this.#wantedOf(object), isUpdated: hasPodSpec(spec), isDeleted: false });
  }

  #deleted(pods: ControlledPods, object: Controlling): void {
    this.#present.delete(keyOf(object));
    this.#check(pods, object, { wanted: () => 0, isUpdated: () => true, isDeleted: true });
  }

  #check(pods: ControlledPods, object: Controlling, goal: Omit<CheckGoal, 'timeoutMs' | 'errorMargin'>): void {
    const { timeoutMs = OPERATION_TIMEOUT_MS, errorMargin = 0 } = this.#settings ?? {};
    const key = keyOf(object);
    this.#checks.get(key)?.stop();
    const list = (): Pod[] => pods.of(object.metadata.uid);
    this.#checks.set(key, new Check(this.#means, list, { ...goal, timeoutMs, errorMargin }));
  }

  #wantedOf(object: Controlling): () => number {
    const { replicas, parallelism, template } = object.spec;
    if (this.#settings?.kind === 'Job') return () => parallelism ?? 0;
    if (this.#settings?.kind !== 'DaemonSet') return () => replicas ?? 0;
    const fitness = new NodeFitness(template?.spec ?? { containers: [] });
    return () => {
      let count = 0;
      for (const node of this.#nodes?.list() ?? []) if (takesDaemon(node, fitness)) count += 1;
      return count;
    };
  }

  async #gather(syncTimeoutMs: number): Promise<Outcome> {
    const settings = this.#settings;
    if (this.#informer === undefined || settings === undefined)
      return { error: `metric ${METHOD} has not been started` };
    const { player } = this.#means;
    const expected = new Set((await player.requests.list(settings.kind, settings.selection)).map(keyOf));
    await player.sleep(INTERVAL_MS);
    const isInStep = (): boolean =>
      expected.size === this.#present.size && [...expected].every((key) => this.#present.has(key));
    if (!(await player.poll(isInStep, INTERVAL_MS, syncTimeoutMs - INTERVAL_MS))) {
      return { error: 'timed out while waiting for controlled pods: timed out waiting for the condition' };
    }
    await Promise.all([...this.#checks.values()].map((check) => check.ended));
    return this.#verdict(settings.kind, expected.size);
  }

  #verdict(kind: Kind, expected: number): Outcome {
    const late = [...this.#checks].filter(([, check]) => check.state === 'late');
    const running = [...this.#checks.values()].filter(({ state, isDeleted }) => state === 'met' && !isDeleted).length;
    const failed = late.flatMap(([key, check]) => failedPods(key, check));
    const summaries = failed.length === 0 ? [] : [{ name: this.#summaryName(), content: jsonText(failed) }];
    if (late.length > 0) {
      const names = late.map(([key]) => key).join(', ');
      const why = waitingText(this.#means.player.cluster);
      return { summaries, error: `${late.length} objects timed out: ${kind}s: ${names}${why}` };
    }
    if (running === expected) return done();
    return { summaries, error: `incorrect objects number: ${running}/${expected} ${kind}s are running with all pods` };
  }

  #summaryName(): string {
    const { cluster, nowMs } = this.#means.player;
    return `${METHOD}_${Math.floor((cluster.epochMs + nowMs) / 1000)}_failedpods`;
  }
}

function settingsOf(params: LoadFields): Settings {
  const [apiVersion, name] = [params.requiredText('apiVersion'), params.requiredText('kind')];
  const kind = resolveKind(apiVersion, name);
  if (kind === undefined)
    throw params.refusal('kind', `must be a kind that is simulated, got ${printed(`${apiVersion} ${name}`)}`);
  return {
    kind,
    selection: selectionOf(params),
    timeoutMs: params.durationMs('operationTimeout', OPERATION_TIMEOUT_MS),
    errorMargin: params.integer('countErrorMargin', 0, 0),
    checksUpdates: params.flag('checkIfPodsAreUpdated', true),
  };
}

function takesDaemon(node: Node, fitness: NodeFitness): boolean {
  return fitness.of(node).shouldRun;
}

function failedPods(controlledBy: string, { pods }: Check): readonly object[] {
  return pods
    .filter((pod) => pod.metadata.deletionTimestamp !== undefined || !isRunning(pod))
    .map((pod) => ({
      namespace: pod.metadata.namespace ?? '',
      controlledBy,
      name: pod.metadata.name,
      host: pod.spec.nodeName ?? '',
      status: statusText(pod),
    }));
}

function statusText({ metadata, spec, status: { phase } }: Pod): string {
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (phase === 'Running') return 'RunningButNotReady';
  if (phase === 'Pending') return (spec.nodeName ?? '') === '' ? 'PendingNotScheduled' : 'PendingScheduled';
  return phase === 'Succeeded' || phase === 'Failed' ? 'Inactive' : 'Unknown';
}

function isRunning(pod: Pod): boolean {
  return pod.status.phase === 'Running' && isPodReady(pod);
}

interface CheckGoal {
  readonly wanted: () => number;
  readonly isUpdated: (pod: Pod) => boolean;
  readonly isDeleted: boolean;
  /** 0 = no limit. */
  readonly timeoutMs: number;
  readonly errorMargin: number;
}

/** Looks at the pods of one object every five seconds. */
class Check {
  state: 'waiting' | 'met' | 'late' | 'stopped' = 'waiting';
  /** As they were when it was late. */
  pods: readonly Pod[] = [];
  readonly ended: Promise<void>;
  readonly isDeleted: boolean;
  readonly #means: MeasurementMeans;
  readonly #list: () => Pod[];
  readonly #goal: CheckGoal;
  readonly #endMs: number;
  #resolve: () => void = () => undefined;

  constructor(means: MeasurementMeans, list: () => Pod[], goal: CheckGoal) {
    this.#means = means;
    this.#list = list;
    this.#goal = goal;
    this.isDeleted = goal.isDeleted;
    this.#endMs = goal.timeoutMs === 0 ? Infinity : means.player.nowMs + goal.timeoutMs;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#wait();
  }

  stop(): void {
    if (this.state === 'waiting') this.#end('stopped');
  }

  #wait(): void {
    const { clock, nowMs } = this.#means.player;
    clock.schedule(Math.min(INTERVAL_MS, this.#endMs - nowMs), () => this.#look());
  }

  #look(): void {
    if (this.state !== 'waiting') return;
    const pods = this.#list();
    if (this.#isMet(pods)) {
      this.#end('met');
    } else if (this.#means.player.nowMs >= this.#endMs) {
      this.pods = pods;
      this.#end('late');
    } else {
      this.#wait();
    }
  }

  #isMet(pods: readonly Pod[]): boolean {
    const { wanted, isUpdated, errorMargin } = this.#goal;
    const live = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const inactive = live.filter(({ status: { phase } }) => phase === 'Succeeded' || phase === 'Failed').length;
    const running = live.filter(isRunning);
    const count = wanted();
    const isWhole = pods.length === running.length + inactive && running.length === count;
    if (isWhole) return running.every(isUpdated);
    if (errorMargin === 0 || pods.length - inactive > count || inactive > errorMargin) return false;
    return running.filter(isUpdated).length >= count - errorMargin;
  }

  #end(state: 'met' | 'late' | 'stopped'): void {
    this.state = state;
    this.#means.player.clock.settle();
    this.#resolve();
  }
}
