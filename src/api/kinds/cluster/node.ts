/** Nodes (pkg/registry/core/node/strategy.go and pkg/apis/core/validation, v1.34). */
import { duplicate, forbidden, internal, invalid, invalidEach, required } from '../../errors/field-errors.js';
import { asGo } from '../../go/go-json.js';
import { isSameJson } from '../../values/canonical-json.js';
import { labelValue, qualifiedName } from '../../values/names.js';
import type { core, Draft, Node, Taint } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { describeKind } from '../rules/describe-kind.js';
import { changedField, filled } from '../rules/filling.js';
import { canonicalResourceList } from '../rules/resource-lists.js';
import { validateAmounts } from '../rules/resource-validation.js';
import { validateRange } from '../rules/address-validation.js';
import { validateTaintEffect } from '../pod/scheduling-validation.js';

const STATUS_DEFAULTS: core.NodeStatus = {
  daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
  nodeInfo: {
    machineID: '',
    systemUUID: '',
    bootID: '',
    kernelVersion: '',
    osImage: '',
    containerRuntimeVersion: '',
    kubeletVersion: '',
    kubeProxyVersion: '',
    operatingSystem: '',
    architecture: '',
  },
};

/** The description of nodes. */
export const nodeKind = describeKind({
  kind: 'Node',
  plural: 'nodes',
  shortNames: ['no'],
  isNamespaced: false,
  hasStatus: true,
  selectableFields: { 'spec.unschedulable': ({ spec }) => String(spec.unschedulable ?? false) },
  applyDefaults(draft: Draft): Draft {
    const node = filled(draft, { spec: {}, status: STATUS_DEFAULTS });
    const [spec, status] = [node['spec'] as core.NodeSpec, node['status'] as core.NodeStatus];
    const [ranged, complete] = [withRanges(spec), defaultedStatus(status)];
    return ranged === spec && complete === status ? node : { ...node, spec: ranged, status: complete };
  },
  // The configuration of kubelets by the API server, which is gone.
  droppedFields: ['spec.configSource', 'status.config'],
  validate: validateNode,
  validateChange: validateNodeChange,
  validateStatusChange: (next, previous) => [
    ...(['capacity', 'allocatable'] as const).flatMap((field) => {
      const amounts = next.status[field];
      return amounts === undefined || amounts === previous.status[field]
        ? []
        : validateAmounts(amounts, `status.${field}`);
    }),
    ...validateNodeChange(next, previous),
  ],
});

/** Of a range and a list that begins with another one, the range counts; either one stands for the other. */
function withRanges(spec: core.NodeSpec): core.NodeSpec {
  const { podCIDR = '', podCIDRs: [first = ''] = [] } = spec;
  if (podCIDR === first) return spec;
  return podCIDR === '' ? { ...spec, podCIDR: first } : { ...spec, podCIDRs: [podCIDR] };
}

/** What a node does not say it reserves, pods may have. */
function defaultedStatus(status: core.NodeStatus): core.NodeStatus {
  let result = filled(status, STATUS_DEFAULTS);
  result = changedField(result, 'capacity', canonicalResourceList);
  if (result.capacity !== undefined) result = filled(result, { allocatable: result.capacity });
  return changedField(result, 'allocatable', canonicalResourceList);
}

const goodTaints = new WeakSet<readonly Taint[]>();

function validateNode({ spec, status }: Node): FieldError[] {
  const { taints = [] } = spec;
  const errors: FieldError[] = [];
  if (!goodTaints.has(taints)) {
    errors.push(...validateTaints(taints, 'metadata.taints'));
    if (errors.length === 0) goodTaints.add(taints);
  }
  for (const [index, range] of rangesOf(spec).entries()) {
    errors.push(...validateRange(range, `spec.podCIDRs[${index}]`));
  }
  errors.push(...validateFamilies(rangesOf(spec), 'spec.podCIDRs'));
  errors.push(...validateAmounts(status.capacity ?? {}, 'status.capacity'));
  errors.push(...validateAmounts(status.allocatable ?? {}, 'status.allocatable'));
  return errors;
}

/** Two ranges must be of both families. */
function validateFamilies(ranges: readonly string[], field: string): FieldError[] {
  if (ranges.length < 2) return [];
  const errors: FieldError[] = [];
  const bad = ranges.findIndex((range) => validateRange(range, field).length > 0);
  if (bad >= 0) {
    const why = `invalid CIDR[${bad}]: <nil> (invalid CIDR address: ${ranges[bad]})`;
    errors.push(internal(field, `invalid PodCIDRs. failed to check with dual stack with error:${why}`));
  }
  const isBoth = bad < 0 && new Set(ranges.map((range) => range.includes(':'))).size === 2;
  if (isBoth && ranges.length === 2) return errors;
  return [...errors, invalid(field, ranges, 'may specify no more than one CIDR for each IP family')];
}

/** What is given once, and stays. */
function validateNodeChange({ spec, status }: Node, { spec: before, status: { addresses } }: Node): FieldError[] {
  const errors = status.addresses === addresses ? [] : validateAddresses(status.addresses ?? []);
  const ranges = rangesOf(before);
  if (ranges.length > 0 && !isSameJson(rangesOf(spec), ranges)) {
    errors.push(forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
  }
  const { providerID = '' } = before;
  if (providerID !== '' && spec.providerID !== providerID) {
    errors.push(forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  }
  // Looked at once more.
  errors.push(...validateTaints(spec.taints ?? [], 'metadata.taints'));
  if ((spec.externalID ?? '') !== (before.externalID ?? '')) {
    errors.push(forbidden('spec.externalID', 'may not be updated'));
  }
  return errors;
}

function validateAddresses(addresses: readonly core.NodeAddress[]): FieldError[] {
  const seen = new Set<string>();
  return addresses.flatMap((each, index) => {
    const identity = `${each.type} ${each.address}`;
    if (seen.has(identity)) return [duplicate(`status.addresses[${index}]`, asGo('NodeAddress', each))];
    seen.add(identity);
    return [];
  });
}

/** Where the list is not given, the single range stands for it. */
function rangesOf({ podCIDR = '', podCIDRs }: core.NodeSpec): readonly string[] {
  return podCIDRs ?? (podCIDR === '' ? [] : [podCIDR]);
}

/** Upstream calls the place `metadata.taints`, although taints stand in the spec. */
function validateTaints(taints: readonly Partial<Taint>[], field: string): FieldError[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, index) => {
    const { key = '', value = '', effect = '' } = taint;
    const own = `${field}[${index}]`;
    const messages = labelValue(value);
    const errors = [
      ...invalidEach(`${own}.key`, key, qualifiedName(key)),
      ...(messages.length === 0 ? [] : [invalid(`${own}.value`, value, messages.join(';'))]),
      ...(effect === '' ? [required(`${own}.effect`)] : validateTaintEffect(effect, `${own}.effect`)),
    ];
    const identity = `${key}:${effect}`;
    if (seen.has(identity)) {
      errors.push(duplicate(own, asGo('Taint', taint), 'taints must be unique by key and effect pair'));
    }
    seen.add(identity);
    return errors;
  });
}
