/** What an allocation is written down as (structured/internal/experimental/allocator_experimental.go, v1.34). */
import type { core } from '../../../api/objects/objects.js';
import type {
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceClass,
  ResourceClaim,
} from '../../../api/objects/device-objects.js';
import type { PooledDevice } from './device-pools.js';

/** A device that a request gets. */
export interface ChosenDevice {
  /** With the alternative, where it is one. */
  readonly request: string;
  readonly device: PooledDevice;
  readonly isForAdmin: boolean;
}

/** How a request is met. */
export interface MetRequest {
  readonly name: string;
  /** The name with that of the alternative, where one was taken. */
  readonly fullName: string;
  readonly deviceClass: DeviceClass;
}

/** What is written into the status of a claim. */
export function allocationOf(
  claim: ResourceClaim,
  chosen: readonly ChosenDevice[],
  met: readonly MetRequest[],
  nodeName: string,
): AllocationResult {
  const results = chosen.map(({ request, isForAdmin, device: { pool, device } }) => ({
    request,
    driver: pool.driver,
    pool: pool.name,
    device: device.name,
    ...(isForAdmin ? { adminAccess: true } : {}),
  }));
  const config = configOf(claim, met);
  const nodeSelector = nodeSelectorOf(chosen, nodeName);
  return {
    devices: { ...(results.length > 0 ? { results } : {}), ...(config.length > 0 ? { config } : {}) },
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
  };
}

/** Of each class once, for all its requests, then of the claim. */
function configOf({ spec }: ResourceClaim, met: readonly MetRequest[]): readonly DeviceAllocationConfiguration[] {
  const byClass = new Map<string, { readonly deviceClass: DeviceClass; readonly requests: string[] }>();
  for (const { deviceClass, fullName } of met) {
    const known = byClass.get(deviceClass.metadata.name);
    if (known === undefined) byClass.set(deviceClass.metadata.name, { deviceClass, requests: [fullName] });
    else known.requests.push(fullName);
  }
  const ofClasses = [...byClass.values()].flatMap(({ deviceClass, requests }) =>
    (deviceClass.spec.config ?? []).map((each) => ({ source: 'FromClass', requests, ...each })),
  );
  const ofClaim = (spec.devices?.config ?? []).flatMap((each) => {
    const { requests = [] } = each;
    const own = { source: 'FromClaim', ...each };
    if (requests.length === 0) return [own];
    return met.filter(({ name, fullName }) => requests.includes(name) || requests.includes(fullName)).map(() => own);
  });
  return [...ofClasses, ...ofClaim];
}

/** Where the devices can be used together: everywhere where there is nothing. */
function nodeSelectorOf(chosen: readonly ChosenDevice[], nodeName: string): core.NodeSelector | undefined {
  const matchFields: core.NodeSelectorRequirement[] = [];
  const matchExpressions: core.NodeSelectorRequirement[] = [];
  for (const { device } of chosen) {
    const { nodeName: own, nodeSelector } = device.slice.spec;
    if (own !== undefined) {
      const requirement = { key: 'metadata.name', operator: 'In' as const, values: [nodeName] };
      return { nodeSelectorTerms: [{ matchFields: [requirement] }] };
    }
    const [term] = nodeSelector?.nodeSelectorTerms ?? [];
    addNew(term?.matchFields, matchFields);
    addNew(term?.matchExpressions, matchExpressions);
  }
  if (matchFields.length === 0 && matchExpressions.length === 0) return undefined;
  return {
    nodeSelectorTerms: [
      {
        ...(matchExpressions.length > 0 ? { matchExpressions } : {}),
        ...(matchFields.length > 0 ? { matchFields } : {}),
      },
    ],
  };
}

function addNew(from: readonly core.NodeSelectorRequirement[] = [], to: core.NodeSelectorRequirement[]): void {
  for (const requirement of from) if (!to.some((known) => isSame(known, requirement))) to.push(requirement);
}

function isSame(a: core.NodeSelectorRequirement, b: core.NodeSelectorRequirement): boolean {
  const [left, right] = [new Set(a.values), new Set(b.values)];
  return (
    a.key === b.key &&
    a.operator === b.operator &&
    left.size === right.size &&
    [...left].every((value) => right.has(value))
  );
}
