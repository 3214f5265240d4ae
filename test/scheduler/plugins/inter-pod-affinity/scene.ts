/** InterPodAffinity alone over a snapshot, with the namespaces that a test gives it. */
import type { core, Namespace, Node, Pod, StringMap } from '../../../../src/api/objects/objects.js';
import { SchedulerCache } from '../../../../src/scheduler/cache/scheduler-cache.js';
import { CacheSnapshot } from '../../../../src/scheduler/cache/snapshot.js';
import { CycleState } from '../../../../src/scheduler/framework/cycle-state.js';
import type { NodeList } from '../../../../src/scheduler/framework/interface.js';
import type { NodeInfo } from '../../../../src/scheduler/framework/node-info.js';
import { PodInfo } from '../../../../src/scheduler/framework/pod-info.js';
import type { Status } from '../../../../src/scheduler/framework/status.js';
import type { InterPodAffinityArgs } from '../../../../src/scheduler/plugins/inter-pod-affinity/args.js';
import { InterPodAffinity } from '../../../../src/scheduler/plugins/inter-pod-affinity/inter-pod-affinity.js';
import { testPod, testNode } from '../../support/objects.js';

export const ZONE = 'topology.kubernetes.io/zone';
export const HOST = 'kubernetes.io/hostname';

/** Two nodes in zone x, one in y, one without a zone. */
export const NODES: readonly Node[] = [
  testNode('x1', { zone: 'x' }),
  testNode('x2', { zone: 'x' }),
  testNode('y1', { zone: 'y' }),
  testNode('bare'),
];

/** A term for pods of an app. */
export function term(topologyKey: string, app: string, more: Partial<core.PodAffinityTerm> = {}): core.PodAffinityTerm {
  return { topologyKey, labelSelector: { matchLabels: { app } }, ...more };
}

/** Scores by node name; absent when the plugin has nothing to say. */
export interface SceneScores {
  readonly raw: Readonly<Record<string, number>>;
  readonly normalized: Readonly<Record<string, number>>;
}

/** A namespace with labels. */
export function testNamespace(name: string, labels?: StringMap): Namespace {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      uid: `namespace-${name}`,
      resourceVersion: '1',
      creationTimestamp: '2030-01-01T00:00:00Z',
      ...(labels === undefined ? {} : { labels }),
    },
  };
}

/** A pod with affinity. */
export function affinePod(name: string, affinity: core.Affinity, labels: StringMap = {}, namespace = 'default'): Pod {
  return testPod(name, { labels, namespace, spec: { affinity } });
}

/** Terms in the places where a pod has them. */
export function affinityOf(terms: {
  readonly near?: core.PodAffinityTerm[];
  readonly apart?: core.PodAffinityTerm[];
  readonly preferNear?: core.WeightedPodAffinityTerm[];
  readonly preferApart?: core.WeightedPodAffinityTerm[];
}): core.Affinity {
  return {
    ...(terms.near === undefined && terms.preferNear === undefined
      ? {}
      : { podAffinity: group(terms.near, terms.preferNear) }),
    ...(terms.apart === undefined && terms.preferApart === undefined
      ? {}
      : { podAntiAffinity: group(terms.apart, terms.preferApart) }),
  };
}

function group(required?: core.PodAffinityTerm[], preferred?: core.WeightedPodAffinityTerm[]): core.PodAffinity {
  return {
    ...(required === undefined ? {} : { requiredDuringSchedulingIgnoredDuringExecution: required }),
    ...(preferred === undefined ? {} : { preferredDuringSchedulingIgnoredDuringExecution: preferred }),
  };
}

/** See the file header. */
export class Scene {
  readonly cache = new SchedulerCache();
  readonly snapshot = new CacheSnapshot();
  readonly namespaces = new Map<string, Namespace>();
  readonly plugin: InterPodAffinity;

  constructor(nodes: readonly Node[] = [], args: InterPodAffinityArgs = {}) {
    this.plugin = new InterPodAffinity(args, {
      snapshot: this.snapshot,
      objects: (kind) => (kind === 'Namespace' ? this.namespaces.values() : []),
    });
    for (const node of nodes) this.cache.setNode(node);
  }

  /** Makes namespaces known. */
  declare(...namespaces: readonly Namespace[]): this {
    for (const namespace of namespaces) this.namespaces.set(namespace.metadata.name, namespace);
    return this;
  }

  /** Puts a pod on a node. */
  place(pod: Pod, nodeName: string): Pod {
    const placed: Pod = { ...pod, spec: { ...pod.spec, nodeName } };
    this.cache.addPod(placed);
    return placed;
  }

  /** The state after PreFilter; `undefined` when it skipped. */
  prepare(pod: Pod): CycleState | undefined {
    this.cache.updateSnapshot(this.snapshot);
    const state = new CycleState();
    const result = this.plugin.preFilter(state, new PodInfo(pod), this.snapshot);
    return result === undefined ? state : undefined;
  }

  /** Reasons of rejected nodes by name, feasible nodes with `''`; `undefined` when PreFilter skipped. */
  judge(pod: Pod): Record<string, string> | undefined {
    const state = this.prepare(pod);
    if (state === undefined) return undefined;
    const info = new PodInfo(pod);
    return this.#byNode((node) => reasonOf(this.plugin.filter(state, info, node)));
  }

  /** The same by the column form. */
  judgeByColumns(pod: Pod): Record<string, string> | undefined {
    const state = this.prepare(pod);
    if (state === undefined) return undefined;
    const filter = this.plugin.compileFilter(state);
    if (filter === undefined) throw new RangeError('no column form');
    const verdicts = new Int32Array(this.snapshot.columns.capacity);
    const base = 1 << 16;
    filter.filter(this.snapshot.order, this.snapshot.size, verdicts, base);
    return this.#byNode(({ slot }) => {
      const verdict = verdicts[slot] as number;
      return verdict === 0 ? '' : reasonOf(filter.statusOf(verdict - base));
    });
  }

  /** Scores of these nodes, or of all; `undefined` when PreScore skipped. */
  score(pod: Pod, nodeNames?: readonly string[], isByColumns = false): SceneScores | undefined {
    this.cache.updateSnapshot(this.snapshot);
    const nodes = this.nodeList(nodeNames ?? this.snapshot.nodes.map(({ name }) => name));
    const state = new CycleState();
    const info = new PodInfo(pod);
    if (this.plugin.preScore(state, info) !== undefined) return undefined;
    let raw = Float64Array.from(nodes.nodes, (node) => this.plugin.score(state, info, node));
    if (isByColumns) {
      const bySlot = new Float64Array(this.snapshot.columns.capacity).fill(Number.NaN);
      this.plugin.compileScore(state)?.score(nodes.slots, nodes.count, bySlot);
      raw = Float64Array.from(nodes.slots, (slot) => bySlot[slot] as number);
    }
    const normalized = raw.slice();
    this.plugin.normalizeScore(state, info, normalized);
    const named = (values: Float64Array): Record<string, number> =>
      Object.fromEntries(nodes.nodes.map(({ name }, index) => [name, values[index] as number]));
    return { raw: named(raw), normalized: named(normalized) };
  }

  /** Nodes as PreScore gets them. */
  nodeList(names: readonly string[]): NodeList {
    const nodes = names.map((name) => this.node(name));
    return { count: nodes.length, slots: Int32Array.from(nodes, ({ slot }) => slot), nodes };
  }

  node(name: string): NodeInfo {
    const node = this.snapshot.get(name);
    if (node === undefined) throw new RangeError(`no node ${name}`);
    return node;
  }

  #byNode(verdictOf: (node: NodeInfo) => string): Record<string, string> {
    return Object.fromEntries(this.snapshot.nodes.map((node) => [node.name, verdictOf(node)]));
  }
}

function reasonOf(status: Status | undefined): string {
  return status === undefined ? '' : `${status.code} ${status.reasons.join(', ')}`;
}
