/** What a service needs by its type (pkg/api/service and pkg/registry/core/service, v1.34). */
import type { core } from './objects.js';

type Spec = core.ServiceSpec;

/** Whether it has an address inside the cluster, or none on purpose. */
export function needsClusterIp({ type }: Spec): boolean {
  return type !== 'ExternalName';
}

/** Whether the server gives its ports a port on every node. */
export function needsNodePorts({ type, allocateLoadBalancerNodePorts }: Spec): boolean {
  return type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false);
}

/** Whether load balancers ask its nodes if they have a pod of it. */
export function needsHealthCheckPort({ type, externalTrafficPolicy }: Spec): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
}

/** Whether traffic from outside the cluster may come in. */
export function isExternallyAccessible({ type, externalIPs = [] }: Spec): boolean {
  return type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && externalIPs.length > 0);
}

/** Whether it has no address of its own. */
export function isHeadless({ clusterIP }: Spec): boolean {
  return clusterIP === 'None';
}
