/**
 * One profile at work: its plugins by extension point, and how each point is run. It knows the
 * contract of every point and no plugin. Mirrors kube-scheduler v1.34 `framework/runtime`.
 */
import type { Clock } from '../../kernel/engine/clock.js';
import type { CycleState } from './cycle-state.js';
import { extendsPoint, type ExtensionPoint, type PluginOrder } from './extension-points.js';
import type {
  AnyPlugin,
  BindPlugin,
  FilterPlugin,
  NodeList,
  NodeToStatus,
  PermitPlugin,
  PostBindPlugin,
  PostFilterPlugin,
  PostFilterResult,
  PreBindPlugin,
  PreEnqueuePlugin,
  PreFilterPlugin,
  PreScorePlugin,
  QueueSortPlugin,
  ReservePlugin,
  ScorePlugin,
  Snapshot,
  StatusCallback,
} from './interface.js';
import { assert } from '../../kernel/assert.js';
import { NameSets } from './name-sets.js';
import { queueingHintsOf } from './queueing-hints.js';
import type { QueueingHintMap } from './cluster-event.js';
import type { NodeInfo } from './node-info.js';
import type { PodInfo } from './pod-info.js';
import { Code, codeOf, createStatus, isRejected, messageOf, type Status } from './status.js';
import { WaitingPods } from './waiting-pods.js';

/** A plugin of a profile; the weight counts for Score. */
export interface ProfilePlugin {
  readonly plugin: AnyPlugin;
  /** @defaultValue 1 */
  readonly weight?: number | undefined;
}

/** A Score plugin with its weight. */
export interface WeightedScore {
  readonly plugin: ScorePlugin;
  readonly weight: number;
}

/** What a profile shares with others, and how it differs from a plain list. */
export interface FrameworkOptions {
  /** Plugins by extension point. @defaultValue every plugin at every point that it extends, in the order of the list */
  readonly order?: PluginOrder | undefined;
  /** Pods that wait on Permit, of all profiles. @defaultValue the profile's own */
  readonly waitingPods?: WaitingPods | undefined;
}

/** What all PreFilters together say. */
export interface PreFilterOutcome {
  /** A rejection or an error; absent when the pod may go on. */
  readonly status?: Status | undefined;
  /** The only nodes worth a look. */
  readonly nodeNames?: ReadonlySet<string> | undefined;
  /** Plugins that narrowed the nodes, for the diagnosis of the attempt to add to; absent when none did. */
  readonly narrowedBy: Set<string> | undefined;
}

/** The filters that have something to say about a pod. */
export interface ActiveFilters {
  /** The others. */
  readonly skipped: ReadonlySet<string>;
  readonly all: readonly FilterPlugin[];
  /** Those with verdicts on a node that may change with the pods on it, and those with others. */
  readonly heedful: readonly FilterPlugin[];
  readonly heedless: readonly FilterPlugin[];
  /** Whether each verdict depends on the pod's shape and on the single node alone. */
  readonly areNodeScoped: boolean;
  /** Whether a PreFilter keeps count of pods in the state: a dry run then needs a copy of it. */
  readonly countsPods: boolean;
}

const ALL_NODES: PreFilterOutcome = { narrowedBy: undefined };

/** See the file header. */
export class Framework {
  readonly preEnqueue: readonly PreEnqueuePlugin[];
  readonly queueSort: QueueSortPlugin;
  readonly preFilters: readonly PreFilterPlugin[];
  readonly filters: readonly FilterPlugin[];
  readonly postFilters: readonly PostFilterPlugin[];
  readonly preScores: readonly PreScorePlugin[];
  readonly scores: readonly WeightedScore[];
  readonly hints: QueueingHintMap;
  readonly waitingPods: WaitingPods;
  readonly #reserves: readonly ReservePlugin[];
  readonly #permits: readonly PermitPlugin[];
  readonly #preBinds: readonly PreBindPlugin[];
  readonly #binds: readonly BindPlugin[];
  readonly #postBinds: readonly PostBindPlugin[];
  #active: ActiveFilters | undefined;
  readonly #skippedFilters: NameSets;
  readonly #skippedScores: NameSets;

  /** @param plugins - each name once; in the order in which every point calls them unless `order` says otherwise */
  constructor(plugins: readonly ProfilePlugin[], clock: Clock, { order, waitingPods }: FrameworkOptions = {}) {
    const at = <T>(point: ExtensionPoint): T[] => pluginsAt(point, plugins, order) as T[];
    this.preEnqueue = at<PreEnqueuePlugin>('preEnqueue');
    const [queueSort] = at<QueueSortPlugin>('queueSort');
    assert(queueSort !== undefined, 'a profile needs a QueueSort plugin, got none');
    this.queueSort = queueSort;
    this.preFilters = at<PreFilterPlugin>('preFilter');
    this.filters = at<FilterPlugin>('filter');
    this.postFilters = at<PostFilterPlugin>('postFilter');
    this.preScores = at<PreScorePlugin>('preScore');
    const weights = new Map(plugins.map(({ plugin, weight }) => [plugin.name, weight ?? 1]));
    this.scores = at<ScorePlugin>('score').map((plugin) => {
      const weight = (order === undefined ? weights.get(plugin.name) : order.weights[plugin.name]) ?? 1;
      return { plugin, weight };
    });
    this.#reserves = at<ReservePlugin>('reserve');
    this.#permits = at<PermitPlugin>('permit');
    this.#preBinds = at<PreBindPlugin>('preBind');
    this.#binds = at<BindPlugin>('bind');
    this.#postBinds = at<PostBindPlugin>('postBind');
    this.#skippedFilters = new NameSets(this.preFilters.map(({ name }) => name));
    this.#skippedScores = new NameSets(this.preScores.map(({ name }) => name));
    this.hints = queueingHintsOf(plugins.map(({ plugin }) => plugin));
    this.waitingPods = waitingPods ?? new WaitingPods(clock);
  }

  /** Runs PreFilter; notes in `state` which plugins skip. */
  runPreFilter(state: CycleState, pod: PodInfo, snapshot: Snapshot): PreFilterOutcome {
    const skipped = this.#skippedFilters;
    skipped.begin();
    const outcome = this.#askPreFilters(state, pod, snapshot, skipped);
    state.skippedFilters = skipped.end();
    return outcome;
  }

  #askPreFilters(state: CycleState, pod: PodInfo, snapshot: Snapshot, skipped: NameSets): PreFilterOutcome {
    let narrowedBy: Set<string> | undefined;
    let nodeNames: ReadonlySet<string> | undefined;
    let rejection: Status | undefined;
    for (let index = 0; index < this.preFilters.length; index += 1) {
      const plugin = this.preFilters[index] as PreFilterPlugin;
      const result = plugin.preFilter(state, pod, snapshot);
      if (result === undefined) continue;
      const code = codeOf(result.status);
      if (code === Code.Skip) {
        skipped.add(index);
      } else if (code === Code.Unschedulable) {
        rejection = result.status;
      } else if (code === Code.UnschedulableAndUnresolvable) {
        return { status: result.status, narrowedBy: undefined };
      } else if (code !== Code.Success) {
        const error = failure(`running PreFilter plugin "${plugin.name}"`, plugin.name, result.status);
        return { status: error, narrowedBy: undefined };
      } else if (result.nodeNames !== undefined) {
        (narrowedBy ??= new Set()).add(plugin.name);
        nodeNames = intersection(nodeNames, result.nodeNames);
        if (nodeNames.size === 0) return { status: nothingLeft(narrowedBy), nodeNames, narrowedBy };
      }
    }
    if (rejection === undefined && nodeNames === undefined) return ALL_NODES;
    return { status: rejection, nodeNames, narrowedBy };
  }

  /** Runs PreScore; notes in `state` which plugins skip. A verdict that is not success ends the attempt. */
  runPreScore(state: CycleState, pod: PodInfo, nodes: NodeList): Status | undefined {
    const skipped = this.#skippedScores;
    skipped.begin();
    for (let index = 0; index < this.preScores.length; index += 1) {
      const plugin = this.preScores[index] as PreScorePlugin;
      const status = plugin.preScore(state, pod, nodes);
      if (status === undefined) continue;
      if (status.code === Code.Skip) skipped.add(index);
      else if (status.code !== Code.Success) {
        return failure(`running PreScore plugin "${plugin.name}"`, plugin.name, status);
      }
    }
    state.skippedScores = skipped.end();
    return undefined;
  }

  /**
   * Runs Filter on one node in the plain form; the first verdict that is not success.
   *
   * @param filters - those of the profile's filters that are asked, in its order
   */
  runFilter(
    state: CycleState,
    pod: PodInfo,
    node: NodeInfo,
    filters: readonly FilterPlugin[] = this.filters,
  ): Status | undefined {
    for (const plugin of filters) {
      if (state.skippedFilters.has(plugin.name)) continue;
      const status = plugin.filter(state, pod, node);
      if (status !== undefined) return filterVerdict(plugin, status);
    }
    return undefined;
  }

  /** The filters of a dry run for a pod, without the plugins that skip in its attempt. */
  activeFilters({ skippedFilters }: CycleState): ActiveFilters {
    // From attempt to attempt it tends to be the same set, and the same object.
    if (this.#active?.skipped !== skippedFilters) {
      const all = this.filters.filter(({ name }) => !skippedFilters.has(name));
      this.#active = {
        skipped: skippedFilters,
        all,
        heedful: all.filter(({ heedsPods }) => heedsPods !== false),
        heedless: all.filter(({ heedsPods }) => heedsPods === false),
        areNodeScoped: all.every(({ filterScope }) => filterScope === 'node'),
        countsPods: this.preFilters.some(
          ({ name, preFilterExtensions }) => preFilterExtensions !== undefined && !skippedFilters.has(name),
        ),
      };
    }
    return this.#active;
  }

  /** Tells PreFilter's states that a pod was put on a copy of a node. */
  runAddPod(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): Status | undefined {
    for (const { name, preFilterExtensions } of this.preFilters) {
      if (preFilterExtensions === undefined || state.skippedFilters.has(name)) continue;
      const status = preFilterExtensions.addPod(state, pod, added, node);
      if (status !== undefined) return failure(`running AddPod on PreFilter plugin "${name}"`, name, status);
    }
    return undefined;
  }

  /** Tells PreFilter's states that a pod was taken from a copy of a node. */
  runRemovePod(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): Status | undefined {
    for (const { name, preFilterExtensions } of this.preFilters) {
      if (preFilterExtensions === undefined || state.skippedFilters.has(name)) continue;
      const status = preFilterExtensions.removePod(state, pod, removed, node);
      if (status !== undefined) return failure(`running RemovePod on PreFilter plugin "${name}"`, name, status);
    }
    return undefined;
  }

  /** Runs PostFilter until one succeeds, fails, or says that nothing can help. */
  runPostFilter(state: CycleState, pod: PodInfo, nodeToStatus: NodeToStatus): PostFilterResult {
    let nominatedNodeName: string | undefined;
    let explanation: PostFilterResult['explanation'];
    const reasons: string[] = [];
    let firstPlugin = '';
    for (const plugin of this.postFilters) {
      const result = plugin.postFilter(state, pod, nodeToStatus);
      const { status } = result;
      if (status === undefined || status.code === Code.Success) return result;
      if (status.code === Code.UnschedulableAndUnresolvable) return result;
      if (!isRejected(status)) return explained({ status }, result.explanation);
      nominatedNodeName = result.nominatedNodeName ?? nominatedNodeName;
      explanation = result.explanation ?? explanation;
      reasons.push(...status.reasons);
      if (firstPlugin === '') firstPlugin = plugin.name;
    }
    const status = createStatus(Code.Unschedulable, firstPlugin, ...reasons);
    return explained({ nominatedNodeName, status }, explanation);
  }

  runReserve(state: CycleState, pod: PodInfo, nodeName: string): Status | undefined {
    for (const plugin of this.#reserves) {
      const status = plugin.reserve(state, pod, nodeName);
      if (status === undefined) continue;
      return isRejected(status) ? status : failure(`running Reserve plugin "${plugin.name}"`, plugin.name, status);
    }
    return undefined;
  }

  /** Takes back what was reserved, last plugin first. */
  runUnreserve(state: CycleState, pod: PodInfo, nodeName: string): void {
    for (let index = this.#reserves.length - 1; index >= 0; index -= 1) {
      this.#reserves[index]?.unreserve(state, pod, nodeName);
    }
  }

  /** Runs Permit; with verdict Wait the pod stands among the waiting pods. */
  runPermit(state: CycleState, pod: PodInfo, nodeName: string): Status | undefined {
    let timeouts: Map<string, number> | undefined;
    for (const plugin of this.#permits) {
      const result = plugin.permit(state, pod, nodeName);
      const status = result?.status;
      if (status === undefined || status.code === Code.Success) continue;
      if (isRejected(status)) return status;
      if (status.code !== Code.Wait) return failure(`running Permit plugin "${plugin.name}"`, plugin.name, status);
      (timeouts ??= new Map()).set(plugin.name, result?.timeoutMs ?? 0);
    }
    if (timeouts === undefined) return undefined;
    this.waitingPods.add(pod.pod, timeouts);
    return createStatus(
      Code.Wait,
      '',
      `one or more plugins asked to wait and no plugin rejected pod "${pod.pod.metadata.name}"`,
    );
  }

  /** Runs PreBind, one plugin after the other. */
  runPreBind(state: CycleState, pod: PodInfo, nodeName: string, done: StatusCallback): void {
    this.#preBindFrom(0, state, pod, nodeName, done);
  }

  #preBindFrom(index: number, state: CycleState, pod: PodInfo, nodeName: string, done: StatusCallback): void {
    const plugin = this.#preBinds[index];
    if (plugin === undefined) return done(undefined);
    plugin.preBind(state, pod, nodeName, (status) => {
      if (status === undefined || status.code === Code.Success || status.code === Code.Skip)
        this.#preBindFrom(index + 1, state, pod, nodeName, done);
      else if (isRejected(status)) done(status);
      else done(failure(`running PreBind plugin "${plugin.name}"`, plugin.name, status));
    });
  }

  /** Runs Bind until one plugin does not skip. */
  runBind(state: CycleState, pod: PodInfo, nodeName: string, done: StatusCallback): void {
    this.#bindFrom(0, state, pod, nodeName, done);
  }

  #bindFrom(index: number, state: CycleState, pod: PodInfo, nodeName: string, done: StatusCallback): void {
    const plugin = this.#binds[index];
    if (plugin === undefined) return done(createStatus(Code.Skip, '', 'all bind plugins skipped'));
    plugin.bind(state, pod, nodeName, (status) => {
      if (status?.code === Code.Skip) this.#bindFrom(index + 1, state, pod, nodeName, done);
      else if (status === undefined || status.code === Code.Success) done(undefined);
      else if (isRejected(status)) done(status);
      else done(failure(`running Bind plugin "${plugin.name}"`, plugin.name, status));
    });
  }

  runPostBind(state: CycleState, pod: PodInfo, nodeName: string): void {
    for (const plugin of this.#postBinds) plugin.postBind(state, pod, nodeName);
  }
}

function pluginsAt(
  point: ExtensionPoint,
  plugins: readonly ProfilePlugin[],
  order: PluginOrder | undefined,
): readonly AnyPlugin[] {
  if (order === undefined) {
    return plugins.map(({ plugin }) => plugin).filter((plugin) => extendsPoint(plugin, point));
  }
  return order.names[point].map((name) => {
    const found = plugins.find(({ plugin }) => plugin.name === name)?.plugin;
    assert(found !== undefined, `the order names plugin ${name} at ${point}, which the profile does not have`);
    return found;
  });
}

/** A Filter's verdict as the attempt sees it: anything but a rejection ends the attempt. */
export function filterVerdict(plugin: FilterPlugin, status: Status): Status | undefined {
  if (status.code === Code.Success) return undefined;
  return isRejected(status) ? status : failure(`running "${plugin.name}" filter plugin`, plugin.name, status);
}

/** An internal fault with upstream's words about where it happened. */
export function failure(where: string, plugin: string, status: Status | undefined): Status {
  return createStatus(Code.Error, plugin, `${where}: ${status === undefined ? '' : messageOf(status)}`);
}

function intersection(a: ReadonlySet<string> | undefined, b: ReadonlySet<string>): ReadonlySet<string> {
  return a === undefined ? b : new Set([...a].filter((name) => b.has(name)));
}

function nothingLeft(narrowedBy: ReadonlySet<string>): Status {
  const names = [...narrowedBy].sort();
  const text =
    names.length === 1
      ? `node(s) didn't satisfy plugin ${names[0] ?? ''}`
      : `node(s) didn't satisfy plugin(s) [${names.join(' ')}] simultaneously`;
  return createStatus(Code.UnschedulableAndUnresolvable, '', text);
}

function explained(result: PostFilterResult, explanation: PostFilterResult['explanation']): PostFilterResult {
  return explanation === undefined ? result : { ...result, explanation };
}
