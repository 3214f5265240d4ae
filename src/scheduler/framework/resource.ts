/**
 * Amounts of resources as the scheduler counts them: whole numbers (cpu in millicores, the rest in
 * units), exact in doubles up to 2^53. Mirrors kube-scheduler v1.34 `framework.Resource`.
 */
import { ceilMilli, ceilUnits, type Amount } from './amount.js';

const NO_SCALARS: ReadonlyMap<string, number> = new Map();

/** See the file header. Immutable: sums make new ones. */
export interface Resource {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly ephemeralBytes: number;
  /** Only meaningful on nodes. */
  readonly pods: number;
  /** Extended resources, huge pages and other scalars; a key with 0 is not the same as no key. */
  readonly scalars: ReadonlyMap<string, number>;
}

/** Nothing at all. */
export const NO_RESOURCE: Resource = { cpuMillis: 0, memoryBytes: 0, ephemeralBytes: 0, pods: 0, scalars: NO_SCALARS };

/** Resource name to amount, as a quantity list is added up before it is rounded once. */
export type AmountList = ReadonlyMap<string, Amount>;

/** Whether the name is an extended resource: it has a domain that is not Kubernetes' own. */
export function isExtendedResource(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');
}

/** Whether the resource is counted among the scalars of {@link Resource}. */
export function isScalarResource(name: string): boolean {
  return (
    isExtendedResource(name) ||
    name.startsWith('hugepages-') ||
    name.includes('kubernetes.io/') ||
    name.startsWith('attachable-volumes-')
  );
}

/** Rounds every amount up once: cpu to millicores, the rest to units. */
export function resourceOf(list: AmountList): Resource {
  let cpuMillis = 0;
  let memoryBytes = 0;
  let ephemeralBytes = 0;
  let pods = 0;
  let scalars: Map<string, number> | undefined;
  for (const [name, amount] of list) {
    if (name === 'cpu') cpuMillis = ceilMilli(amount);
    else if (name === 'memory') memoryBytes = ceilUnits(amount);
    else if (name === 'ephemeral-storage') ephemeralBytes = ceilUnits(amount);
    else if (name === 'pods') pods = ceilUnits(amount);
    else if (isScalarResource(name)) (scalars ??= new Map()).set(name, ceilUnits(amount));
  }
  return { cpuMillis, memoryBytes, ephemeralBytes, pods, scalars: scalars ?? NO_SCALARS };
}

/** The amount of one resource; 0 where the name is unknown. */
export function amountIn(resource: Resource, name: string): number {
  if (name === 'cpu') return resource.cpuMillis;
  if (name === 'memory') return resource.memoryBytes;
  if (name === 'ephemeral-storage') return resource.ephemeralBytes;
  if (name === 'pods') return resource.pods;
  return resource.scalars.get(name) ?? 0;
}
