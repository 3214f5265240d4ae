/** Methods of measurements that clusterloader2 has, and which of them can be answered here. */

/** Their answers are those of the simulated cluster. */
export const SIMULATED_METHODS = [
  'APIResponsivenessPrometheus',
  'ChaosMonkey',
  'ContainerRestarts',
  'JobLifecycleLatency',
  'PodStartupLatency',
  'PrometheusSchedulingMetrics',
  'SchedulingMetrics',
  'SchedulingThroughput',
  'SchedulingThroughputPrometheus',
  'Sleep',
  'Timer',
  'WaitForAvailablePVs',
  'WaitForBoundPVCs',
  'WaitForControlledPodsRunning',
  'WaitForFinishedJobs',
  'WaitForGenericK8sObjects',
  'WaitForNodes',
  'WaitForRunningPods',
] as const;

/** What they measure does not exist here; tests that name them go on without. */
const OTHER_METHODS = [
  'APIAvailability',
  'BlockProfile',
  'CPUProfile',
  'CiliumEndpointPropagationDelay',
  'ClusterOOMsTracker',
  'DNSPerformanceK8sHostnames',
  'DnsLookupLatency',
  'DnsPropagation',
  'EtcdMetrics',
  'Exec',
  'GenericPrometheusQuery',
  'InClusterAPIServerRequestLatency',
  'InClusterNetworkLatency',
  'KubeStateMetricsLatency',
  'LoadBalancerNodeSyncLatency',
  'MemoryProfile',
  'MetricsForE2E',
  'MetricsServerPrometheus',
  'NegLatency',
  'NetworkPerformanceMetrics',
  'NetworkPolicyEnforcement',
  'NetworkProgrammingLatency',
  'NodeHealthTracker',
  'NodeLocalDNSLatencyPrometheus',
  'PodPeriodicCommand',
  'ResourceClaimAllocationLatency',
  'ResourceUsageSummary',
  'RestartApiserver',
  'SLOMeasurement',
  'ServiceCreationLatency',
  'SystemPodMetrics',
  'TestMetrics',
  'WindowsResourceUsagePrometheus',
] as const;

export type SimulatedMethod = (typeof SIMULATED_METHODS)[number];

/** All of them, in order. */
export const MEASUREMENT_METHODS: readonly string[] = [...SIMULATED_METHODS, ...OTHER_METHODS].sort();

export function isMeasurement(method: string): boolean {
  return MEASUREMENT_METHODS.includes(method);
}

export function isSimulated(method: string): method is SimulatedMethod {
  return (SIMULATED_METHODS as readonly string[]).includes(method);
}
