/**
 * Existing pods as the plugin sums them up: by what their own terms say, and by whether an incoming pod's
 * terms match them, each per value of a topology key. The index follows the columns: only nodes with a new
 * version are looked at, and there only the pods that came or went. Upstream walks over all
 * pods in each attempt instead (`getIncomingAffinityAntiAffinityCounts`, kube-scheduler v1.34).
 */
import type { StringMap } from '../../../api/objects/objects.js';
import { LogPlace } from '../../framework/follower.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { PodShape } from '../../framework/pod-shape.js';
import { podTermsOf } from './affinity-terms.js';
import { DomainSum } from './domain-sum.js';
import { LabelBuckets, SelectorBuckets } from './label-buckets.js';
import type { PodMatcher } from './pod-matcher.js';
import { TermSums } from './term-sums.js';
import { TopologyColumn } from '../topology-column.js';

/** A label set's number that no node has. */
const NO_NODE = -1;
const NO_PODS: readonly PodInfo[] = [];
/** Sums beyond twice those in use at the beginning, and values beyond four per slot, before all is built anew. */
const SPARE = 4096;

/** A sum that pods of a shape add to. */
interface Feed {
  readonly sum: DomainSum;
  readonly weight: number;
}

/** A shape of which pods are on nodes. */
interface PlacedShape {
  readonly shape: PodShape;
  readonly feeds: Feed[];
  /** Pods by slot of their node. */
  readonly pods: Map<number, number>;
}

/** Pods that an incoming pod's terms match. */
interface MatchSum {
  readonly matcher: PodMatcher;
  readonly sum: DomainSum;
}

/** See the file header. Holds for one layout of the columns. */
export class PodIndex {
  /** What required anti-affinity terms of existing pods forbid; each weighs 1. */
  readonly antiAffinity: TermSums;
  /** What required affinity terms of existing pods ask for; each weighs 1. */
  readonly affinity: TermSums;
  /** What existing pods prefer, by weight; anti-affinity is negative. */
  readonly preferred: TermSums;
  readonly #columns: NodeColumns;
  readonly #layout: number;
  readonly #shapes = new Map<PodShape, PlacedShape>();
  readonly #shapesByPair = new LabelBuckets<PlacedShape>();
  readonly #matches = new Map<string, MatchSum>();
  readonly #matchesByPair = new SelectorBuckets<MatchSum>();
  readonly #topologies = new Map<string, TopologyColumn>();
  /** By slot, as of the last look: version, label set, the shapes of the node's pods in its order. */
  readonly #versions: Int32Array;
  readonly #labelSets: Int32Array;
  readonly #placed: (PlacedShape[] | undefined)[] = [];
  readonly #place = new LogPlace();
  /** Sums after the first look. */
  #initialSize = 0;

  constructor(columns: NodeColumns) {
    const { capacity, layout } = columns;
    const createSum = (topologyKey: string): DomainSum => new DomainSum(this.#topologyOf(topologyKey));
    this.#columns = columns;
    this.#layout = layout;
    this.#versions = new Int32Array(capacity);
    this.#labelSets = new Int32Array(capacity).fill(NO_NODE);
    this.antiAffinity = new TermSums(createSum);
    this.affinity = new TermSums(createSum);
    this.preferred = new TermSums(createSum);
    this.refresh();
    this.#initialSize = this.#size;
  }

  /** Whether the index can follow these columns, and is not mostly about what is gone. */
  isGoodFor(columns: NodeColumns): boolean {
    if (this.#columns !== columns || this.#layout !== columns.layout) return false;
    if (this.#size > 2 * this.#initialSize + SPARE) return false;
    for (const { size } of this.#topologies.values()) if (size > 4 * columns.capacity + SPARE) return false;
    return true;
  }

  /** Makes the sums agree with the columns. */
  refresh(): void {
    const { nodes, names, written } = this.#columns;
    if (nodes === undefined) return;
    const from = this.#place.advance(written);
    if (from === undefined) {
      for (let slot = 0; slot < names.length; slot += 1) this.#look(slot, nodes[slot]);
    } else {
      for (let position = from; position < written.end; position += 1) {
        const slot = written.slotAt(position);
        this.#look(slot, nodes[slot]);
      }
    }
  }

  /** How many pods match, by value of a topology key; kept up from now on. */
  matchesOf(matcher: PodMatcher, topologyKey: string): DomainSum {
    const key = `${topologyKey}/${matcher.text}`;
    let known = this.#matches.get(key);
    if (known === undefined) {
      known = { matcher, sum: new DomainSum(this.#topologyOf(topologyKey)) };
      this.#matches.set(key, known);
      this.#matchesByPair.add(matcher.pairs, known);
      this.#countAll(known);
    }
    return known.sum;
  }

  get #size(): number {
    return this.#matches.size + this.antiAffinity.size + this.affinity.size + this.preferred.size;
  }

  #look(slot: number, info: NodeInfo | undefined): void {
    const version = this.#columns.arrays.version[slot] as number;
    if (this.#versions[slot] === version) return;
    this.#versions[slot] = version;
    const node = info?.node;
    const labelSet = node === undefined ? NO_NODE : (this.#columns.arrays.labelSet[slot] as number);
    const placed = (this.#placed[slot] ??= []);
    if (labelSet !== this.#labelSets[slot]) {
      this.#shorten(placed, slot, 0);
      this.#labelSets[slot] = labelSet;
      for (const topology of this.#topologies.values()) topology.place(slot, node?.metadata.labels);
    }
    const pods = info === undefined || node === undefined ? NO_PODS : info.pods;
    for (let index = 0; index < pods.length; index += 1) {
      const { shape } = pods[index] as PodInfo;
      const before = placed[index];
      if (before?.shape === shape) continue;
      const now = this.#placedShape(shape);
      placed[index] = now;
      this.#count(now, slot, 1);
      if (before !== undefined) this.#count(before, slot, -1);
    }
    this.#shorten(placed, slot, pods.length);
  }

  #shorten(placed: PlacedShape[], slot: number, length: number): void {
    for (let index = length; index < placed.length; index += 1) this.#count(placed[index] as PlacedShape, slot, -1);
    if (placed.length > length) placed.length = length;
  }

  #count(placed: PlacedShape, slot: number, pods: 1 | -1): void {
    const { feeds } = placed;
    for (let index = 0; index < feeds.length; index += 1) {
      const { sum, weight } = feeds[index] as Feed;
      sum.add(slot, pods, weight);
    }
    const left = (placed.pods.get(slot) ?? 0) + pods;
    if (left > 0) placed.pods.set(slot, left);
    else {
      placed.pods.delete(slot);
      if (placed.pods.size === 0) this.#forget(placed);
    }
  }

  #placedShape(shape: PodShape): PlacedShape {
    let placed = this.#shapes.get(shape);
    if (placed === undefined) {
      placed = { shape, feeds: this.#feedsOf(shape), pods: new Map() };
      this.#shapes.set(shape, placed);
      this.#shapesByPair.add(shape.labels, placed);
    }
    return placed;
  }

  #forget(placed: PlacedShape): void {
    this.#shapes.delete(placed.shape);
    this.#shapesByPair.delete(placed.shape.labels, placed);
  }

  #feedsOf(shape: PodShape): Feed[] {
    const { requiredAffinity, requiredAntiAffinity, preferred } = podTermsOf(shape);
    const feeds: Feed[] = [];
    for (const term of requiredAntiAffinity) feeds.push({ sum: this.antiAffinity.sumOf(term), weight: 1 });
    for (const term of requiredAffinity) feeds.push({ sum: this.affinity.sumOf(term), weight: 1 });
    for (const { term, weight } of preferred) feeds.push({ sum: this.preferred.sumOf(term), weight });
    this.#matchesByPair.visit(shape.labels, ({ matcher, sum }) => {
      if (matcher.matches(shape)) feeds.push({ sum, weight: 1 });
    });
    return feeds;
  }

  /** Counts the pods that are there already. */
  #countAll({ matcher, sum }: MatchSum): void {
    for (const { shape, feeds, pods } of this.#shapesByPair.having(matcher.pairs)) {
      if (!matcher.matches(shape)) continue;
      feeds.push({ sum, weight: 1 });
      for (const [slot, count] of pods) sum.add(slot, count, 1);
    }
  }

  #topologyOf(key: string): TopologyColumn {
    let topology = this.#topologies.get(key);
    if (topology === undefined) {
      topology = new TopologyColumn(key, this.#columns.capacity);
      this.#topologies.set(key, topology);
      const labelSets = this.#columns.tables.labelSets as readonly (StringMap | undefined)[];
      for (const [slot, labelSet] of this.#labelSets.entries()) {
        if (labelSet !== NO_NODE) topology.place(slot, labelSets[labelSet]);
      }
    }
    return topology;
  }
}
