/** Services; cluster IPs are the server's to allocate (pkg/apis/core/v1/defaults.go and validation, v1.34). */
import { dns1035Label } from '../../values/names.js';
import type { core, Draft } from '../../objects/objects.js';
import { isExternallyAccessible } from '../../objects/service-rules.js';
import { describeKind } from '../rules/describe-kind.js';
import { changedField, filled, mapShared } from '../rules/filling.js';
import { preparedService } from './service-update.js';
import { validateBalancerStatus, validateService, validateServiceChange } from './service-validation.js';

const CLIENT_IP_TIMEOUT_SECONDS = 10_800;

/** The description of services. */
export const serviceKind = describeKind({
  kind: 'Service',
  plural: 'services',
  shortNames: ['svc'],
  hasStatus: true,
  createsOnUpdate: true,
  deleteReturnsObject: true,
  nameCheck: dns1035Label,
  selectableFields: {
    'spec.clusterIP': ({ spec }) => spec.clusterIP ?? '',
    'spec.type': ({ spec }) => spec.type ?? '',
  },
  applyDefaults(draft: Draft): Draft {
    const service = filled(draft, { spec: {} });
    const before = service['spec'] as core.ServiceSpec;
    const spec = defaultedSpec(before);
    const defaulted = spec === before ? service : { ...service, spec };
    return spec.type === 'LoadBalancer' ? changedField(defaulted, 'status', withAddressModes) : defaulted;
  },
  prepareForCreate: (service) => ({ ...service, status: { loadBalancer: {} } }),
  prepareForUpdate: preparedService,
  validate: validateService,
  validateChange: validateServiceChange,
  validateStatusChange: ({ spec, status }) => validateBalancerStatus(spec, status?.loadBalancer ?? {}),
});

/** Addresses of load balancers are virtual ones unless they say otherwise. */
function withAddressModes(status: core.ServiceStatus): core.ServiceStatus {
  return changedField(status, 'loadBalancer', (balancer) =>
    changedField(balancer, 'ingress', (places) =>
      mapShared(places, (place) => ((place.ip ?? '') === '' ? place : filled(place, { ipMode: 'VIP' }))),
    ),
  );
}

function defaultedSpec(spec: core.ServiceSpec): core.ServiceSpec {
  const typed = filled(spec, { type: 'ClusterIP', sessionAffinity: 'None' });
  let result = changedField(typed, 'ports', (ports) =>
    mapShared(ports, (port) => filled(port, { protocol: 'TCP', targetPort: port.port })),
  );
  if (result.type !== 'ExternalName') result = filled(result, { internalTrafficPolicy: 'Cluster' });
  if (isExternallyAccessible(result)) result = filled(result, { externalTrafficPolicy: 'Cluster' });
  if (result.type === 'LoadBalancer') result = filled(result, { allocateLoadBalancerNodePorts: true });
  if (result.sessionAffinity === 'None') {
    const { sessionAffinityConfig: _unused, ...rest } = result;
    return result.sessionAffinityConfig === undefined ? result : rest;
  }
  if (result.sessionAffinity !== 'ClientIP') return result;
  if (result.sessionAffinityConfig?.clientIP?.timeoutSeconds !== undefined) return result;
  return { ...result, sessionAffinityConfig: { clientIP: { timeoutSeconds: CLIENT_IP_TIMEOUT_SECONDS } } };
}
