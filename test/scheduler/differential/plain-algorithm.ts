/**
 * `schedulePod` of kube-scheduler v1.34 word for word, with parallelism 1: nodes are visited one by one,
 * every score is computed, nothing is kept.
 */
import type { RandomStream } from '../../../src/kernel/random.js';
import type { CycleState } from '../../../src/scheduler/framework/cycle-state.js';
import type { NodeList, Snapshot } from '../../../src/scheduler/framework/interface.js';
import type { NodeInfo } from '../../../src/scheduler/framework/node-info.js';
import {
  Code,
  codeOf,
  createStatus,
  isRejected,
  messageOf,
  type Status,
} from '../../../src/scheduler/framework/status.js';
import { fault, nodesText, type PlainFramework } from './plain-framework.js';
import { plainStatus, type ByNode } from './side.js';

/** What the algorithm is made of. */
export interface PlainAlgorithmOptions {
  readonly profile: PlainFramework;
  readonly snapshot: Snapshot;
  readonly random: RandomStream;
  readonly percentageOfNodesToScore: number;
  readonly start: { index: number };
}

/** Why no node takes a pod. */
export interface PlainFailure {
  readonly statuses: ReadonlyMap<string, Status>;
  readonly absent: Status;
  readonly unschedulablePlugins: readonly string[];
  readonly pendingPlugins: readonly string[];
  /** Without what PostFilter says. */
  readonly message: string;
}

/** The outcome; what is not there was not come to. */
export interface PlainDecision {
  readonly facts: Record<string, unknown>;
  /** What was said of single nodes. */
  readonly nodes?: Readonly<Record<string, unknown>>;
  readonly nodeName?: string;
  readonly failure?: PlainFailure;
}

const NOT_VISITED = createStatus(Code.UnschedulableAndUnresolvable, '');
const NO_NODES = createStatus(Code.UnschedulableAndUnresolvable, '', 'no nodes available to schedule pods');

/** Decides; see the file header. */
export function decidePlainly(state: CycleState, options: PlainAlgorithmOptions): PlainDecision {
  return new PlainCycle(state, options).run();
}

class PlainCycle {
  readonly #state: CycleState;
  readonly #options: PlainAlgorithmOptions;
  /** Why nodes do not take the pod, in the order in which that was found out. */
  readonly #statuses = new Map<string, Status>();
  readonly #feasible: NodeInfo[] = [];
  #absent = NOT_VISITED;

  constructor(state: CycleState, options: PlainAlgorithmOptions) {
    this.#state = state;
    this.#options = options;
  }

  run(): PlainDecision {
    const { profile, snapshot } = this.#options;
    if (snapshot.size === 0) return this.#error(NO_NODES);
    const { status, nodeNames, narrowedBy } = profile.preFilter(this.#state, snapshot);
    if (status !== undefined) {
      if (!isRejected(status)) return this.#error(status);
      this.#absent = status;
      return this.#unfit(
        [...narrowedBy, status.plugin].filter((name) => name !== ''),
        `${messageOf(status)}.`,
      );
    }
    const { nominatedNodeName = '' } = profile.pod.pod.status;
    const nominated = nominatedNodeName === '' ? undefined : snapshot.get(nominatedNodeName);
    if (nominated !== undefined) {
      const verdict = profile.verdictOn(this.#state, nominated);
      if (verdict === undefined) return this.#placed(nominated, { isNominated: true });
      if (isRejected(verdict)) this.#statuses.set(nominated.name, verdict);
    }
    const error = this.#scan(nodeNames, narrowedBy);
    if (error !== undefined) return this.#error(error);
    const [only] = this.#feasible;
    if (only === undefined) return this.#unfit(narrowedBy, undefined);
    return this.#feasible.length === 1 ? this.#placed(only, {}) : this.#choose();
  }

  #scan(nodeNames: readonly string[] | undefined, narrowedBy: readonly string[]): Status | undefined {
    const { profile, snapshot, start, percentageOfNodesToScore } = this.#options;
    let candidates = snapshot.nodes;
    if (nodeNames !== undefined) {
      candidates = nodeNames.flatMap((name) => snapshot.get(name) ?? []);
      // Upstream's set of names has become that of the diagnosis, and so has what the nominated node said.
      const names = new Set([...narrowedBy, ...[...this.#statuses.values()].map(({ plugin }) => plugin)]);
      const text = `node(s) didn't satisfy plugin(s) [${[...names].sort().join(' ')}]`;
      this.#absent = createStatus(Code.UnschedulableAndUnresolvable, '', text);
    }
    const { length } = candidates;
    const enough = enoughNodes(length, percentageOfNodesToScore);
    let error: Status | undefined;
    for (let step = 0; step < length; step += 1) {
      const node = candidates[(start.index + step) % length] as NodeInfo;
      const verdict = profile.verdictOn(this.#state, node);
      if (verdict === undefined) {
        // The node that would be one too many ends the walk.
        if (this.#feasible.length === enough) break;
        this.#feasible.push(node);
      } else if (isRejected(verdict)) this.#statuses.set(node.name, verdict);
      else {
        error = verdict;
        break;
      }
    }
    start.index = (start.index + this.#feasible.length + this.#statuses.size) % snapshot.size;
    return error;
  }

  #choose(): PlainDecision {
    const { profile, random } = this.#options;
    const { framework, pod } = profile;
    const nodes = this.#feasible;
    const list: NodeList = { count: nodes.length, slots: Int32Array.from(nodes, ({ slot }) => slot), nodes };
    const skipped = new Set<string>();
    for (const plugin of framework.preScores) {
      const status = plugin.preScore(this.#state, pod, list);
      if (codeOf(status) === Code.Skip) skipped.add(plugin.name);
      else if (codeOf(status) !== Code.Success)
        return this.#error(fault(`running PreScore plugin "${plugin.name}"`, plugin.name, status));
    }
    const totals = nodes.map(() => 0);
    const raws: Record<string, ByNode> = {};
    const normalized: Record<string, ByNode> = {};
    for (const { plugin, weight } of framework.scores) {
      if (skipped.has(plugin.name)) continue;
      const raw = new Float64Array(nodes.length);
      for (const [index, node] of nodes.entries()) {
        const score = plugin.score(this.#state, pod, node);
        if (typeof score !== 'number')
          return this.#error(fault(`running Score plugin "${plugin.name}"`, plugin.name, score));
        raw[index] = score;
      }
      raws[plugin.name] = this.#byNode(raw);
      const scores = raw.slice();
      plugin.normalizeScore?.(this.#state, pod, scores, list);
      normalized[plugin.name] = this.#byNode(scores);
      for (const [index, score] of scores.entries()) totals[index] = (totals[index] ?? 0) + score * weight;
    }
    const total = Math.max(...totals);
    const best = nodes.filter((_node, index) => totals[index] === total);
    const drawn = best.length === 1 ? 0 : random.int(0, best.length - 1);
    const chosen = best[drawn] as NodeInfo;
    const choice = { total, ties: best.length, position: nodes.indexOf(chosen), drawn };
    const names = best.map(({ name }) => name);
    return this.#placed(chosen, choice, { raw: raws, normalized, totals: this.#byNode(totals), best: names });
  }

  #byNode(values: ArrayLike<number>): ByNode {
    return Object.fromEntries(this.#feasible.map(({ name }, index) => [name, values[index] ?? 0]));
  }

  #placed({ name }: NodeInfo, choice: object, scores?: object): PlainDecision {
    const alone = { total: 0, ties: 1, position: 0, drawn: 0, isNominated: false };
    const best = this.#feasible.map((node) => node.name);
    return {
      facts: { kind: 'placed', start: this.#options.start.index, nodeName: name, ...alone, ...choice },
      nodes: { ...this.#nodes, ...(scores ?? { raw: {}, normalized: {}, totals: {}, best }) },
      nodeName: name,
    };
  }

  #unfit(plugins: readonly string[], preFilterText: string | undefined): PlainDecision {
    const { snapshot } = this.#options;
    const blamed = (isPending: boolean): string[] =>
      [...this.#statuses.values()]
        .filter(({ code, plugin }) => plugin !== '' && (code === Code.Pending) === isPending)
        .map(({ plugin }) => plugin);
    const message =
      preFilterText === undefined
        ? nodesText(this.#statuses, this.#absent, snapshot.size)
        : `0/${snapshot.size} nodes are available: ${preFilterText}`;
    const failure = {
      statuses: this.#statuses,
      absent: this.#absent,
      unschedulablePlugins: [...new Set([...plugins, ...blamed(false)])].sort(),
      pendingPlugins: [...new Set(blamed(true))].sort(),
      message,
    };
    return { facts: { kind: 'unfit', start: this.#options.start.index }, nodes: this.#nodes, failure };
  }

  #error(status: Status): PlainDecision {
    return { facts: { kind: 'error', status: plainStatus(status), start: this.#options.start.index } };
  }

  get #nodes(): Readonly<Record<string, unknown>> {
    return {
      feasible: this.#feasible.map(({ name }) => name),
      rejected: [...this.#statuses].map(([name, status]) => [name, plainStatus(status)]),
    };
  }
}

/** Upstream: `numFeasibleNodesToFind`. */
function enoughNodes(nodeCount: number, percentage: number): number {
  if (nodeCount < 100 || percentage >= 100) return nodeCount;
  const share = percentage === 0 ? Math.max(50 - Math.trunc(nodeCount / 125), 5) : percentage;
  return Math.max(Math.trunc((nodeCount * share) / 100), 100);
}
