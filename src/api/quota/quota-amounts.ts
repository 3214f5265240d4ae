/** Arithmetic of lists of resources as quotas do it (apiserver/pkg/quota/v1/resources.go, v1.34). */
import type { ResourceList } from '../objects/objects.js';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  knownQuantity,
  subtractQuantities,
  ZERO_QUANTITY,
  type Quantity,
} from '../values/quantity.js';

/** Exact amounts by name of the resource. */
export type QuotaAmounts = ReadonlyMap<string, Quantity>;

export function readAmounts(list: ResourceList = {}): QuotaAmounts {
  return new Map(Object.entries(list).map(([name, text]) => [name, knownQuantity(text)]));
}

export function writeAmounts(amounts: QuotaAmounts): Record<string, string> {
  return Object.fromEntries([...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]));
}

export function sumOf(left: QuotaAmounts, right: QuotaAmounts): QuotaAmounts {
  const sum = new Map(left);
  for (const [name, quantity] of right) {
    const own = sum.get(name);
    sum.set(name, own === undefined ? quantity : addQuantities(own, quantity));
  }
  return sum;
}

/** What `left` has more than `right`; nothing is below zero. */
export function growthOf(left: QuotaAmounts, right: QuotaAmounts): QuotaAmounts {
  const growth = new Map<string, Quantity>();
  for (const [name, quantity] of left) {
    const rest = subtractQuantities(quantity, right.get(name) ?? ZERO_QUANTITY);
    growth.set(name, rest.nanos > 0n ? rest : ZERO_QUANTITY);
  }
  return growth;
}

export function withoutZeros(amounts: QuotaAmounts): QuotaAmounts {
  return new Map([...amounts].filter(([, { nanos }]) => nanos !== 0n));
}

export function onlyNamed(amounts: QuotaAmounts, names: ReadonlySet<string>): QuotaAmounts {
  return new Map([...amounts].filter(([name]) => names.has(name)));
}

export function isSameAmounts(left: QuotaAmounts, right: QuotaAmounts): boolean {
  if (left.size !== right.size) return false;
  return [...left].every(([name, { nanos }]) => right.get(name)?.nanos === nanos);
}

/** Names of which there is more than the limit, in order. */
export function exceeding(amounts: QuotaAmounts, limits: QuotaAmounts): ReadonlySet<string> {
  const names = [...amounts].flatMap(([name, quantity]) => {
    const limit = limits.get(name);
    return limit !== undefined && compareQuantities(quantity, limit) > 0 ? [name] : [];
  });
  return new Set(names);
}

/** `pods=1,requests.cpu=500m`, in order of the names. */
export function amountsText(amounts: QuotaAmounts): string {
  const names = [...amounts.keys()].sort();
  return names.map((name) => `${name}=${formatQuantity(amounts.get(name) ?? ZERO_QUANTITY)}`).join(',');
}
