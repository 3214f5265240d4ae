/** The plugin on its own over a real cache and snapshot: what it says of nodes, in both forms. */
import type { AnyObject, Node, Pod } from '../../../../src/api/objects/objects.js';
import { SchedulerCache } from '../../../../src/scheduler/cache/scheduler-cache.js';
import { CacheSnapshot } from '../../../../src/scheduler/cache/snapshot.js';
import { CycleState } from '../../../../src/scheduler/framework/cycle-state.js';
import type { NodeList } from '../../../../src/scheduler/framework/interface.js';
import type { NodeInfo } from '../../../../src/scheduler/framework/node-info.js';
import { PodInfo } from '../../../../src/scheduler/framework/pod-info.js';
import { Code, codeName, codeOf, type Status } from '../../../../src/scheduler/framework/status.js';
import type { PodTopologySpreadArgs } from '../../../../src/scheduler/plugins/pod-topology-spread/args.js';
import { PodTopologySpread } from '../../../../src/scheduler/plugins/pod-topology-spread/pod-topology-spread.js';

/** A verdict as recordings spell it. */
export interface PlainVerdict {
  readonly plugin: string;
  readonly code: string;
  readonly reasons: readonly string[];
}

/** Raw and normalised scores by node. */
export interface PlainScores {
  readonly raw: Record<string, number>;
  readonly normalized: Record<string, number>;
}

/** What the plugin says, once per form; the forms must agree. */
export interface TwoForms<T> {
  readonly plain: T;
  readonly columns: T;
}

const BASE = 1 << 16;

/** See the file header. */
export class SpreadStage {
  readonly cache = new SchedulerCache();
  readonly snapshot = new CacheSnapshot();
  readonly plugin: PodTopologySpread;
  /** Services and owners. */
  readonly objects: AnyObject[] = [];

  constructor(args?: PodTopologySpreadArgs) {
    this.plugin = new PodTopologySpread(args, {
      snapshot: this.snapshot,
      objects: (kind) => this.objects.filter((object) => object.kind === kind),
    });
  }

  addNodes(...nodes: readonly Node[]): this {
    for (const node of nodes) this.cache.setNode(node);
    return this;
  }

  /** Puts a pod on a node. */
  place(pod: Pod, nodeName: string): Pod {
    const placed: Pod = { ...pod, spec: { ...pod.spec, nodeName } };
    this.cache.addPod(placed);
    return placed;
  }

  /** Runs PreFilter over the nodes as they are now; `undefined` if the plugin has nothing to filter. */
  begin(pod: Pod): CycleState | undefined {
    this.cache.updateSnapshot(this.snapshot);
    const state = new CycleState();
    const result = this.plugin.preFilter(state, new PodInfo(pod), this.snapshot);
    return codeOf(result?.status) === Code.Skip ? undefined : state;
  }

  /** Verdicts by node; empty if the plugin has nothing to filter. */
  filter(pod: Pod): TwoForms<Record<string, PlainVerdict | null>> {
    const state = this.begin(pod);
    const verdicts = { plain: {}, columns: {} } as TwoForms<Record<string, PlainVerdict | null>>;
    if (state === undefined) return verdicts;
    const { columns, order, size } = this.snapshot;
    const compiled = this.plugin.compileFilter(state);
    const codes = new Int32Array(columns.capacity);
    compiled?.filter(order, size, codes, BASE);
    for (const node of this.snapshot.nodes) {
      verdicts.plain[node.name] = plainVerdict(this.plugin.filter(state, new PodInfo(pod), node));
      const code = codes[node.slot] as number;
      verdicts.columns[node.name] = code === 0 ? null : plainVerdict(compiled?.statusOf(code - BASE));
    }
    return verdicts;
  }

  /** Scores of the named nodes; `undefined` if the plugin has nothing to score. */
  score(pod: Pod, names: readonly string[]): TwoForms<PlainScores> | undefined {
    this.cache.updateSnapshot(this.snapshot);
    const state = new CycleState();
    const info = new PodInfo(pod);
    const list = this.listOf(names);
    if (codeOf(this.plugin.preScore(state, info, list)) === Code.Skip) return undefined;
    const plain = Float64Array.from(list.nodes, (node) => this.plugin.score(state, info, node));
    const bySlot = new Float64Array(this.snapshot.columns.capacity);
    this.plugin.compileScore(state)?.score(list.slots, list.count, bySlot);
    const columns = Float64Array.from(list.slots, (slot) => bySlot[slot] as number);
    const finish = (raw: Float64Array): PlainScores => {
      const normalized = raw.slice();
      this.plugin.normalizeScore(state, info, normalized, list);
      return { raw: byName(names, raw), normalized: byName(names, normalized) };
    };
    return { plain: finish(plain), columns: finish(columns) };
  }

  node(name: string): NodeInfo {
    const node = this.snapshot.get(name);
    if (node === undefined) throw new RangeError(`no node ${name} in the snapshot`);
    return node;
  }

  listOf(names: readonly string[]): NodeList {
    const nodes = names.map((name) => this.node(name));
    return { count: nodes.length, slots: Int32Array.from(nodes, ({ slot }) => slot), nodes };
  }
}

function byName(names: readonly string[], scores: Float64Array): Record<string, number> {
  return Object.fromEntries(names.map((name, index) => [name, scores[index] as number]));
}

/** A verdict as recordings spell it; `null` is success. */
export function plainVerdict(status: Status | undefined): PlainVerdict | null {
  if (status === undefined) return null;
  return { plugin: status.plugin, code: codeName(status.code), reasons: [...status.reasons].sort() };
}
