/** Validation of containers, in upstream's order (pkg/apis/core/validation, v1.34). */
import { duplicate, forbidden, invalidEach, joinedErrors, notSupported, required } from '../../errors/field-errors.js';
import { dns1123Label, portName } from '../../values/names.js';
import type { Container, core } from '../../objects/objects.js';
import { isSidecar } from '../../pods/pod-resources.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { validPort } from '../rules/number-validation.js';
import { validateEnv, validateEnvFrom } from './environment-validation.js';
import { validateLifecycle, validateProbe } from './probe-validation.js';
import { validateRequirements } from '../rules/resource-validation.js';
import { validateSecurityContext } from './security-validation.js';
import { validateDevices, validateMounts } from './mount-validation.js';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
const RESIZED = ['cpu', 'memory'];
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer'];
const NO_ERRORS: readonly FieldError[] = Object.freeze([]);
const INIT_ONLY = 'may not be set for init containers without restartPolicy=Always';

type VolumeNames = ReadonlySet<string>;

/** The regular containers of a pod. */
export function validateContainers(
  containers: readonly Container[],
  volumes: VolumeNames,
  field: string,
  graceSeconds: number | undefined,
): readonly FieldError[] {
  if (containers.length === 0) return [required(field)];
  const names = containers.length === 1 ? undefined : new Set<string>();
  const errors: FieldError[] = [];
  for (let index = 0; index < containers.length; index += 1) {
    const container = containers[index] as Container;
    const own = `${field}[${index}]`;
    errors.push(...validateCommon(container, volumes, own), ...validateUniqueName(container, names, own));
    errors.push(...validateRunning(container, own, graceSeconds));
    if (container.restartPolicy !== undefined) {
      errors.push(forbidden(`${own}.restartPolicy`, 'may not be set for non-init containers'));
    }
  }
  errors.push(...validateHostPorts(containers, field));
  return errors;
}

/** The init containers and sidecars of a pod; names must differ from those of the regular containers too. */
export function validateInitContainers(
  initContainers: readonly Container[],
  containers: readonly Container[],
  volumes: VolumeNames,
  field: string,
  graceSeconds: number | undefined,
): readonly FieldError[] {
  if (initContainers.length === 0) return NO_ERRORS;
  const names = new Set(containers.map(({ name }) => name));
  const errors: FieldError[] = [];
  for (const [index, container] of initContainers.entries()) {
    const own = `${field}[${index}]`;
    const { restartPolicy } = container;
    errors.push(...validateCommon(container, volumes, own));
    if (restartPolicy !== undefined && restartPolicy !== 'Always') {
      errors.push(notSupported(`${own}.restartPolicy`, restartPolicy, ['Always']));
    }
    errors.push(...validateUniqueName(container, names, own), ...validateHostPorts([container], field));
    if (isSidecar(container)) {
      errors.push(...validateRunning(container, own, graceSeconds));
      continue;
    }
    for (const part of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
      if (container[part] !== undefined) errors.push(forbidden(`${own}.${part}`, INIT_ONLY));
    }
  }
  return errors;
}

function validateUniqueName(
  { name = '' }: Partial<Container>,
  names: Set<string> | undefined,
  field: string,
): readonly FieldError[] {
  if (names === undefined) return NO_ERRORS;
  if (names.has(name)) return [duplicate(`${field}.name`, name)];
  names.add(name);
  return NO_ERRORS;
}

function validateRunning(container: Container, field: string, graceSeconds: number | undefined): readonly FieldError[] {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  return joinedErrors(
    lifecycle === undefined ? NO_ERRORS : validateLifecycle(lifecycle, `${field}.lifecycle`, graceSeconds),
    livenessProbe === undefined ? NO_ERRORS : validateProbe(livenessProbe, 'livenessProbe', field),
    readinessProbe === undefined ? NO_ERRORS : validateProbe(readinessProbe, 'readinessProbe', field),
    startupProbe === undefined ? NO_ERRORS : validateProbe(startupProbe, 'startupProbe', field),
  );
}

/** What holds for a container of any list. */
export function validateCommon(
  container: Partial<Container>,
  volumes: VolumeNames,
  field: string,
): readonly FieldError[] {
  const { name = '', image = '', ports, env, envFrom, volumeMounts, resources } = container;
  const { resizePolicy, securityContext, volumeDevices } = container;
  return joinedErrors(
    name === '' ? [required(`${field}.name`)] : invalidEach(`${field}.name`, name, dns1123Label(name)),
    image === '' ? [required(`${field}.image`)] : NO_ERRORS,
    oneOf(container.terminationMessagePolicy, MESSAGE_POLICIES, `${field}.terminationMessagePolicy`),
    ports === undefined ? NO_ERRORS : validatePorts(ports, `${field}.ports`),
    env === undefined ? NO_ERRORS : validateEnv(env, `${field}.env`),
    envFrom === undefined ? NO_ERRORS : validateEnvFrom(envFrom, `${field}.envFrom`),
    volumeMounts === undefined ? NO_ERRORS : validateMounts(container, volumes, `${field}.volumeMounts`),
    volumeDevices === undefined ? NO_ERRORS : validateDevices(container, volumes, `${field}.volumeDevices`),
    oneOf(container.imagePullPolicy, PULL_POLICIES, `${field}.imagePullPolicy`),
    resources === undefined ? NO_ERRORS : validateRequirements(resources, `${field}.resources`),
    resizePolicy === undefined ? NO_ERRORS : validateResizePolicy(resizePolicy, `${field}.resizePolicy`),
    securityContext === undefined ? NO_ERRORS : validateSecurityContext(securityContext, `${field}.securityContext`),
  );
}

/** What a change of a resource does to a container. */
function validateResizePolicy(
  policies: readonly Partial<core.ContainerResizePolicy>[],
  field: string,
): readonly FieldError[] {
  const names = new Set<string>();
  return policies.flatMap(({ resourceName = '', restartPolicy }, index) => {
    const repeated = names.has(resourceName) ? [duplicate(`${field}[${index}]`, resourceName)] : NO_ERRORS;
    names.add(resourceName);
    return joinedErrors(repeated, oneOf(resourceName, RESIZED, field), oneOf(restartPolicy, RESIZE_POLICIES, field));
  });
}

/** A text that must be one of a set. */
export function oneOf(value: string | undefined, allowed: readonly string[], field: string): readonly FieldError[] {
  if (value === undefined || value === '') return [required(field)];
  return allowed.includes(value) ? NO_ERRORS : [notSupported(field, value, allowed)];
}

function validatePorts(ports: readonly Partial<core.ContainerPort>[], field: string): readonly FieldError[] {
  let names: Set<string> | undefined;
  const errors: FieldError[] = [];
  for (let index = 0; index < ports.length; index += 1) {
    const { name = '', containerPort = 0, hostPort = 0, protocol } = ports[index] as Partial<core.ContainerPort>;
    const own = `${field}[${index}]`;
    if (name !== '') {
      const messages = portName(name);
      errors.push(...invalidEach(`${own}.name`, name, messages));
      if (messages.length === 0 && names?.has(name) === true) errors.push(duplicate(`${own}.name`, name));
      (names ??= new Set()).add(name);
    }
    if (containerPort === 0) errors.push(required(`${own}.containerPort`));
    else errors.push(...validPort(containerPort, `${own}.containerPort`));
    if (hostPort !== 0) errors.push(...validPort(hostPort, `${own}.hostPort`));
    errors.push(...oneOf(protocol, PROTOCOLS, `${own}.protocol`));
  }
  return errors;
}

/** The same port of the node may not be asked for twice. */
function validateHostPorts(containers: readonly Container[], field: string): readonly FieldError[] {
  if (!containers.some(({ ports }) => ports?.some(({ hostPort = 0 }) => hostPort !== 0) === true)) return NO_ERRORS;
  const taken = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, { ports = [] }] of containers.entries()) {
    for (const [at, { hostPort = 0, hostIP = '', protocol = '' }] of ports.entries()) {
      if (hostPort === 0) continue;
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(key)) errors.push(duplicate(`${field}[${index}].ports[${at}].hostPort`, key));
      taken.add(key);
    }
  }
  return errors;
}
