/** Validation of ingresses and their classes (pkg/apis/networking/validation, v1.34). */
import { isIP } from 'node:net';
import type * as networking from 'kubernetes-types/networking/v1.js';
import { forbidden, invalid, invalidEach, notSupported, required, tooLong } from '../../../errors/field-errors.js';
import { asGo } from '../../../go/go-json.js';
import type { FieldError } from '../../../objects/resource-kind.js';
import {
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  domainPrefixedPathProblems,
  portName,
  wildcardSubdomain,
} from '../../../values/names.js';
import { validateEntryAddress, validateEntryName } from '../../rules/balancer-entries.js';
import { validPort } from '../../rules/number-validation.js';
import { requiredSegment, specOf, statusOf, type PlainRules } from './plain-rules.js';

type Spec = networking.IngressSpec;
type ClassSpec = networking.IngressClassSpec;

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const SCOPES = ['Cluster', 'Namespace'];
const BAD_SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];
const BAD_ENDS = ['/..', '/.'];
const LONGEST_CONTROLLER = 250;
const NO_ADDRESS = 'must be a DNS name, not an IP address';

/** Of Ingresses. */
export const ingressRules: PlainRules = {
  validate: (object) => validateSpec(specOf<Spec>(object)),
  refusedAsNew: (object) => {
    const stated = object.metadata.annotations?.[CLASS_ANNOTATION];
    const { ingressClassName } = specOf<Spec>(object);
    if (stated === undefined || ingressClassName === undefined || stated === ingressClassName) return [];
    const text = 'must match `ingressClassName` when both are specified';
    return [invalid(`annotations.${CLASS_ANNOTATION}`, stated, text)];
  },
  validateStatusChange: (next) => {
    const { loadBalancer } = statusOf<networking.IngressStatus>(next);
    return (loadBalancer?.ingress ?? []).flatMap((entry, index) => {
      const own = `status.loadBalancer.ingress[${index}]`;
      return [...validateEntryAddress(entry, own), ...validateEntryName(entry, own)];
    });
  },
};

/** Of IngressClasses. */
export const ingressClassRules: PlainRules = {
  validate: (object) => {
    const { controller = '', parameters } = specOf<ClassSpec>(object);
    const field = 'spec.controller';
    return [
      ...(controller.length > LONGEST_CONTROLLER ? [tooLong(field, LONGEST_CONTROLLER)] : []),
      ...(controller === ''
        ? [required(field)]
        : domainPrefixedPathProblems(controller).map(({ part, problem }) => invalid(field, part, problem))),
      ...(parameters === undefined ? [] : validateParameters(parameters, 'spec.parameters')),
    ];
  },
  validateChange: (next, previous) => {
    const [{ controller }, { controller: before }] = [specOf<ClassSpec>(next), specOf<ClassSpec>(previous)];
    return controller === before ? [] : [invalid('spec.controller', controller ?? '', 'field is immutable')];
  },
};

function validateSpec({ rules = [], defaultBackend, tls = [], ingressClassName }: Partial<Spec>): FieldError[] {
  const errors: FieldError[] = [];
  if (rules.length === 0 && defaultBackend === undefined) {
    errors.push(
      invalid('spec', asGo('[]IngressRule', undefined), 'either `defaultBackend` or `rules` must be specified'),
    );
  }
  if (defaultBackend !== undefined) errors.push(...validateBackend(defaultBackend, 'spec.defaultBackend'));
  for (const [index, { host = '', http }] of rules.entries()) {
    const field = `spec.rules[${index}]`;
    if (host !== '') {
      if (isIP(host) !== 0) errors.push(invalid(`${field}.host`, host, NO_ADDRESS));
      errors.push(...validateHost(host, `${field}.host`));
    }
    if (http === undefined) continue;
    const paths: readonly networking.HTTPIngressPath[] = (http as Partial<typeof http>).paths ?? [];
    if (paths.length === 0) errors.push(required(`${field}.http.paths`));
    for (const [at, path] of paths.entries()) errors.push(...validatePath(path, `${field}.http.paths[${at}]`));
  }
  for (const [index, { hosts = [], secretName = '' }] of tls.entries()) {
    const field = `spec.tls[${index}]`;
    for (const [at, host] of hosts.entries()) errors.push(...validateHost(host, `${field}.hosts[${at}]`));
    if (secretName !== '') errors.push(...invalidEach(`${field}.secretName`, secretName, dns1123Subdomain(secretName)));
  }
  if (ingressClassName !== undefined) {
    errors.push(...invalidEach('spec.ingressClassName', ingressClassName, dns1123Subdomain(ingressClassName)));
  }
  return errors;
}

function validateHost(host: string, field: string): FieldError[] {
  return invalidEach(field, host, host.includes('*') ? wildcardSubdomain(host) : dns1123Subdomain(host));
}

function validatePath(
  { path = '', pathType, backend }: Partial<networking.HTTPIngressPath>,
  field: string,
): FieldError[] {
  if (pathType === undefined) return [required(`${field}.pathType`, 'pathType must be specified')];
  const errors: FieldError[] = [];
  const own = `${field}.path`;
  const isAbsolute = path.startsWith('/');
  if (pathType === 'Exact' || pathType === 'Prefix') {
    if (!isAbsolute) errors.push(invalid(own, path, 'must be an absolute path'));
    for (const each of BAD_SEQUENCES) {
      if (path.includes(each)) errors.push(invalid(own, path, `must not contain '${each}'`));
    }
    for (const each of BAD_ENDS) if (path.endsWith(each)) errors.push(invalid(own, path, `cannot end with '${each}'`));
  } else if (pathType === 'ImplementationSpecific') {
    if (path !== '' && !isAbsolute) errors.push(invalid(own, path, 'must be an absolute path'));
  } else errors.push(notSupported(`${field}.pathType`, pathType, PATH_TYPES));
  return [...errors, ...validateBackend(backend ?? {}, `${field}.backend`)];
}

function validateBackend({ resource, service }: networking.IngressBackend, field: string): FieldError[] {
  if (resource !== undefined && service !== undefined) {
    return [invalid(field, '', 'cannot set both resource and service backends')];
  }
  if (resource !== undefined) return validateReference(resource, `${field}.resource`);
  if (service === undefined) return [invalid(field, '', 'resource or service backend is required')];
  const { name = '', port = {} } = service as Partial<networking.IngressServiceBackend>;
  const own = `${field}.service`;
  const errors = name === '' ? [required(`${own}.name`)] : invalidEach(`${own}.name`, name, dns1035Label(name));
  const { name: nameOfPort = '', number = 0 } = port;
  if (nameOfPort !== '' && number !== 0) {
    return [...errors, invalid(field, '', 'cannot set both port name & port number')];
  }
  if (nameOfPort !== '') return [...errors, ...invalidEach(`${own}.port.name`, nameOfPort, portName(nameOfPort))];
  if (number !== 0) return [...errors, ...validPort(number, `${own}.port.number`)];
  return [...errors, required(field, 'port name or number is required')];
}

function validateReference(
  { apiGroup, kind = '', name = '' }: Readonly<Partial<Record<'apiGroup' | 'kind' | 'name', string>>>,
  field: string,
): FieldError[] {
  return [
    ...(apiGroup === undefined ? [] : invalidEach(`${field}.apiGroup`, apiGroup, dns1123Subdomain(apiGroup))),
    ...requiredSegment(kind, `${field}.kind`),
    ...requiredSegment(name, `${field}.name`),
  ];
}

function validateParameters(parameters: networking.IngressClassParametersReference, field: string): FieldError[] {
  const { scope, namespace } = parameters;
  const errors = validateReference(parameters, field);
  if (scope === undefined) return [...errors, required(`${field}.scope`)];
  if (!SCOPES.includes(scope)) return [...errors, notSupported(`${field}.scope`, scope, SCOPES)];
  const own = `${field}.namespace`;
  if (scope === 'Cluster') {
    return namespace === undefined ? errors : [...errors, forbidden(own, "`parameters.scope` is set to 'Cluster'")];
  }
  if (namespace === undefined) return [...errors, required(own, "`parameters.scope` is set to 'Namespace'")];
  return [...errors, ...invalidEach(own, namespace, dns1123Label(namespace))];
}
