/** Validation of requests and limits (pkg/apis/core/validation, v1.34). */
import { forbidden, invalid, invalidEach, required } from '../../errors/field-errors.js';
import { qualifiedName } from '../../values/names.js';
import type { core, ResourceList } from '../../objects/objects.js';
import {
  compareQuantities,
  formatQuantity,
  isNegative,
  isWhole,
  knownQuantity,
  value,
  type Quantity,
} from '../../values/quantity.js';
import type { FieldError } from '../../objects/resource-kind.js';
import {
  isContainerResource,
  isExtendedResource,
  isHugePages,
  isIntegerResource,
  isNativeResource,
  isOvercommitAllowed,
  isStandardResource,
  pageSizeOf,
} from './resource-lists.js';

/** What states the resources: a container or a whole pod. */
export type ResourceHolder = 'container' | 'pod';

const NOTHING: ResourceList = Object.freeze({});
const NO_ERRORS: readonly FieldError[] = Object.freeze([]);
const POD_RESOURCES: ReadonlySet<string> = new Set(['cpu', 'memory']);

/** Everything wrong with the requirements of a container or of a pod. */
export function validateRequirements(
  { limits = NOTHING, requests = NOTHING }: core.ResourceRequirements,
  field: string,
  holder: ResourceHolder = 'container',
): readonly FieldError[] {
  const errors: FieldError[] = [];
  let hasHugePages = false;
  let hasPodResource = false;
  for (const name of sortedNames(limits)) {
    hasHugePages ||= isHugePages(name);
    hasPodResource ||= POD_RESOURCES.has(name);
    const own = `${field}.limits[${name}]`;
    const limit = amountOf(limits, name);
    errors.push(...validateResourceName(name, own, holder), ...validateAmount(name, limit, own));
    errors.push(...validatePages(name, limit, own));
  }
  for (const name of sortedNames(requests)) {
    hasHugePages ||= isHugePages(name);
    hasPodResource ||= POD_RESOURCES.has(name);
    const own = `${field}.requests[${name}]`;
    const request = amountOf(requests, name);
    errors.push(...validateResourceName(name, own, holder), ...validateAmount(name, request, own));
    errors.push(...compareWithLimit(name, request, limits[name], field), ...validatePages(name, request, own));
  }
  if (hasHugePages && !hasPodResource) errors.push(forbidden(field, 'HugePages require cpu or memory'));
  return errors;
}

/** Amounts that a node reports: names and quantities only. */
export function validateAmounts(list: ResourceList, field: string): FieldError[] {
  return sortedNames(list).flatMap((name) => validateAmount(name, amountOf(list, name), `${field}.${name}`));
}

/** Mostly they are sorted already. */
function sortedNames(list: ResourceList): readonly string[] {
  const names = Object.keys(list);
  for (let index = 1; index < names.length; index += 1) {
    if ((names[index - 1] as string) > (names[index] as string)) return names.sort();
  }
  return names;
}

function amountOf(list: ResourceList, name: string): Quantity {
  return knownQuantity(list[name] ?? '0');
}

/** The name of a resource that a container, or a pod, may ask for. */
export function validateResourceName(name: string, field: string, holder: ResourceHolder): readonly FieldError[] {
  const messages = qualifiedName(name);
  if (messages.length > 0) {
    const unknown = name.includes('/') ? [] : [invalid(field, name, `must be a standard resource for ${holder}s`)];
    return [...invalidEach(field, name, messages), ...unknown];
  }
  if (name.includes('/')) {
    if (isNativeResource(name) || isExtendedResource(name)) return NO_ERRORS;
    return [invalid(field, name, "doesn't follow extended resource name standard")];
  }
  if (isContainerResource(name)) return NO_ERRORS;
  return [
    ...(isStandardResource(name) ? [] : [invalid(field, name, 'must be a standard resource type or fully qualified')]),
    invalid(field, name, `must be a standard resource for ${holder}s`),
  ];
}

/** The amount of a resource: none below zero, and whole where it counts things. */
export function validateAmount(name: string, quantity: Quantity, field: string): readonly FieldError[] {
  const isBroken = isIntegerResource(name) && !isWhole(quantity);
  if (!isBroken && !isNegative(quantity)) return NO_ERRORS;
  const text = formatQuantity(quantity);
  return [
    ...(isNegative(quantity) ? [invalid(field, text, 'must be greater than or equal to 0')] : []),
    ...(isBroken ? [invalid(field, text, 'must be an integer')] : []),
  ];
}

/** Huge pages come as a whole. */
function validatePages(name: string, amount: Quantity, field: string): readonly FieldError[] {
  if (!isHugePages(name) || isDivisible(amount, pageSizeOf(name))) return NO_ERRORS;
  const text = formatQuantity(amount);
  return [invalid(field, text, `${text} is not positive integer multiple of ${name}`)];
}

function isDivisible(amount: Quantity, pageSize: Quantity | undefined): boolean {
  if (pageSize === undefined || pageSize.nanos <= 0n || !isWhole(pageSize)) return false;
  return BigInt(value(amount)) % BigInt(value(pageSize)) === 0n;
}

function compareWithLimit(
  name: string,
  request: Quantity,
  limitText: string | undefined,
  field: string,
): readonly FieldError[] {
  const canOvercommit = isOvercommitAllowed(name);
  if (limitText === undefined) {
    if (canOvercommit) return NO_ERRORS;
    return [required(`${field}.limits`, 'Limit must be set for non overcommitable resources')];
  }
  const limit = knownQuantity(limitText);
  const order = compareQuantities(request, limit);
  if (order === 0 || (order < 0 && canOvercommit)) return NO_ERRORS;
  const rule = canOvercommit ? 'less than or equal to' : 'equal to';
  const why = `must be ${rule} ${name} limit of ${formatQuantity(limit)}`;
  return [invalid(`${field}.requests`, formatQuantity(request), why)];
}
