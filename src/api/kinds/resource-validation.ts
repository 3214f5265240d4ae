/** Validation of requests and limits (pkg/apis/core/validation, v1.34). */
import { forbidden, invalid, invalidEach, required } from '../field-errors.js';
import { qualifiedName } from '../names.js';
import type { core, ResourceList } from '../objects.js';
import { compareQuantities, formatQuantity, isNegative, isWhole, knownQuantity, type Quantity } from '../quantity.js';
import type { FieldError } from '../resource-kind.js';
import {
  isContainerResource,
  isExtendedResource,
  isHugePages,
  isIntegerResource,
  isNativeResource,
  isOvercommitAllowed,
  isStandardResource,
} from './resource-lists.js';

/** Who asks: a container or a whole pod. */
export type ResourceHolder = 'container' | 'pod';

const POD_RESOURCES: ReadonlySet<string> = new Set(['cpu', 'memory']);

/** Everything wrong with the requirements of a container or of a pod. */
export function validateRequirements(
  { limits = {}, requests = {} }: core.ResourceRequirements,
  field: string,
  holder: ResourceHolder = 'container',
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, quantity] of sortedEntries(limits)) {
    const own = `${field}.limits[${name}]`;
    errors.push(...validateName(name, own, holder), ...validateAmount(name, quantity, own));
  }
  for (const [name, quantity] of sortedEntries(requests)) {
    const own = `${field}.requests[${name}]`;
    errors.push(...validateName(name, own, holder), ...validateAmount(name, quantity, own));
    errors.push(...compareWithLimit(name, quantity, limits[name], field));
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.some((name) => POD_RESOURCES.has(name))) {
    errors.push(forbidden(field, 'HugePages require cpu or memory'));
  }
  return errors;
}

/** Amounts that a node reports: names and quantities only. */
export function validateAmounts(list: ResourceList, field: string): FieldError[] {
  return sortedEntries(list).flatMap(([name, quantity]) => validateAmount(name, quantity, `${field}.${name}`));
}

function sortedEntries(list: ResourceList): [name: string, quantity: Quantity][] {
  return Object.keys(list)
    .sort()
    .map((name) => [name, knownQuantity(list[name] ?? '0')]);
}

function validateName(name: string, field: string, holder: ResourceHolder): FieldError[] {
  const errors = invalidEach(field, name, qualifiedName(name));
  if (errors.length > 0) return errors;
  if (!name.includes('/')) {
    if (!isStandardResource(name)) {
      errors.push(invalid(field, name, 'must be a standard resource type or fully qualified'));
    }
    if (!isContainerResource(name)) errors.push(invalid(field, name, `must be a standard resource for ${holder}s`));
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.push(invalid(field, name, "doesn't follow extended resource name standard"));
  }
  return errors;
}

function validateAmount(name: string, quantity: Quantity, field: string): FieldError[] {
  const text = formatQuantity(quantity);
  return [
    ...(isNegative(quantity) ? [invalid(field, text, 'must be greater than or equal to 0')] : []),
    ...(isIntegerResource(name) && !isWhole(quantity) ? [invalid(field, text, 'must be an integer')] : []),
  ];
}

function compareWithLimit(name: string, request: Quantity, limitText: string | undefined, field: string): FieldError[] {
  const canOvercommit = isOvercommitAllowed(name);
  if (limitText === undefined) {
    if (canOvercommit) return [];
    return [required(`${field}.limits`, 'Limit must be set for non overcommitable resources')];
  }
  const limit = knownQuantity(limitText);
  const order = compareQuantities(request, limit);
  const text = formatQuantity(request);
  if (order !== 0 && !canOvercommit) {
    return [invalid(`${field}.requests`, text, `must be equal to ${name} limit of ${formatQuantity(limit)}`)];
  }
  if (order <= 0) return [];
  return [
    invalid(`${field}.requests`, text, `must be less than or equal to ${name} limit of ${formatQuantity(limit)}`),
  ];
}
