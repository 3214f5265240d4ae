/**
 * What an update of a service leaves out or leaves over: allocated values that clients do not repeat are
 * kept, and those that a new type has no use for are dropped (pkg/registry/core/service/storage, v1.34:
 * normalizeClusterIPs, patchAllocatedValues, dropTypeDependentFields).
 */
import { isSameJson } from '../../values/canonical-json.js';
import type { core, Service } from '../../objects/objects.js';
import {
  isExternallyAccessible,
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePorts,
} from '../../objects/service-rules.js';
import { filled } from '../rules/filling.js';

type Spec = core.ServiceSpec;

/** The service as it will be stored, if it is valid. */
export function preparedService(next: Service, previous: Service): Service {
  if (next.spec === previous.spec) return next;
  const spec = withoutTypeDependent(withAllocated(normalized(next.spec, previous.spec), previous.spec), previous.spec);
  const prepared = spec === next.spec ? next : { ...next, spec };
  const losesBalancer = previous.spec.type === 'LoadBalancer' && spec.type !== 'LoadBalancer';
  return losesBalancer ? { ...prepared, status: { ...prepared.status, loadBalancer: {} } } : prepared;
}

/** A new address in one of the two fields is meant for both. */
function normalized(spec: Spec, before: Spec): Spec {
  const { clusterIP = '', clusterIPs } = spec;
  if (clusterIP === (before.clusterIP ?? '')) return spec;
  if (clusterIPs !== undefined && !isSameJson(clusterIPs, before.clusterIPs ?? [])) return spec;
  if (clusterIP !== '') return { ...spec, clusterIPs: [clusterIP] };
  const { clusterIPs: _same, ...rest } = spec;
  return rest;
}

function withAllocated(spec: Spec, before: Spec): Spec {
  let result = spec;
  if (needsClusterIp(spec) && needsClusterIp(before)) {
    const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy } = before;
    if ((result.clusterIP ?? '') === '' && clusterIP !== undefined) result = { ...result, clusterIP };
    if (result.clusterIP === clusterIP) result = filled(result, defined({ clusterIPs, ipFamilies, ipFamilyPolicy }));
  }
  if (needsNodePorts(spec) && needsNodePorts(before)) result = withNodePorts(result, before);
  const { healthCheckNodePort } = before;
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(before))
    result = filled(result, defined({ healthCheckNodePort }));
  return result;
}

/** Ports keep their node ports by name. */
function withNodePorts(spec: Spec, before: Spec): Spec {
  const ports = spec.ports ?? [];
  const used = new Set(ports.map(({ nodePort = 0 }) => nodePort));
  const former = new Map((before.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]));
  let isChanged = false;
  const patched = ports.map((port) => {
    const nodePort = former.get(port.name ?? '') ?? 0;
    if ((port.nodePort ?? 0) !== 0 || nodePort === 0 || used.has(nodePort)) return port;
    used.add(nodePort);
    isChanged = true;
    return { ...port, nodePort };
  });
  return isChanged ? { ...spec, ports: patched } : spec;
}

/** What only the former type had a use for goes, unless the client changed it in the same request. */
function withoutTypeDependent(spec: Spec, before: Spec): Spec {
  let result = spec;
  if (needsClusterIp(before) && !needsClusterIp(spec) && spec.clusterIP === before.clusterIP) {
    result = without(result, ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']);
  }
  if (needsNodePorts(before) && !needsNodePorts(spec) && hasSameNodePorts(spec, before)) {
    result = { ...result, ports: (result.ports ?? []).map(({ nodePort: _former, ...port }) => port) };
  }
  if (needsHealthCheckPort(before) && !needsHealthCheckPort(spec)) {
    result = withoutSame(result, before, 'healthCheckNodePort');
  }
  if (before.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    result = withoutSame(result, before, 'allocateLoadBalancerNodePorts');
    result = withoutSame(result, before, 'loadBalancerClass');
  }
  if (isExternallyAccessible(before) && !isExternallyAccessible(spec)) {
    result = withoutSame(result, before, 'externalTrafficPolicy');
  }
  return result;
}

function hasSameNodePorts({ ports = [] }: Spec, before: Spec): boolean {
  const former = new Set((before.ports ?? []).map(({ nodePort }) => nodePort));
  return ports.every(({ nodePort = 0 }) => nodePort === 0 || former.has(nodePort));
}

function withoutSame(spec: Spec, before: Spec, field: keyof Spec): Spec {
  return spec[field] === before[field] ? without(spec, [field]) : spec;
}

function without(spec: Spec, fields: readonly (keyof Spec)[]): Spec {
  if (!fields.some((field) => spec[field] !== undefined)) return spec;
  const result = { ...spec };
  for (const field of fields) delete result[field];
  return result;
}

/** The fields that there are. */
function defined<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
