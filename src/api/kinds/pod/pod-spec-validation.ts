/**
 * Validation of pod specs, of pods and of templates, in upstream's order (pkg/apis/core/validation,
 * v1.34). Specs that were found good are remembered by reference: the pods of one template are
 * validated once.
 */
import { RecentMap } from '../../../kernel/recent-map.js';
import { forbidden, invalid, invalidEach, joinedErrors, notSupported, required } from '../../errors/field-errors.js';
import { dns1123Label, dns1123Subdomain, qualifiedName } from '../../values/names.js';
import type { Container, core, PodSpec } from '../../objects/objects.js';
import { aggregatedContainerLimits, aggregatedContainerRequests } from '../../pods/pod-resources.js';
import { compareQuantities, formatQuantity, knownQuantity } from '../../values/quantity.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { validateAffinity } from './affinity-validation.js';
import { oneOf, validateContainers, validateInitContainers } from './container-validation.js';
import { validateEphemeralContainers } from './ephemeral-container-validation.js';
import { validateAddressForm } from '../rules/address-validation.js';
import { inRange } from '../rules/number-validation.js';
import { validateLabels } from '../rules/object-meta.js';
import { isHugePages } from '../rules/resource-lists.js';
import { validateRequirements } from '../rules/resource-validation.js';
import { validateHostProcess } from './host-process-validation.js';
import { validateNamespaces, validateSystem } from './namespace-validation.js';
import { validateSchedulingGates, validateSpreadConstraints, validateTolerations } from './scheduling-validation.js';
import { validateClaims, validateClaimsUsed } from './resource-claim-validation.js';
import { validatePodSecurityContext } from './security-validation.js';
import { validateVolumes, type VolumeVerdict } from './volume-validation.js';
import { MAX_INT32 } from '../../values/int32.js';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const MOST_NAMESERVERS = 3;
const MOST_SEARCHES = 32;
const SEARCH_PATH = /^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/;
const SEARCH_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
const SPECS_REMEMBERED = 512;
const NO_VOLUMES: VolumeVerdict = { errors: [], names: new Set() };
const OPERATING_SYSTEMS = ['linux', 'windows'];
const NO_ERRORS: readonly FieldError[] = Object.freeze([]);

/** Whether a spec belongs to a pod or to the template of a workload. */
export type SpecOwner = 'pod' | 'template';

const goodSpecs: Readonly<Record<SpecOwner, RecentMap<PodSpec, true>>> = {
  pod: new RecentMap(SPECS_REMEMBERED),
  template: new RecentMap(SPECS_REMEMBERED),
};

/** Everything wrong with a spec. @param field - `spec`, or `spec.template.spec` */
export function validatePodSpec(spec: PodSpec, field: string, owner: SpecOwner, pod = ''): readonly FieldError[] {
  const isGood = goodSpecs[owner].get(spec) === true;
  if (isGood && !(pod !== '' && spec.volumes?.some(({ ephemeral }) => ephemeral !== undefined) === true))
    return NO_ERRORS;
  const volumes = spec.volumes === undefined ? NO_VOLUMES : validateVolumes(spec.volumes, `${field}.volumes`, pod);
  const errors = joinedErrors(
    volumes.errors,
    spec.resourceClaims === undefined ? NO_ERRORS : validateClaims(spec.resourceClaims, `${field}.resourceClaims`),
    validateContainersOf(spec, volumes.names, field),
    validateClaimsUsed(spec, field),
    validatePodResources(spec, `${field}.resources`),
    validateHostNetworkPorts(spec, field, owner),
    validateHostProcess(spec, field),
    validateNamespaces(spec, field),
    oneOf(spec.restartPolicy, RESTART_POLICIES, `${field}.restartPolicy`),
    oneOf(spec.dnsPolicy, DNS_POLICIES, `${field}.dnsPolicy`),
    validateSchedulingRules(spec, field),
    validateNames(spec, field),
    owner === 'pod' ? validateImageSpaces(spec, field) : validateTemplateOnly(spec, field),
  );
  if (errors.length === 0) goodSpecs[owner].set(spec, true);
  return errors;
}

/** What only pods have. */
function validateTemplateOnly({ ephemeralContainers = [] }: PodSpec, field: string): readonly FieldError[] {
  if (ephemeralContainers.length === 0) return NO_ERRORS;
  return [forbidden(`${field}.ephemeralContainers`, 'ephemeral containers not allowed in pod template')];
}

/** What says where a pod may go, and when. */
function validateSchedulingRules(spec: PodSpec, field: string): readonly FieldError[] {
  const { nodeSelector, affinity, readinessGates, schedulingGates, topologySpreadConstraints: constraints } = spec;
  const { securityContext } = spec;
  return joinedErrors(
    nodeSelector === undefined ? NO_ERRORS : validateLabels(nodeSelector, `${field}.nodeSelector`),
    securityContext === undefined ? NO_ERRORS : validatePodSecurityContext(securityContext, `${field}.securityContext`),
    affinity === undefined ? NO_ERRORS : validateAffinity(affinity, `${field}.affinity`),
    validateDns(spec, `${field}.dnsConfig`),
    readinessGates === undefined ? NO_ERRORS : validateReadinessGates(readinessGates, `${field}.readinessGates`),
    schedulingGates === undefined ? NO_ERRORS : validateSchedulingGates(schedulingGates, `${field}.schedulingGates`),
    constraints === undefined
      ? NO_ERRORS
      : validateSpreadConstraints(constraints, `${field}.topologySpreadConstraints`),
  );
}

function validateContainersOf(spec: PodSpec, names: VolumeVerdict['names'], field: string): readonly FieldError[] {
  const { containers, initContainers = [], ephemeralContainers, terminationGracePeriodSeconds: grace } = spec;
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

/** Pod-level resources: well formed, at least what the containers request together. */
function validatePodResources(spec: PodSpec, field: string): readonly FieldError[] {
  const { resources } = spec;
  if (resources === undefined) return NO_ERRORS;
  const errors = [...validateRequirements(resources, field, 'pod')];
  for (const [name, total] of aggregatedContainerRequests(spec)) {
    const text = resources.requests?.[name];
    if (text === undefined || compareQuantities(total, knownQuantity(text)) <= 0) continue;
    const rule = `must be greater than or equal to aggregate container requests of ${formatQuantity(total)}`;
    errors.push(invalid(`${field}.requests[${name}]`, formatQuantity(knownQuantity(text)), rule));
  }
  for (const [name, total] of aggregatedContainerLimits(spec)) {
    const text = resources.limits?.[name];
    if (!isHugePages(name) || text === undefined || compareQuantities(total, knownQuantity(text)) <= 0) continue;
    const rule = `must be greater than or equal to aggregate container limits of ${formatQuantity(total)}`;
    errors.push(invalid(`${field}.limits[${name}]`, formatQuantity(knownQuantity(text)), rule));
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
  const { activeDeadlineSeconds, tolerations, hostAliases, preemptionPolicy, overhead, os } = spec;
  return joinedErrors(
    optionalName(spec.serviceAccountName, `${field}.serviceAccountName`, dns1123Subdomain),
    optionalName(spec.nodeName, `${field}.nodeName`, dns1123Subdomain),
    activeDeadlineSeconds === undefined
      ? NO_ERRORS
      : inRange(activeDeadlineSeconds, 1, MAX_INT32, `${field}.activeDeadlineSeconds`),
    optionalName(spec.hostname, `${field}.hostname`, dns1123Label),
    optionalName(spec.subdomain, `${field}.subdomain`, dns1123Label),
    tolerations === undefined ? NO_ERRORS : validateTolerations(tolerations, `${field}.tolerations`),
    hostAliases === undefined ? NO_ERRORS : validateHostAliases(hostAliases, `${field}.hostAliases`),
    optionalName(spec.priorityClassName, `${field}.priorityClassName`, dns1123Subdomain),
    optionalName(spec.runtimeClassName, `${field}.runtimeClassName`, dns1123Subdomain),
    preemptionPolicy === undefined || PREEMPTION_POLICIES.includes(preemptionPolicy)
      ? NO_ERRORS
      : [notSupported(`${field}.preemptionPolicy`, preemptionPolicy, PREEMPTION_POLICIES)],
    overhead === undefined ? NO_ERRORS : validateRequirements({ limits: overhead }, `${field}.overhead`),
    os === undefined ? NO_ERRORS : joinedErrors(validateOs(os, `${field}.os`), validateSystem(spec, field)),
  );
}

/** Names of a search path may begin with an underscore, and a dot alone is the root. */
function validateSearchPath(path: string, field: string): readonly FieldError[] {
  const name = path === '.' ? '' : path.replace(/\.$/, '');
  return path === '.' || SEARCH_PATH.test(name) ? NO_ERRORS : [invalid(field, name, SEARCH_TEXT)];
}

/** Servers of names must be given where the policy gives none. */
function validateDns({ dnsPolicy, dnsConfig }: PodSpec, field: string): readonly FieldError[] {
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  if (dnsPolicy === 'None') {
    if (dnsConfig === undefined) return [required(field, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    const own = `${field}.nameservers`;
    if (nameservers.length === 0) {
      return [required(own, 'must provide at least one DNS nameserver when `dnsPolicy` is None')];
    }
  }
  if (dnsConfig === undefined) return NO_ERRORS;
  const tooMany = `must not have more than ${MOST_NAMESERVERS} nameservers`;
  return joinedErrors(
    nameservers.length > MOST_NAMESERVERS ? [invalid(`${field}.nameservers`, nameservers, tooMany)] : NO_ERRORS,
    nameservers.flatMap((address, index) => validateAddressForm(address, `${field}.nameservers[${index}]`)),
    searches.length > MOST_SEARCHES
      ? [invalid(`${field}.searches`, searches, `must not have more than ${MOST_SEARCHES} search paths`)]
      : NO_ERRORS,
    searches.flatMap((path, index) => validateSearchPath(path, `${field}.searches[${index}]`)),
    options.flatMap(({ name = '' }, index) =>
      name === '' ? [required(`${field}.options[${index}]`, 'must not be empty')] : [],
    ),
  );
}

function validateHostAliases(aliases: readonly core.HostAlias[], field: string): readonly FieldError[] {
  return aliases.flatMap(({ ip = '', hostnames = [] }, index) => [
    ...validateAddressForm(ip, `${field}[${index}].ip`),
    ...hostnames.flatMap((name, at) =>
      invalidEach(`${field}[${index}].hostnames[${at}]`, name, dns1123Subdomain(name)),
    ),
  ]);
}

function validateOs({ name }: Partial<core.PodOS>, field: string): readonly FieldError[] {
  if (name === undefined || name === '') return [required(`${field}.name`)];
  return OPERATING_SYSTEMS.includes(name) ? NO_ERRORS : [notSupported(field, name, OPERATING_SYSTEMS)];
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
