/** What is said of a pod that a node in need evicts. Pure. Mirrors evictionMessage (pkg/kubelet/eviction, v1.34). */
import type { Container, Pod, StringMap } from '../../api/objects/objects.js';
import { formatQuantity, knownQuantity, wholeValue } from '../../api/values/quantity.js';
import type { ContainerUse, PodUse } from './pod-usage.js';
import { amountOf, SIGNAL_FACTS, type Observations, type Threshold } from '../configuration/threshold.js';

/** Message of status and event, and annotations of the event. */
export interface EvictionText {
  readonly message: string;
  readonly annotations: StringMap;
}

const NANOS = 1_000_000_000n;

/** @param use - `undefined` when nothing is known of the pod */
export function evictionText(
  resource: string,
  { spec }: Pod,
  use: PodUse | undefined,
  thresholds: readonly Threshold[],
  observations: Observations,
): EvictionText {
  let message = `The node was low on resource: ${resource}. `;
  const threshold = thresholds.find(({ signal }) => SIGNAL_FACTS[signal].resource === resource);
  const observed = threshold === undefined ? undefined : observations.get(threshold.signal);
  if (threshold !== undefined && observed !== undefined) {
    const { value } = threshold;
    const limit = 'text' in value ? value.text : binary(amountOf(value, observed.capacity));
    message += `Threshold quantity: ${limit}, available: ${binary(observed.available)}. `;
  }
  if (use === undefined) return { message, annotations: {} };
  const offenders: string[] = [];
  const usages: string[] = [];
  for (const each of use.containers) {
    const used = usedOf(resource, each);
    const container = containerOf(spec, each.name);
    if (used === undefined || container === undefined) continue;
    const request = container.resources?.requests?.[resource] ?? '0';
    if (used <= wholeValue(request)) continue;
    const requestText = formatQuantity(knownQuantity(request));
    message += `Container ${each.name} was using ${binary(used)}, request is ${requestText}, has larger consumption of ${resource}. `;
    offenders.push(each.name);
    usages.push(binary(used));
  }
  const annotations = {
    offending_containers: offenders.join(','),
    offending_containers_usage: usages.join(','),
    starved_resource: resource,
  };
  return { message, annotations };
}

function containerOf({ containers, initContainers = [] }: Pod['spec'], name: string): Container | undefined {
  return [...containers, ...initContainers].find((container) => container.name === name);
}

/** Only memory and the disk are told of single containers. */
function usedOf(resource: string, { memoryBytes, layerBytes }: ContainerUse): number | undefined {
  if (resource === 'memory') return Math.trunc(memoryBytes);
  return resource === 'ephemeral-storage' ? Math.trunc(layerBytes) : undefined;
}

function binary(amount: number): string {
  return formatQuantity({ nanos: BigInt(Math.trunc(amount)) * NANOS, format: 'BinarySI' });
}
