/**
 * What nodes and pods use, as metrics-server tells of it under metrics.k8s.io: out of the scripts of the containers
 * that run. The use of CPU is the average of the last 15 s.
 */
import type { Node } from '../../api/objects/objects.js';
import type { ApiServer } from '../../apiserver/store/server-types.js';
import type { NodeFleet } from '../../assembly/node-fleet.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import { CPU_WINDOW_MS, type PodResourceUse } from '../../kubelet/pods/resource-use.js';
import type { ComputedEntry, ComputedSource } from '../../requests/computed-requests.js';

/** What the metrics are taken from. */
export interface MeasuredParts {
  readonly server: ApiServer;
  readonly fleet: NodeFleet;
  readonly kernel: Pick<Kernel, 'clock' | 'timestamps'>;
}

const API_VERSION = 'metrics.k8s.io/v1beta1';
const WINDOW = `${CPU_WINDOW_MS / 1000}s`;
const NANOS_PER_MILLI = 1_000_000;
const BYTES_PER_KIBIBYTE = 1024;

/** The source of the resource `nodes`: those whose kubelet runs. */
export function nodeMetrics({ server, fleet, kernel }: MeasuredParts): ComputedSource {
  const entryOf = ({ metadata }: Node): ComputedEntry => ({
    metadata,
    object: () => {
      const uses = [...(fleet.kubelet(metadata.name)?.resourceUse() ?? [])];
      const cpuMillis = sum(uses.flatMap(({ containers }) => containers.map((each) => each.cpuMillis)));
      const usage = usageOf({ cpuMillis, memoryBytes: sum(uses.map(({ memoryBytes }) => memoryBytes)) });
      return { kind: 'NodeMetrics', apiVersion: API_VERSION, ...measured(metadata, kernel), usage };
    },
  });
  return {
    entries: () =>
      server
        .list('Node')
        .items.filter(({ metadata }) => fleet.kubelet(metadata.name)?.runningSinceMs !== undefined)
        .map(entryOf),
    find: (_namespace, name) => {
      const node = server.find('Node', { name });
      return node !== undefined && fleet.kubelet(name)?.runningSinceMs !== undefined ? entryOf(node) : undefined;
    },
  };
}

/** The source of the resource `pods`: those that run. */
export function podMetrics({ server, fleet, kernel }: MeasuredParts): ComputedSource {
  const entryOf = ({ pod, containers }: PodResourceUse): ComputedEntry => ({
    metadata: pod.metadata,
    object: () => ({
      kind: 'PodMetrics',
      apiVersion: API_VERSION,
      ...measured(pod.metadata, kernel),
      containers: containers.map((each) => ({ name: each.name, usage: usageOf(each) })),
    }),
  });
  return {
    entries: (namespace) => {
      const entries: ComputedEntry[] = [];
      for (const name of fleet.names) {
        for (const use of fleet.kubelet(name)?.resourceUse() ?? []) {
          if (namespace === undefined || use.pod.metadata.namespace === namespace) entries.push(entryOf(use));
        }
      }
      return entries.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
    },
    find: (namespace, name) => {
      const node = server.find('Pod', { namespace, name })?.spec.nodeName ?? '';
      for (const use of fleet.kubelet(node)?.resourceUse() ?? []) {
        const { metadata } = use.pod;
        if (metadata.name === name && metadata.namespace === namespace) return entryOf(use);
      }
      return undefined;
    },
  };
}

function placeOf({ metadata }: ComputedEntry): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

function measured(
  { name, namespace, labels }: ComputedEntry['metadata'],
  { clock, timestamps }: MeasuredParts['kernel'],
): object {
  const timestamp = timestamps.toTime(clock.now());
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    creationTimestamp: timestamp,
    ...(labels === undefined ? {} : { labels }),
  };
  return { metadata, timestamp, window: WINDOW };
}

function usageOf({ cpuMillis, memoryBytes }: { readonly cpuMillis: number; readonly memoryBytes: number }): object {
  return {
    cpu: `${Math.round(cpuMillis * NANOS_PER_MILLI)}n`,
    memory: `${Math.ceil(memoryBytes / BYTES_PER_KIBIBYTE)}Ki`,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
