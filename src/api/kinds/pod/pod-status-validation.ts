/** Validation of updates of pods' status (ValidatePodStatusUpdate of pkg/apis/core/validation, v1.34). */
import { isIPv6 } from 'node:net';
import { duplicate, forbidden, invalid, invalidEach } from '../../errors/field-errors.js';
import { asGo } from '../../go/go-json.js';
import type { core, Pod, PodCondition, PodStatus } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { dns1123Subdomain, qualifiedName } from '../../values/names.js';
import { validateAddressForm } from '../rules/address-validation.js';

const SYSTEM_CONDITIONS: ReadonlySet<string> = new Set(['PodScheduled', 'Ready', 'Initialized']);
/** Of which the names are known to be good. */
const KUBELET_CONDITIONS: ReadonlySet<string> = new Set([
  ...SYSTEM_CONDITIONS,
  'ContainersReady',
  'PodReadyToStartContainers',
]);
const ONE_EACH = 'may specify no more than one IP for each IP family';

const NO_CLAIM = 'must match the name of an entry in `spec.resourceClaims`';

/** What is wrong with a pod's new status. What it shares with the former one is not looked at again. */
export function validatePodStatusChange(next: Pod, previous: Pod): FieldError[] {
  const { status } = next;
  const { status: before, spec } = previous;
  const errors = status.conditions === before.conditions ? [] : validateConditions(status.conditions ?? []);
  errors.push(...validateNomination(status.nominatedNodeName, previous));
  if ((status.observedGeneration ?? 0) < 0) {
    errors.push(invalid('status.observedGeneration', status.observedGeneration, 'must be a non-negative integer'));
  }
  if (status.qosClass !== before.qosClass) {
    errors.push(invalid('status.qosClass', status.qosClass ?? '', 'field is immutable'));
  }
  for (const list of ['containerStatuses', 'initContainerStatuses'] as const) {
    if (spec.restartPolicy === 'Always' || status[list] === before[list]) continue;
    errors.push(...validateStaysTerminated(next, previous, list));
  }
  if (status.resourceClaimStatuses !== undefined)
    errors.push(...validateClaimStatuses(status.resourceClaimStatuses, spec.resourceClaims));
  if (status.podIP !== before.podIP || status.podIPs !== before.podIPs)
    errors.push(...validatePodAddresses(status, before));
  if (status.hostIP !== before.hostIP || status.hostIPs !== before.hostIPs)
    errors.push(...validateHostAddresses(status, before));
  return errors;
}

function validateConditions(conditions: readonly PodCondition[]): FieldError[] {
  if (conditions.every(isUsual)) return [];
  return conditions.flatMap(({ type = '', observedGeneration = 0 }: Partial<PodCondition>, index) => [
    ...(observedGeneration < 0
      ? [
          invalid(
            `status.conditions[${index}].observedGeneration`,
            observedGeneration,
            'must be a non-negative integer',
          ),
        ]
      : []),
    ...(SYSTEM_CONDITIONS.has(type) ? [] : invalidEach(`status.conditions[${index}].Type`, type, qualifiedName(type))),
  ]);
}

/** Each is of a claim of the pod, and says no other name than one that a claim may have. */
function validateClaimStatuses(
  statuses: readonly Partial<core.PodResourceClaimStatus>[],
  claims: core.PodSpec['resourceClaims'] = [],
): FieldError[] {
  const seen = new Set<string>();
  return statuses.flatMap(({ name = '', resourceClaimName }, index) => {
    const field = `status.resourceClaimStatuses[${index}].name`;
    const isTwin = seen.has(name);
    seen.add(name);
    return [
      ...(claims.some((claim) => claim.name === name) ? [] : [invalid(field, name, NO_CLAIM)]),
      ...(isTwin ? [duplicate(field, name)] : []),
      ...(resourceClaimName === undefined
        ? []
        : invalidEach(field, resourceClaimName, dns1123Subdomain(resourceClaimName))),
    ];
  });
}

/** As nearly all of them are: written by a kubelet. */
function isUsual({ type, observedGeneration = 0 }: PodCondition): boolean {
  return observedGeneration >= 0 && KUBELET_CONDITIONS.has(type);
}

function validateNomination(name = '', { status }: Pod): readonly FieldError[] {
  if (name === '' || name === (status.nominatedNodeName ?? '')) return [];
  return invalidEach('status.nominatedNodeName', name, dns1123Subdomain(name));
}

/** Where the single address is not the first of the list, it stands for the list. */
function podAddresses({ podIP = '', podIPs = [] }: PodStatus): readonly string[] {
  const list = podIPs.map(({ ip = '' }) => ip);
  return podIP === '' || podIP === list[0] ? list : [podIP];
}

function validatePodAddresses(status: PodStatus, before: PodStatus): FieldError[] {
  const addresses = podAddresses(status);
  return validateAddresses(addresses, podAddresses(before), { field: 'status.podIPs', type: '[]PodIP' });
}

function validateHostAddresses({ hostIP = '', hostIPs = [] }: PodStatus, before: PodStatus): FieldError[] {
  const [addresses, former] = [hostIPs, before.hostIPs ?? []].map((list) => list.map(({ ip = '' }) => ip));
  const [first] = addresses ?? [];
  if (first === undefined) return [];
  return [
    ...(first === hostIP ? [] : [invalid('status.hostIPs[0].ip', first, 'must be equal to `hostIP`')]),
    ...validateAddresses(addresses ?? [], former ?? [], { field: 'status.hostIPs', type: '[]HostIP' }),
  ];
}

/** New addresses are good ones, and there is at most one of a family. */
function validateAddresses(
  addresses: readonly string[],
  former: readonly string[],
  { field, type }: { readonly field: string; readonly type: string },
): FieldError[] {
  const errors = addresses.flatMap((address, index) =>
    former.includes(address) ? [] : validateAddressForm(address, `${field}[${index}]`),
  );
  if (addresses.length < 2) return errors;
  const families = new Set(addresses.map((address) => isIPv6(address)));
  if (families.size === addresses.length) return errors;
  const shown = addresses.map((ip) => ({ ip }));
  return [...errors, invalid(field, asGo(type, shown), ONE_EACH)];
}

/** A container that has ended for good does not come back, unless its policy restarts it. */
function validateStaysTerminated(
  { spec, status }: Pod,
  previous: Pod,
  list: 'containerStatuses' | 'initContainerStatuses',
): FieldError[] {
  return (previous.status[list] ?? []).flatMap((before: core.ContainerStatus, index) => {
    const ended = before.state?.terminated;
    if (ended === undefined || (ended.exitCode !== 0 && spec.restartPolicy === 'OnFailure')) return [];
    const own = spec.initContainers?.find(({ name }) => name === before.name);
    if (list === 'initContainerStatuses' && own?.restartPolicy === 'Always') return [];
    const after = status[list]?.find(({ name }) => name === before.name);
    if (after === undefined || after.state?.terminated !== undefined) return [];
    return [forbidden(`status.${list}[${index}].state`, 'may not be transitioned to non-terminated state')];
  });
}
