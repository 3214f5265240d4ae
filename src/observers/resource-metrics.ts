/**
 * The kubelets' resource metrics (`/metrics/resource`) of all nodes in one place. Each sample has a label `node` for
 * the kubelet that a scrape would have asked. Nothing is kept and no timer runs: values are computed when read.
 */
import type { PodResourceUse } from '../kubelet/pods/resource-use.js';
import type { ComputedSample, Metrics } from '../metrics/metrics.js';
import type { NodeFleet } from '../assembly/node-fleet.js';

type Fleet = Pick<NodeFleet, 'names' | 'kubelet'>;
type Counted = 'cpuSeconds' | 'memoryBytes';

/** Registers them. */
export function exposeResourceMetrics(metrics: Metrics, fleet: Fleet): void {
  metrics.computed('container_cpu_usage_seconds_total', cpuHelp('container'), 'counter', () =>
    containerSamples(fleet, 'cpuSeconds'),
  );
  metrics.computed('container_memory_working_set_bytes', memoryHelp('container'), 'gauge', () =>
    containerSamples(fleet, 'memoryBytes'),
  );
  metrics.computed('pod_cpu_usage_seconds_total', cpuHelp('pod'), 'counter', () => podSamples(fleet, 'cpuSeconds'));
  metrics.computed('pod_memory_working_set_bytes', memoryHelp('pod'), 'gauge', () => podSamples(fleet, 'memoryBytes'));
  metrics.computed('node_memory_working_set_bytes', memoryHelp('node'), 'gauge', () => nodeSamples(fleet));
}

function cpuHelp(subject: string): string {
  return `Cumulative cpu time consumed by the ${subject} in core-seconds`;
}

function memoryHelp(subject: string): string {
  return `Current working set of the ${subject} in bytes`;
}

function* containerSamples(fleet: Fleet, counted: Counted): Iterable<ComputedSample> {
  for (const [node, use] of usesOf(fleet)) {
    for (const container of use.containers) {
      yield { labels: { container: container.name, ...podLabels(node, use) }, value: container[counted] };
    }
  }
}

function* podSamples(fleet: Fleet, counted: Counted): Iterable<ComputedSample> {
  for (const [node, use] of usesOf(fleet)) yield { labels: podLabels(node, use), value: use[counted] };
}

function* nodeSamples(fleet: Fleet): Iterable<ComputedSample> {
  for (const node of fleet.names) {
    let bytes = 0;
    for (const { memoryBytes } of fleet.kubelet(node)?.resourceUse() ?? []) bytes += memoryBytes;
    yield { labels: { node }, value: bytes };
  }
}

function* usesOf(fleet: Fleet): Iterable<readonly [node: string, use: PodResourceUse]> {
  for (const node of fleet.names) {
    for (const use of fleet.kubelet(node)?.resourceUse() ?? []) yield [node, use];
  }
}

function podLabels(node: string, { pod: { metadata } }: PodResourceUse): ComputedSample['labels'] {
  return { pod: metadata.name, namespace: metadata.namespace ?? '', node };
}
