import { exportCluster } from '../transfer/export/export-cluster.js';
import type { ClusterExport } from '../transfer/saved-state.js';
import type { ClusterParts } from './cluster-parts.js';
import type { ResolvedOptions } from './options.js';

/** A cluster as it is now, written down. @param keepsSecrets - with their contents */
export function exportParts(
  { kernel, server, fleet, clusterMetrics }: ClusterParts,
  seed: string,
  { from, controllerManager }: Pick<ResolvedOptions, 'from' | 'controllerManager'>,
  keepsSecrets: boolean,
): ClusterExport {
  const machines = [...fleet.names].map((name) => {
    const memory = fleet.kubelet(name)?.memory(server.find('Node', { name }));
    return memory === undefined ? [] : ([[name, memory]] as const);
  });
  const { absentProvisioners, discoveryFailure } = controllerManager;
  const time = kernel.timestamps.toMicroTime(kernel.clock.now());
  const facts = { seed, time, traceHash: kernel.trace.digest() };
  const absent = {
    ...(clusterMetrics.usage === undefined ? { hasMetrics: false as const } : {}),
    ...(absentProvisioners.length === 0 ? {} : { absentProvisioners }),
    ...(discoveryFailure === '' ? {} : { discoveryFailure }),
    ...(from?.namesTaints === false ? { namesTaints: false as const } : {}),
  };
  return exportCluster({ server, machines: machines.flat(), ...facts, ...absent }, keepsSecrets);
}
