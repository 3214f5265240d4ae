/**
 * The three scoring strategies of NodeResourcesFit, as functions of what would be requested on a node
 * and what it can give. Upstream: `noderesources/{least,most}_allocated.go` and
 * `requested_to_capacity_ratio.go` of kube-scheduler v1.34.
 */
import { MAX_NODE_SCORE } from '../framework/interface.js';

/** A resource and what it weighs in the score. */
export interface WeightedResource {
  readonly name: string;
  readonly weight: number;
}

/** A point of a utilisation shape: utilisation 0..100, score 0..10. */
export interface ShapePoint {
  readonly utilization: number;
  readonly score: number;
}

/** `scoringStrategy` of NodeResourcesFitArgs. */
export interface ScoringStrategy {
  readonly type?: 'LeastAllocated' | 'MostAllocated' | 'RequestedToCapacityRatio';
  readonly resources?: readonly { readonly name: string; readonly weight?: number | undefined }[];
  readonly requestedToCapacityRatio?: { readonly shape?: readonly ShapePoint[] | undefined } | undefined;
}

/** Adds up one node's resources, one after another. */
export interface ResourceScorer {
  /** Score of one resource; `capacity` is above 0. */
  scoreOf(requested: number, capacity: number): number;
  /** Whether a resource without score takes no part, and whether the mean is rounded and not cut. */
  readonly isRatio: boolean;
}

/** Points of a shape are 0..10, scores 0..100. */
const SHAPE_SCALE = MAX_NODE_SCORE / 10;

const DEFAULT_RESOURCES: readonly WeightedResource[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
];

/** The default strategy. */
export const LEAST_ALLOCATED: ResourceScorer = {
  scoreOf: (requested, capacity) =>
    requested > capacity ? 0 : Math.trunc(((capacity - requested) * MAX_NODE_SCORE) / capacity),
  isRatio: false,
};

const MOST_ALLOCATED: ResourceScorer = {
  scoreOf: (requested, capacity) => Math.trunc((Math.min(requested, capacity) * MAX_NODE_SCORE) / capacity),
  isRatio: false,
};

/** The scorer that a strategy asks for. */
export function scorerOf(strategy: ScoringStrategy): ResourceScorer {
  const { type = 'LeastAllocated' } = strategy;
  switch (type) {
    case 'LeastAllocated':
      return LEAST_ALLOCATED;
    case 'MostAllocated':
      return MOST_ALLOCATED;
    case 'RequestedToCapacityRatio': {
      const points = (strategy.requestedToCapacityRatio?.shape ?? []).map(({ utilization, score }) => ({
        utilization,
        score: score * SHAPE_SCALE,
      }));
      return {
        scoreOf: (requested, capacity) =>
          alongShape(points, requested > capacity ? 100 : Math.trunc((requested * 100) / capacity)),
        isRatio: true,
      };
    }
  }
}

/** The resources of a strategy; a weight that is absent or 0 becomes 1. */
export function weightedResourcesOf(strategy: ScoringStrategy): readonly WeightedResource[] {
  const { resources = [] } = strategy;
  if (resources.length === 0) return DEFAULT_RESOURCES;
  return resources.map(({ name, weight }) => ({ name, weight: weight === undefined || weight === 0 ? 1 : weight }));
}

/** Straight lines between the points, in whole numbers cut toward zero. */
function alongShape(points: readonly ShapePoint[], utilization: number): number {
  for (let index = 0; index < points.length; index += 1) {
    const point = points[index] as ShapePoint;
    if (utilization > point.utilization) continue;
    const before = points[index - 1];
    if (before === undefined) return point.score;
    const rise = (point.score - before.score) * (utilization - before.utilization);
    return before.score + Math.trunc(rise / (point.utilization - before.utilization));
  }
  return points.at(-1)?.score ?? 0;
}

/** The weighted mean of resource scores; 0 when no resource took part. */
export function weightedMean(sum: number, weight: number, isRatio: boolean): number {
  if (weight === 0) return 0;
  return isRatio ? Math.round(sum / weight) : Math.trunc(sum / weight);
}
