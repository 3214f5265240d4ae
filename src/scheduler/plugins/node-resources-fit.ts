import { ActionType, onEvent, type ClusterEventWithHint } from '../framework/cluster-event.js';
import type { CycleState } from '../framework/cycle-state.js';
import type {
  ColumnFilter,
  ColumnScore,
  FilterPlugin,
  PreFilterPlugin,
  ResourceDemand,
  ResourceScore,
  ScorePlugin,
} from '../framework/interface.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { NodeInfo } from '../framework/node-info.js';
import type { PodInfo } from '../framework/pod-info.js';
import { amountIn, isExtendedResource, isScalarResource, type Resource } from '../framework/resource.js';
import type { Status } from '../framework/status.js';
import { compileFitFilter } from './fit-columns.js';
import { afterNodeChange, afterPodChange } from './fit-hints.js';
import { findShortages, rejectionOf, type FitRequest } from './fit-shortage.js';
import { compileResourceScore, leastAllocatedWeights } from './resource-score-columns.js';
import {
  scorerOf,
  weightedMean,
  weightedResourcesOf,
  type ResourceScorer,
  type ScoringStrategy,
  type WeightedResource,
} from './resource-scorer.js';

const NO_SCALARS: FitRequest['scalars'] = [];

/** NodeResourcesFitArgs. */
export interface NodeResourcesFitArgs {
  /** Extended resources that are not looked at. */
  readonly ignoredResources?: readonly string[] | undefined;
  /** Domains of extended resources that are not looked at. */
  readonly ignoredResourceGroups?: readonly string[] | undefined;
  readonly scoringStrategy?: ScoringStrategy | undefined;
}

/** Rejects nodes without room and ranks them by what they have left. Upstream: plugin NodeResourcesFit of kube-scheduler v1.34. */
export class NodeResourcesFit implements PreFilterPlugin, FilterPlugin, ScorePlugin {
  readonly name = 'NodeResourcesFit';
  readonly filterScope = 'node';
  readonly scoreScope = 'node';
  readonly #ignored: ReadonlySet<string>;
  readonly #ignoredGroups: ReadonlySet<string>;
  readonly #resources: readonly WeightedResource[];
  readonly #scorer: ResourceScorer;
  readonly #leastWeights: ReturnType<typeof leastAllocatedWeights>;
  readonly #requests = new WeakMap<Resource, FitRequest>();
  #lastRequests: Resource | undefined;
  #lastRequest: FitRequest | undefined;

  constructor(args: NodeResourcesFitArgs = {}) {
    this.#ignored = new Set(args.ignoredResources);
    this.#ignoredGroups = new Set(args.ignoredResourceGroups);
    this.#resources = weightedResourcesOf(args.scoringStrategy ?? {});
    this.#scorer = scorerOf(args.scoringStrategy ?? {});
    this.#leastWeights = leastAllocatedWeights(this.#resources, this.#scorer);
  }

  answersByShape(): boolean {
    return true;
  }

  /** Nothing to write down: the shape carries the pod's requests. */
  preFilter(): undefined {
    return undefined;
  }

  filter(_state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    return rejectionOf(findShortages(this.#requestOf(pod), node));
  }

  demandOf(pod: PodInfo): ResourceDemand {
    return this.#requestOf(pod);
  }

  compileFilter(_state: CycleState, pod: PodInfo, columns: NodeColumns): ColumnFilter | undefined {
    return compileFitFilter(this.#requestOf(pod), columns);
  }

  score(_state: CycleState, pod: PodInfo, node: NodeInfo): number {
    let sum = 0;
    let weights = 0;
    for (const { name, weight } of this.#resources) {
      const request = amountIn(pod.shape.scoreRequests, name);
      const capacity = amountIn(node.allocatable, name);
      if (capacity === 0 || (request === 0 && isScalarResource(name))) continue;
      const score = this.#scorer.scoreOf(request + usedOn(node, name), capacity);
      if (this.#scorer.isRatio && score <= 0) continue;
      sum += score * weight;
      weights += weight;
    }
    return weightedMean(sum, weights, this.#scorer.isRatio);
  }

  compileScore(_state: CycleState, pod: PodInfo, columns: NodeColumns): ColumnScore {
    return compileResourceScore(pod.shape.scoreRequests, this.#resources, this.#scorer, columns);
  }

  resourceScore({ shape }: PodInfo): ResourceScore | undefined {
    if (this.#leastWeights === undefined) return undefined;
    const { cpuMillis, memoryBytes } = shape.scoreRequests;
    const { cpu, memory } = this.#leastWeights;
    return { formula: 'least-allocated', cpuMillis, memoryBytes, cpuWeight: cpu, memoryWeight: memory };
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      onEvent('Pod', ActionType.Delete | ActionType.UpdatePodScaleDown, afterPodChange),
      onEvent('Node', ActionType.Add | ActionType.UpdateNodeAllocatable, (pod, oldObject, newObject) =>
        afterNodeChange(pod, oldObject, newObject, (info) => this.#requestOf(info)),
      ),
    ];
  }

  /** What Filter asks for, without what is ignored; worked out once per shape where that is more than a copy. */
  #requestOf({ shape }: PodInfo): FitRequest {
    const { requests } = shape.usage;
    if (requests === this.#lastRequests && this.#lastRequest !== undefined) return this.#lastRequest;
    let request = requests.scalars.size === 0 ? undefined : this.#requests.get(requests);
    if (request === undefined) {
      request = this.#createRequest(requests);
      if (requests.scalars.size > 0) this.#requests.set(requests, request);
    }
    this.#lastRequests = requests;
    this.#lastRequest = request;
    return request;
  }

  #createRequest({ cpuMillis, memoryBytes, ephemeralBytes, scalars }: Resource): FitRequest {
    return {
      cpuMillis,
      memoryBytes,
      ephemeralBytes,
      scalars:
        scalars.size === 0 ? NO_SCALARS : [...scalars].filter(([name, amount]) => amount > 0 && !this.#isIgnored(name)),
      isEmpty: cpuMillis === 0 && memoryBytes === 0 && ephemeralBytes === 0 && scalars.size === 0,
    };
  }

  #isIgnored(name: string): boolean {
    if (!isExtendedResource(name)) return false;
    return this.#ignored.has(name) || this.#ignoredGroups.has(name.slice(0, name.indexOf('/')));
  }
}

/** What a node's pods count for in the score: cpu and memory with defaults for pods that request none. */
function usedOn(node: NodeInfo, name: string): number {
  if (name === 'cpu') return node.nonZeroCpuMillis;
  if (name === 'memory') return node.nonZeroMemoryBytes;
  if (name === 'ephemeral-storage') return node.ephemeralBytes;
  return node.scalars.get(name) ?? 0;
}
