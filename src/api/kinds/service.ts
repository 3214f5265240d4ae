/** Services; cluster IPs are the server's to allocate (pkg/apis/core/v1/defaults.go and validation, v1.34). */
import { duplicate, invalidEach, notSupported, required } from '../field-errors.js';
import { dns1035Label, dns1123Label } from '../names.js';
import type { core, Draft, Service } from '../objects.js';
import type { FieldError } from '../resource-kind.js';
import { oneOf } from './container-validation.js';
import { describeKind } from './describe-kind.js';
import { changedField, filled, mapShared } from './filling.js';
import { validPort, validPortOrName } from './number-validation.js';
import { validateLabels } from './object-meta.js';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const AFFINITIES = ['ClientIP', 'None'];
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
    return spec === before ? service : { ...service, spec };
  },
  prepareForCreate: (service) => ({ ...service, status: { loadBalancer: {} } }),
  validate: validateService,
});

function defaultedSpec(spec: core.ServiceSpec): core.ServiceSpec {
  const typed = filled(spec, { type: 'ClusterIP', sessionAffinity: 'None' });
  let result = changedField(typed, 'ports', (ports) =>
    mapShared(ports, (port) => filled(port, { protocol: 'TCP', targetPort: port.port })),
  );
  if (result.type !== 'ExternalName') result = filled(result, { internalTrafficPolicy: 'Cluster' });
  if (result.type === 'NodePort' || result.type === 'LoadBalancer') {
    result = filled(result, { externalTrafficPolicy: 'Cluster' });
  }
  if (result.type === 'LoadBalancer') result = filled(result, { allocateLoadBalancerNodePorts: true });
  if (result.sessionAffinity !== 'ClientIP') return result;
  return filled(result, { sessionAffinityConfig: { clientIP: { timeoutSeconds: CLIENT_IP_TIMEOUT_SECONDS } } });
}

function validateService({ spec }: Service): FieldError[] {
  const { ports = [], clusterIP = '', type = '', sessionAffinity, selector = {} } = spec;
  const errors: FieldError[] = [];
  if (ports.length === 0 && clusterIP !== 'None' && type !== 'ExternalName') errors.push(required('spec.ports'));
  errors.push(...oneOf(sessionAffinity, AFFINITIES, 'spec.sessionAffinity'));
  errors.push(...validatePorts(ports));
  errors.push(...validateLabels(selector, 'spec.selector'));
  if (!TYPES.includes(type)) errors.push(notSupported('spec.type', type, TYPES));
  if (type === 'ExternalName' && (spec.externalName ?? '') === '') errors.push(required('spec.externalName'));
  return errors;
}

function validatePorts(ports: readonly Partial<core.ServicePort>[]): FieldError[] {
  const names = new Set<string>();
  const numbers = new Set<string>();
  return ports.flatMap(({ name = '', port = 0, protocol, targetPort }, index) => {
    const own = `spec.ports[${index}]`;
    const errors: FieldError[] = [];
    if (name !== '') {
      errors.push(...invalidEach(`${own}.name`, name, dns1123Label(name)));
      if (names.has(name)) errors.push(duplicate(`${own}.name`, name));
      names.add(name);
    } else if (ports.length > 1) errors.push(required(`${own}.name`));
    errors.push(...validPort(port, `${own}.port`), ...oneOf(protocol, PROTOCOLS, `${own}.protocol`));
    if (targetPort !== undefined) errors.push(...validPortOrName(targetPort, `${own}.targetPort`));
    const identity = `${protocol}/${port}`;
    if (numbers.has(identity)) errors.push(duplicate(own, { protocol, port }));
    numbers.add(identity);
    return errors;
  });
}
