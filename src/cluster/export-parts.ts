import { exportCluster } from '../transfer/export/export-cluster.js';
import type { ClusterExport } from '../transfer/saved-state.js';
import type { ClusterParts } from './cluster-parts.js';

/** A cluster as it is now, written down. @param keepsSecrets - with their contents */
export function exportParts(
  { kernel, server, fleet, clusterMetrics }: ClusterParts,
  { seed, absentProvisioners }: { readonly seed: string; readonly absentProvisioners: readonly string[] },
  keepsSecrets: boolean,
): ClusterExport {
  const machines = [...fleet.names].map((name) => {
    const memory = fleet.kubelet(name)?.memory(server.find('Node', { name }));
    return memory === undefined ? [] : ([[name, memory]] as const);
  });
  const time = kernel.timestamps.toMicroTime(kernel.clock.now());
  const facts = { seed, time, traceHash: kernel.trace.digest() };
  const absent = {
    ...(clusterMetrics.usage === undefined ? { hasMetrics: false as const } : {}),
    ...(absentProvisioners.length === 0 ? {} : { absentProvisioners }),
  };
  return exportCluster({ server, machines: machines.flat(), ...facts, ...absent }, keepsSecrets);
}
