/**
 * Validation of pod specs, of pods and of templates, in upstream's order (pkg/apis/core/validation,
 * v1.34). Specs that were found good are remembered by reference: the pods of one template are
 * validated once. What is not simulated (security contexts, most of volumes, DNS) is not looked at.
 */
import { RecentMap } from '../../../kernel/recent-map.js';
import {
  duplicate,
  forbidden,
  invalid,
  invalidEach,
  joinedErrors,
  notSupported,
  required,
} from '../../errors/field-errors.js';
import { dns1123Label, dns1123Subdomain, qualifiedName } from '../../values/names.js';
import type { Container, core, PodSpec } from '../../objects/objects.js';
import { aggregatedContainerRequests } from '../../pods/pod-resources.js';
import { compareQuantities, formatQuantity, knownQuantity, ZERO_QUANTITY } from '../../values/quantity.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { validateAffinity } from './affinity-validation.js';
import { oneOf, validateContainers, validateInitContainers } from './container-validation.js';
import { validateEphemeralContainers } from './ephemeral-container-validation.js';
import { inRange } from '../rules/number-validation.js';
import { validateLabels } from '../rules/object-meta.js';
import { validateRequirements } from '../rules/resource-validation.js';
import { validateSchedulingGates, validateSpreadConstraints, validateTolerations } from './scheduling-validation.js';
import { MAX_INT32 } from '../../values/int32.js';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
const SPECS_REMEMBERED = 512;
const NO_NAMES: ReadonlySet<string> = new Set();
const NO_ERRORS: readonly FieldError[] = Object.freeze([]);

/** Whether a spec belongs to a pod or to the template of a workload. */
export type SpecOwner = 'pod' | 'template';

const goodSpecs: Readonly<Record<SpecOwner, RecentMap<PodSpec, true>>> = {
  pod: new RecentMap(SPECS_REMEMBERED),
  template: new RecentMap(SPECS_REMEMBERED),
};

/** Everything wrong with a spec. @param field - `spec`, or `spec.template.spec` */
export function validatePodSpec(spec: PodSpec, field: string, owner: SpecOwner): readonly FieldError[] {
  if (goodSpecs[owner].get(spec) === true) return NO_ERRORS;
  const errors = joinedErrors(
    spec.volumes === undefined ? NO_ERRORS : validateVolumeNames(spec.volumes, `${field}.volumes`),
    validateContainersOf(spec, field),
    validatePodResources(spec, `${field}.resources`),
    validateHostNetworkPorts(spec, field, owner),
    oneOf(spec.restartPolicy, RESTART_POLICIES, `${field}.restartPolicy`),
    oneOf(spec.dnsPolicy, DNS_POLICIES, `${field}.dnsPolicy`),
    validateSchedulingRules(spec, field),
    validateSysctls(spec.securityContext?.sysctls ?? [], `${field}.securityContext.sysctls`),
    validateNames(spec, field),
    owner === 'pod' ? validateImageSpaces(spec, field) : NO_ERRORS,
  );
  if (errors.length === 0) goodSpecs[owner].set(spec, true);
  return errors;
}

const LONGEST_SYSCTL = 253;
const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;

/** Parameters of the kernel that the pod's containers are to have. */
function validateSysctls(sysctls: readonly core.Sysctl[], field: string): readonly FieldError[] {
  if (sysctls.length === 0) return NO_ERRORS;
  const names = new Set<string>();
  return sysctls.flatMap(({ name }, index): readonly FieldError[] => {
    const path = `${field}[${index}].name`;
    if (name === '') return [required(path)];
    if (name.length > LONGEST_SYSCTL || !SYSCTL.test(name)) {
      const allowed = `must have at most ${LONGEST_SYSCTL} characters and match regex ${SYSCTL.source}`;
      return [invalid(path, name, allowed)];
    }
    if (names.has(name)) return [duplicate(path, name)];
    names.add(name);
    return NO_ERRORS;
  });
}

/** What says where a pod may go, and when. */
function validateSchedulingRules(spec: PodSpec, field: string): readonly FieldError[] {
  const { nodeSelector, affinity, readinessGates, schedulingGates, topologySpreadConstraints: constraints } = spec;
  return joinedErrors(
    nodeSelector === undefined ? NO_ERRORS : validateLabels(nodeSelector, `${field}.nodeSelector`),
    affinity === undefined ? NO_ERRORS : validateAffinity(affinity, `${field}.affinity`),
    readinessGates === undefined ? NO_ERRORS : validateReadinessGates(readinessGates, `${field}.readinessGates`),
    schedulingGates === undefined ? NO_ERRORS : validateSchedulingGates(schedulingGates, `${field}.schedulingGates`),
    constraints === undefined
      ? NO_ERRORS
      : validateSpreadConstraints(constraints, `${field}.topologySpreadConstraints`),
  );
}

function validateContainersOf(spec: PodSpec, field: string): readonly FieldError[] {
  const { containers, initContainers = [], ephemeralContainers, volumes, terminationGracePeriodSeconds: grace } = spec;
  const names = volumes === undefined ? NO_NAMES : new Set(volumes.map(({ name }) => name));
  return joinedErrors(
    validateContainers(containers, names, `${field}.containers`, grace),
    validateInitContainers(initContainers, containers, names, `${field}.initContainers`, grace),
    ephemeralContainers === undefined
      ? NO_ERRORS
      : validateEphemeralContainers(
          ephemeralContainers,
          [...containers, ...initContainers],
          names,
          `${field}.ephemeralContainers`,
        ),
  );
}

function validateVolumeNames(volumes: readonly Partial<core.Volume>[], field: string): readonly FieldError[] {
  const names = new Set<string>();
  return volumes.flatMap((volume, index) => {
    const { name = '', ...sources } = volume;
    const own = `${field}[${index}]`;
    const [, ...others] = Object.keys(sources);
    const errors = others.map((source) => forbidden(`${own}.${source}`, 'may not specify more than 1 volume type'));
    if (name === '') errors.push(required(`${own}.name`));
    else errors.push(...invalidEach(`${own}.name`, name, dns1123Label(name)));
    if (name !== '' && names.has(name)) errors.push(duplicate(`${own}.name`, name));
    names.add(name);
    return errors;
  });
}

/** Pod-level resources: well formed, at least what the containers request together. */
function validatePodResources(spec: PodSpec, field: string): readonly FieldError[] {
  const { resources } = spec;
  if (resources === undefined) return NO_ERRORS;
  const errors = [...validateRequirements(resources, field, 'pod')];
  for (const [name, total] of aggregatedContainerRequests(spec)) {
    const text = resources.requests?.[name];
    const own = text === undefined ? ZERO_QUANTITY : knownQuantity(text);
    if (compareQuantities(total, own) <= 0) continue;
    const rule = `must be greater than or equal to aggregate container requests of ${formatQuantity(total)}`;
    errors.push(invalid(`${field}.requests[${name}]`, formatQuantity(own), rule));
  }
  for (const [index, container] of spec.containers.entries()) {
    errors.push(...validateLimitsWithin(container, resources.limits ?? {}, `${field}.containers[${index}]`));
  }
  return errors;
}

function validateLimitsWithin(
  { resources = {} }: Container,
  podLimits: Readonly<Record<string, string>>,
  field: string,
): FieldError[] {
  return Object.entries(resources.limits ?? {}).flatMap(([name, text]) => {
    const podLimit = podLimits[name];
    if (podLimit === undefined || compareQuantities(knownQuantity(text), knownQuantity(podLimit)) <= 0) return [];
    return [invalid(`${field}[${name}].limits`, text, `must be less than or equal to pod limits of ${podLimit}`)];
  });
}

function validateHostNetworkPorts(
  { hostNetwork, containers }: PodSpec,
  field: string,
  owner: SpecOwner,
): readonly FieldError[] {
  if (hostNetwork !== true) return NO_ERRORS;
  return containers.flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ hostPort = 0, containerPort }, at) => {
      if (hostPort === containerPort || (owner === 'template' && hostPort === 0)) return [];
      const own = `${field}.containers[${index}].ports[${at}].hostPort`;
      return [invalid(own, hostPort, 'must match `containerPort` when `hostNetwork` is true')];
    }),
  );
}

function validateReadinessGates(gates: readonly Partial<core.PodReadinessGate>[], field: string): FieldError[] {
  return gates.flatMap(({ conditionType = '' }, index) =>
    invalidEach(`${field}[${index}].conditionType`, conditionType, qualifiedName(conditionType)),
  );
}

function validateNames(spec: PodSpec, field: string): readonly FieldError[] {
  const { activeDeadlineSeconds, tolerations, preemptionPolicy, overhead } = spec;
  return joinedErrors(
    optionalName(spec.serviceAccountName, `${field}.serviceAccountName`, dns1123Subdomain),
    optionalName(spec.nodeName, `${field}.nodeName`, dns1123Subdomain),
    activeDeadlineSeconds === undefined
      ? NO_ERRORS
      : inRange(activeDeadlineSeconds, 1, MAX_INT32, `${field}.activeDeadlineSeconds`),
    optionalName(spec.hostname, `${field}.hostname`, dns1123Label),
    optionalName(spec.subdomain, `${field}.subdomain`, dns1123Label),
    tolerations === undefined ? NO_ERRORS : validateTolerations(tolerations, `${field}.tolerations`),
    optionalName(spec.priorityClassName, `${field}.priorityClassName`, dns1123Subdomain),
    optionalName(spec.runtimeClassName, `${field}.runtimeClassName`, dns1123Subdomain),
    preemptionPolicy === undefined || PREEMPTION_POLICIES.includes(preemptionPolicy)
      ? NO_ERRORS
      : [notSupported(`${field}.preemptionPolicy`, preemptionPolicy, PREEMPTION_POLICIES)],
    overhead === undefined ? NO_ERRORS : validateRequirements({ limits: overhead }, `${field}.overhead`),
  );
}

function optionalName(
  name: string | undefined,
  field: string,
  check: (name: string) => readonly string[],
): readonly FieldError[] {
  return name === undefined || name === '' ? NO_ERRORS : invalidEach(field, name, check(name));
}

/** Templates have always been allowed to have them. */
function validateImageSpaces({ containers, initContainers = [] }: PodSpec, field: string): readonly FieldError[] {
  if (!containers.some(hasImageSpaces) && !initContainers.some(hasImageSpaces)) return NO_ERRORS;
  const spaced = (list: readonly Container[], name: string): FieldError[] =>
    list.flatMap((container, index) => {
      const own = `${field}.${name}[${index}].image`;
      if (!hasImageSpaces(container)) return [];
      return [invalid(own, container.image, 'must not have leading or trailing whitespace')];
    });
  return [...spaced(containers, 'containers'), ...spaced(initContainers, 'initContainers')];
}

function hasImageSpaces({ image = '' }: Container): boolean {
  return image !== image.trim();
}
