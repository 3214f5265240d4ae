/** Validation of NodeResourcesFitArgs and NodeResourcesBalancedAllocationArgs. Mirrors `apis/config/validation` of kube-scheduler v1.34. */
import { duplicate, forbidden, invalid, invalidEach, notSupported, required } from '../../api/errors/field-errors.js';
import { qualifiedName } from '../../api/values/names.js';
import type { FieldError } from '../../api/objects/resource-kind.js';
import type { BalancedAllocationArgs } from './node-resources-balanced-allocation.js';
import type { NodeResourcesFitArgs } from './node-resources-fit.js';
import type { ScoringStrategy, ShapePoint } from './resource-scorer.js';

const STRATEGY_TYPES: readonly string[] = ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'];
const MAX_WEIGHT = 100;
const MAX_UTILIZATION = 100;
const MAX_SHAPE_SCORE = 10;

/** What is wrong with NodeResourcesFitArgs. */
export function validateFitArgs(args: NodeResourcesFitArgs, path: string): readonly FieldError[] {
  const { ignoredResources = [], ignoredResourceGroups = [], scoringStrategy } = args;
  const errors = ignoredResources.flatMap((name, index) =>
    invalidEach(`${path}.ignoredResources[${index}]`, name, qualifiedName(name)),
  );
  for (const [index, group] of ignoredResourceGroups.entries()) {
    const own = `${path}.ignoredResourceGroups[${index}]`;
    if (group.includes('/')) errors.push(invalid(own, group, "resource group name can't contain '/'"));
    errors.push(...invalidEach(own, group, qualifiedName(group)));
  }
  if (scoringStrategy !== undefined) errors.push(...validateStrategy(scoringStrategy, `${path}.scoringStrategy`));
  return errors;
}

/** What is wrong with NodeResourcesBalancedAllocationArgs. */
export function validateBalancedAllocationArgs(args: BalancedAllocationArgs, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { name = '', weight }] of partial(args.resources ?? []).entries()) {
    const own = `${path}.resources[${index}]`;
    if (seen.has(name)) errors.push(duplicate(`${own}.name`, name));
    seen.add(name);
    if (weightOf(weight) !== 1) errors.push(invalid(`${own}.weight`, weight, 'must be 1'));
  }
  return errors;
}

function validateStrategy(strategy: ScoringStrategy, path: string): FieldError[] {
  // A strategy that is given must name its type: only an absent strategy has a default.
  const { type = '', resources = [], requestedToCapacityRatio } = strategy;
  const errors = STRATEGY_TYPES.includes(type) ? [] : [notSupported(`${path}.type`, type, STRATEGY_TYPES)];
  for (const [index, { name = '', weight }] of partial(resources).entries()) {
    const effective = weightOf(weight);
    if (effective > 0 && effective <= MAX_WEIGHT) continue;
    const rule = `resource weight of ${name} not in valid range (0, ${MAX_WEIGHT}]`;
    errors.push(invalid(`${path}.resources[${index}].weight`, weight, rule));
  }
  const own = `${path}.requestedToCapacityRatio`;
  if (requestedToCapacityRatio !== undefined) {
    if (type !== 'RequestedToCapacityRatio') {
      errors.push(forbidden(own, 'must be nil when type is not RequestedToCapacityRatio'));
    } else errors.push(...validateShape(requestedToCapacityRatio.shape ?? [], `${own}.shape`));
  } else if (type === 'RequestedToCapacityRatio') {
    errors.push(required(own, 'must be specified when type is RequestedToCapacityRatio'));
  }
  return errors;
}

/** What is wrong with a function shape: utilisations rise, all values are in range. */
function validateShape(shape: readonly Partial<ShapePoint>[], path: string): FieldError[] {
  if (shape.length === 0) return [required(path, 'at least one point must be specified')];
  const utilizations = shape.map(({ utilization = 0 }) => utilization);
  const errors: FieldError[] = [];
  const unsorted = utilizations.findIndex((each, index) => index > 0 && (utilizations[index - 1] ?? 0) >= each);
  if (unsorted > 0) {
    const rule = 'values must be sorted in increasing order';
    errors.push(invalid(`${path}[${unsorted}].utilization`, utilizations[unsorted], rule));
  }
  for (const [index, { utilization = 0, score = 0 }] of shape.entries()) {
    if (utilization < 0 || utilization > MAX_UTILIZATION) {
      const rule = `not in valid range [0, ${MAX_UTILIZATION}]`;
      errors.push(invalid(`${path}[${index}].utilization`, utilization, rule));
    }
    if (score < 0 || score > MAX_SHAPE_SCORE) {
      errors.push(invalid(`${path}[${index}].score`, score, `not in valid range [0, ${MAX_SHAPE_SCORE}]`));
    }
  }
  return errors;
}

/** A weight of 0 is one that is not set. */
function weightOf(weight: number | undefined): number {
  return weight === undefined || weight === 0 ? 1 : weight;
}

/** The items as they may come: any of their fields may be missing. */
function partial<T>(items: readonly T[]): readonly Partial<T>[] {
  return items;
}
