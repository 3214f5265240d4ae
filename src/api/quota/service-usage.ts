/** What quotas count of services (pkg/quota/v1/evaluator/core/services.go, v1.34). */
import type { Service } from '../objects/objects.js';
import { knownQuantity, ZERO_QUANTITY, type Quantity } from '../values/quantity.js';
import type { QuotaEvaluator } from './quota-rules.js';

const ONE = knownQuantity('1');
const NODE_PORTS = 'services.nodeports';
const LOAD_BALANCERS = 'services.loadbalancers';
const COUNTED: ReadonlySet<string> = new Set(['count/services', 'services', NODE_PORTS, LOAD_BALANCERS]);

export const serviceEvaluator: QuotaEvaluator = {
  handles: ({ operation, subresource }) => subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'),
  counts: (name) => COUNTED.has(name),
  isInScope: () => false,
  missing: () => '',
  usage: (object) => {
    const { spec } = object as Service;
    return new Map<string, Quantity>([
      ['count/services', ONE],
      ['services', ONE],
      [LOAD_BALANCERS, spec.type === 'LoadBalancer' ? ONE : ZERO_QUANTITY],
      [NODE_PORTS, knownQuantity(String(nodePortsOf(spec)))],
    ]);
  },
};

/** Ports of nodes are not allocated yet: what counts is what will be. */
function nodePortsOf({ type, ports = [], allocateLoadBalancerNodePorts }: Service['spec']): number {
  if (type === 'NodePort') return ports.length;
  if (type !== 'LoadBalancer') return 0;
  if (allocateLoadBalancerNodePorts !== false) return ports.length;
  return ports.filter(({ nodePort = 0 }) => nodePort !== 0).length;
}

/** What of a service's type its quotas count. */
export function quotaServiceType({ spec }: Service): string {
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer' ? spec.type : '';
}
