/** Validation of services in upstream's order (pkg/apis/core/validation ValidateService, v1.34). */
import { duplicate, forbidden, invalid, invalidEach, notSupported, required } from '../../errors/field-errors.js';
import { asGo } from '../../go/go-json.js';
import { dns1123Label, dns1123Subdomain, qualifiedName } from '../../values/names.js';
import type { core, Service } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { isExternallyAccessible, isHeadless, needsHealthCheckPort } from '../../objects/service-rules.js';
import { validateOutsideAddress, validateRange } from '../rules/address-validation.js';
import { validateEntryAddress, validateEntryName } from '../rules/balancer-entries.js';
import { oneOf } from '../pod/container-validation.js';
import { validPort, validPortOrName } from '../rules/number-validation.js';
import { validateLabels } from '../rules/object-meta.js';

type Spec = core.ServiceSpec;
type Port = Partial<core.ServicePort>;

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const AFFINITIES = ['ClientIP', 'None'];
const TRAFFIC_POLICIES = ['Cluster', 'Local'];
const DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const MAX_CLIENT_IP_SECONDS = 86_400;
const IP_MODES = ['Proxy', 'VIP'];
const KUBELET_PORT = 10_250;
const LOAD_BALANCER_ONLY = "may only be used when `type` is 'LoadBalancer'";
const CHANGED_IP = 'may not change once set';

/** Everything wrong with a service beyond its metadata. */
export function validateService({ spec }: Service): FieldError[] {
  const { ports = [], type = '', selector = {}, internalTrafficPolicy, externalIPs = [], trafficDistribution } = spec;
  const errors: FieldError[] = [];
  if (ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName') errors.push(required('spec.ports'));
  errors.push(...validateByType(spec));
  errors.push(...validatePorts(ports));
  errors.push(...validateLabels(selector, 'spec.selector'));
  errors.push(...validateAffinity(spec));
  for (const [index, address] of externalIPs.entries()) {
    errors.push(...validateOutsideAddress(address, `spec.externalIPs[${index}]`));
  }
  if (!TYPES.includes(type)) errors.push(notSupported('spec.type', type, TYPES));
  errors.push(...validateNodePorts(spec), ...duplicatePorts(ports), ...validateLoadBalancerFields(spec));
  errors.push(...validateExternalTraffic(spec));
  if (internalTrafficPolicy !== undefined) {
    errors.push(...oneOf(internalTrafficPolicy, TRAFFIC_POLICIES, 'spec.internalTrafficPolicy'));
  }
  if (trafficDistribution !== undefined && !DISTRIBUTIONS.includes(trafficDistribution)) {
    errors.push(notSupported('spec.trafficDistribution', trafficDistribution, DISTRIBUTIONS));
  }
  return errors;
}

/** What an update may not change. */
export function validateServiceChange({ spec }: Service, { spec: before }: Service): FieldError[] {
  const errors: FieldError[] = [];
  const [given, former] = [spec.clusterIPs ?? [], before.clusterIPs ?? []];
  const isNamed = spec.type === 'ExternalName' || before.type === 'ExternalName';
  if (!isNamed && former.length > 0 && given.length > 0 && given[0] !== former[0]) {
    errors.push(invalid('spec.clusterIPs[0]', given, CHANGED_IP));
  }
  const isBalanced = spec.type === 'LoadBalancer' && before.type === 'LoadBalancer';
  if (isBalanced && spec.loadBalancerClass !== before.loadBalancerClass) {
    errors.push(invalid('spec.loadBalancerClass', spec.loadBalancerClass, CHANGED_IP));
  }
  return [...errors, ...validateBalancerClass(spec)];
}

/** What stands in front of a service is told of where something does. */
export function validateBalancerStatus({ type }: Spec, { ingress = [] }: core.LoadBalancerStatus): FieldError[] {
  const field = 'status.loadBalancer.ingress';
  if (ingress.length === 0) return [];
  if (type !== 'LoadBalancer') return [forbidden(field, "may only be used when `spec.type` is 'LoadBalancer'")];
  return ingress.flatMap((each, index) => [
    ...validateEntryAddress(each, `${field}[${index}]`),
    ...validateAddressMode(each, `${field}[${index}]`),
    ...validateEntryName(each, `${field}[${index}]`),
  ]);
}

function validateAddressMode({ ip = '', ipMode }: core.LoadBalancerIngress, own: string): FieldError[] {
  const field = `${own}.ipMode`;
  if (ipMode === undefined) return ip === '' ? [] : [required(field, 'must be specified when `ip` is set')];
  if (ip === '') return [forbidden(field, 'may not be specified when `ip` is not set')];
  return IP_MODES.includes(ipMode) ? [] : [notSupported(field, ipMode, IP_MODES)];
}

function validateByType(spec: Spec): FieldError[] {
  const {
    type,
    ports = [],
    clusterIP,
    clusterIPs = clusterIP === undefined || clusterIP === '' ? [] : [clusterIP],
  } = spec;
  const headless = (): FieldError[] =>
    isHeadless(spec) ? [invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`)] : [];
  switch (type) {
    case 'LoadBalancer': {
      const why = `may not expose port ${KUBELET_PORT} externally since it is used by kubelet`;
      const exposed = ports.flatMap(({ port }, index) =>
        port === KUBELET_PORT ? [invalid(`spec.ports[${index}]`, port, why)] : [],
      );
      return [...exposed, ...headless()];
    }
    case 'NodePort':
      return headless();
    case 'ExternalName': {
      const forbiddenFields = [
        ...(clusterIPs.length > 0 ? ['clusterIPs'] : []),
        ...((spec.ipFamilies ?? []).length > 0 ? ['ipFamilies'] : []),
        ...(spec.ipFamilyPolicy === undefined ? [] : ['ipFamilyPolicy']),
      ].map((field) => forbidden(`spec.${field}`, 'may not be set for ExternalName services'));
      const name = (spec.externalName ?? '').replace(/\.$/, '');
      if (name === '') return [...forbiddenFields, required('spec.externalName')];
      return [...forbiddenFields, ...invalidEach('spec.externalName', name, dns1123Subdomain(name))];
    }
    default:
      return [];
  }
}

function validatePorts(ports: readonly Port[]): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap(({ name = '', port, protocol, targetPort, appProtocol }, index) => {
    const own = `spec.ports[${index}]`;
    const errors: FieldError[] = [];
    if (name !== '') {
      errors.push(...invalidEach(`${own}.name`, name, dns1123Label(name)));
      if (names.has(name)) errors.push(duplicate(`${own}.name`, name));
      names.add(name);
    } else if (ports.length > 1) errors.push(required(`${own}.name`));
    errors.push(...validPort(port, `${own}.port`), ...oneOf(protocol, PROTOCOLS, `${own}.protocol`));
    if (targetPort !== undefined) errors.push(...validPortOrName(targetPort, `${own}.targetPort`));
    if (appProtocol !== undefined) {
      errors.push(...invalidEach(`${own}.appProtocol`, appProtocol, qualifiedName(appProtocol)));
    }
    return errors;
  });
}

function validateAffinity({ sessionAffinity, sessionAffinityConfig: config }: Spec): FieldError[] {
  const field = 'spec.sessionAffinityConfig';
  const errors = [...oneOf(sessionAffinity, AFFINITIES, 'spec.sessionAffinity')];
  if (sessionAffinity === 'None' && config !== undefined) {
    errors.push(forbidden(field, 'must not be set when session affinity is None'));
  }
  if (sessionAffinity !== 'ClientIP') return errors;
  const when = 'when session affinity type is ClientIP';
  if (config === undefined) return [...errors, required(field, when)];
  if (config.clientIP === undefined) return [...errors, required(`${field}.clientIP`, when)];
  const { timeoutSeconds } = config.clientIP;
  if (timeoutSeconds === undefined) return [...errors, required(`${field}.clientIP.timeoutSeconds`, when)];
  if (timeoutSeconds > 0 && timeoutSeconds <= MAX_CLIENT_IP_SECONDS) return errors;
  const limits = `must be greater than 0 and less than ${MAX_CLIENT_IP_SECONDS}`;
  return [...errors, invalid(`${field}.clientIP.timeoutSeconds`, timeoutSeconds, limits)];
}

function validateNodePorts({ type, ports = [] }: Spec): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { nodePort = 0 }] of ports.entries()) {
    if (type === 'ClusterIP' && nodePort !== 0) {
      errors.push(forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
    }
  }
  for (const [index, { nodePort = 0, protocol }] of ports.entries()) {
    const identity = `${protocol}/${nodePort}`;
    if (nodePort !== 0 && seen.has(identity)) errors.push(duplicate(`spec.ports[${index}].nodePort`, nodePort));
    seen.add(identity);
  }
  return errors;
}

function duplicatePorts(ports: readonly Port[]): FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap(({ port, protocol }, index) => {
    const identity = `${protocol}/${port}`;
    const isKnown = seen.has(identity);
    seen.add(identity);
    return isKnown ? [duplicate(`spec.ports[${index}]`, asGo('ServicePort', { protocol, port }))] : [];
  });
}

function validateLoadBalancerFields(spec: Spec): FieldError[] {
  const { type, allocateLoadBalancerNodePorts, loadBalancerSourceRanges: ranges = [] } = spec;
  const fields = [
    ...(ranges.length === 0 ? [] : ['LoadBalancerSourceRanges']),
    ...(allocateLoadBalancerNodePorts === undefined ? [] : ['allocateLoadBalancerNodePorts']),
  ];
  return [
    ...(type === 'LoadBalancer' ? [] : fields.map((field) => forbidden(`spec.${field}`, LOAD_BALANCER_ONLY))),
    ...ranges.flatMap((range, index) => validateRange(range.trim(), `spec.LoadBalancerSourceRanges[${index}]`)),
    ...validateBalancerClass(spec),
  ];
}

function validateBalancerClass({ type, loadBalancerClass }: Spec): FieldError[] {
  const field = 'spec.loadBalancerClass';
  if (loadBalancerClass === undefined) return [];
  if (type !== 'LoadBalancer') return [forbidden(field, LOAD_BALANCER_ONLY)];
  return invalidEach(field, loadBalancerClass, qualifiedName(loadBalancerClass));
}

function validateExternalTraffic(spec: Spec): FieldError[] {
  const { externalTrafficPolicy: policy = '', healthCheckNodePort = 0 } = spec;
  const errors: FieldError[] = [];
  if (isExternallyAccessible(spec)) {
    if (policy === '') errors.push(required('spec.externalTrafficPolicy'));
    else errors.push(...oneOf(policy, TRAFFIC_POLICIES, 'spec.externalTrafficPolicy'));
  } else if (policy !== '') {
    const why = 'may only be set for externally-accessible services';
    errors.push(invalid('spec.externalTrafficPolicy', policy, why));
  }
  if (healthCheckNodePort === 0) return errors;
  if (needsHealthCheckPort(spec)) return [...errors, ...validPort(healthCheckNodePort, 'spec.healthCheckNodePort')];
  const why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [...errors, invalid('spec.healthCheckNodePort', healthCheckNodePort, why)];
}
