/** What the node lifecycle controller tells as metrics, under upstream's names (v1.34). Durations are of simulated time. */
import type { Metrics } from '../../metrics/metrics.js';
import type { ZoneCount } from './zone-state.js';

const ZONE = ['zone'] as const;
/** 10 ms to almost three minutes. */
const PASS_SECONDS = Array.from({ length: 8 }, (_, index) => 0.01 * 2 ** (2 * index));

/** Tells how a zone fares; one without nodes is in the best of health. */
export function noteZone(metrics: Metrics, zone: string, { ready, notReady }: ZoneCount): void {
  const size = ready + notReady;
  metrics
    .gauge('node_collector_zone_size', 'Gauge measuring number of registered Nodes per zones.', ZONE)
    .set({ zone }, size);
  metrics
    .gauge('node_collector_zone_health', 'Gauge measuring percentage of healthy nodes per zone.', ZONE)
    .set({ zone }, size === 0 ? 100 : (100 * ready) / size);
  metrics
    .gauge('node_collector_unhealthy_nodes_in_zone', 'Gauge measuring number of not Ready Nodes per zones.', ZONE)
    .set({ zone }, notReady);
}

/** A node of the zone has been tainted. */
export function countEviction(metrics: Metrics, zone: string): void {
  const help = 'Number of Node evictions that happened since current instance of NodeController started.';
  metrics.counter('node_collector_evictions_total', help, ZONE).inc({ zone });
}

/** A pass has been made. Those that would find nothing are not made, and not counted. */
export function notePass(metrics: Metrics, seconds: number): void {
  const help = 'Duration in seconds for NodeController to update the health of all nodes.';
  metrics.histogram('node_collector_update_all_nodes_health_duration_seconds', help, PASS_SECONDS).observe(seconds);
}
