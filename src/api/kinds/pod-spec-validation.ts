/**
 * Validation of pod specs, of pods and of templates, in upstream's order (pkg/apis/core/validation,
 * v1.34). Specs that were found good are remembered by reference: the pods of one template are
 * validated once. What is not simulated (security contexts, most of volumes, DNS) is not looked at.
 */
import { duplicate, forbidden, invalid, invalidEach, notSupported, required } from '../field-errors.js';
import { dns1123Label, dns1123Subdomain, qualifiedName } from '../names.js';
import type { Container, core, PodSpec } from '../objects.js';
import { aggregatedContainerRequests } from '../pod-resources.js';
import { compareQuantities, formatQuantity, knownQuantity, ZERO_QUANTITY } from '../quantity.js';
import type { FieldError } from '../resource-kind.js';
import { validateAffinity } from './affinity-validation.js';
import { oneOf, validateContainers, validateInitContainers } from './container-validation.js';
import { inRange } from './number-validation.js';
import { validateLabels } from './object-meta.js';
import { validateRequirements } from './resource-validation.js';
import { validateSchedulingGates, validateSpreadConstraints, validateTolerations } from './scheduling-validation.js';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
const MAX_INT32 = 2_147_483_647;
const NO_ERRORS: readonly FieldError[] = Object.freeze([]);

/** Whether a spec belongs to a pod or to the template of a workload. */
export type SpecOwner = 'pod' | 'template';

const goodSpecs: Readonly<Record<SpecOwner, WeakSet<PodSpec>>> = { pod: new WeakSet(), template: new WeakSet() };

/** Everything wrong with a spec. @param field - `spec`, or `spec.template.spec` */
export function validatePodSpec(spec: PodSpec, field: string, owner: SpecOwner): readonly FieldError[] {
  if (goodSpecs[owner].has(spec)) return NO_ERRORS;
  const errors = [
    ...validateVolumeNames(spec.volumes ?? [], `${field}.volumes`),
    ...validateContainersOf(spec, field),
    ...validatePodResources(spec, `${field}.resources`),
    ...validateHostNetworkPorts(spec, field, owner),
    ...oneOf(spec.restartPolicy, RESTART_POLICIES, `${field}.restartPolicy`),
    ...oneOf(spec.dnsPolicy, DNS_POLICIES, `${field}.dnsPolicy`),
    ...validateLabels(spec.nodeSelector ?? {}, `${field}.nodeSelector`),
    ...(spec.affinity === undefined ? [] : validateAffinity(spec.affinity, `${field}.affinity`)),
    ...validateReadinessGates(spec.readinessGates ?? [], `${field}.readinessGates`),
    ...validateSchedulingGates(spec.schedulingGates ?? [], `${field}.schedulingGates`),
    ...validateSpreadConstraints(spec.topologySpreadConstraints ?? [], `${field}.topologySpreadConstraints`),
    ...validateNames(spec, field),
    ...(owner === 'pod' ? validateImageSpaces(spec, field) : []),
  ];
  if (errors.length === 0) goodSpecs[owner].add(spec);
  return errors;
}

function validateContainersOf(spec: PodSpec, field: string): FieldError[] {
  const { containers, initContainers = [], volumes = [] } = spec;
  const names = new Set(volumes.map(({ name }) => name));
  return [
    ...validateContainers(containers, names, `${field}.containers`),
    ...validateInitContainers(initContainers, containers, names, `${field}.initContainers`),
  ];
}

function validateVolumeNames(volumes: readonly Partial<core.Volume>[], field: string): FieldError[] {
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
function validatePodResources(spec: PodSpec, field: string): FieldError[] {
  const { resources } = spec;
  if (resources === undefined) return [];
  const errors = validateRequirements(resources, field, 'pod');
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

function validateHostNetworkPorts({ hostNetwork, containers }: PodSpec, field: string, owner: SpecOwner): FieldError[] {
  if (hostNetwork !== true) return [];
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

function validateNames(spec: PodSpec, field: string): FieldError[] {
  const { activeDeadlineSeconds, tolerations = [], preemptionPolicy, overhead } = spec;
  return [
    ...optionalName(spec.serviceAccountName, `${field}.serviceAccountName`, dns1123Subdomain),
    ...optionalName(spec.nodeName, `${field}.nodeName`, dns1123Subdomain),
    ...(activeDeadlineSeconds === undefined
      ? []
      : inRange(activeDeadlineSeconds, 1, MAX_INT32, `${field}.activeDeadlineSeconds`)),
    ...optionalName(spec.hostname, `${field}.hostname`, dns1123Label),
    ...optionalName(spec.subdomain, `${field}.subdomain`, dns1123Label),
    ...validateTolerations(tolerations, `${field}.tolerations`),
    ...optionalName(spec.priorityClassName, `${field}.priorityClassName`, dns1123Subdomain),
    ...optionalName(spec.runtimeClassName, `${field}.runtimeClassName`, dns1123Subdomain),
    ...(preemptionPolicy === undefined || PREEMPTION_POLICIES.includes(preemptionPolicy)
      ? []
      : [notSupported(`${field}.preemptionPolicy`, preemptionPolicy, PREEMPTION_POLICIES)]),
    ...(overhead === undefined ? [] : validateRequirements({ limits: overhead }, `${field}.overhead`)),
  ];
}

function optionalName(
  name: string | undefined,
  field: string,
  check: (name: string) => readonly string[],
): FieldError[] {
  return name === undefined || name === '' ? [] : invalidEach(field, name, check(name));
}

/** Templates have always been allowed to have them. */
function validateImageSpaces({ containers, initContainers = [] }: PodSpec, field: string): FieldError[] {
  const spaced = (list: readonly Container[], name: string): FieldError[] =>
    list.flatMap(({ image = '' }, index) =>
      image === image.trim()
        ? []
        : [invalid(`${field}.${name}[${index}].image`, image, 'must not have leading or trailing whitespace')],
    );
  return [...spaced(containers, 'containers'), ...spaced(initContainers, 'initContainers')];
}
