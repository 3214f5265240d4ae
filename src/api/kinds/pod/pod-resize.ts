/**
 * A pod whose containers are given more or less of what they ask for: the update of `pods/resize`, and what is wrong
 * with one (dropNonResizeUpdates in pkg/registry/core/pod, ValidatePodResize in pkg/apis/core/validation, v1.34).
 */
import { forbidden, invalid } from '../../errors/field-errors.js';
import type { Container, Pod, PodSpec } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { isSidecar } from '../../pods/pod-resources.js';
import { qosClass } from '../../pods/qos-class.js';
import { isSameJson } from '../../values/canonical-json.js';
import { validatePodSpec } from './pod-spec-validation.js';

type Resources = NonNullable<Container['resources']>;
type Amounts = Readonly<Record<string, string>>;

const LISTS = ['containers', 'initContainers'] as const;
const RESIZABLE = ['cpu', 'memory'] as const;
const ONLY_THESE = 'only cpu and memory resources are mutable';

/** The spec with the resources that are wanted; one with other containers is left for the validation to refuse. */
export function resizedSpec(wanted: PodSpec, previous: PodSpec): PodSpec {
  if (LISTS.some((list) => (wanted[list] ?? []).length !== (previous[list] ?? []).length)) return wanted;
  const containers = resizedList(wanted.containers, previous.containers);
  const init = previous.initContainers;
  return {
    ...previous,
    containers,
    ...(init === undefined ? {} : { initContainers: resizedList(wanted.initContainers ?? [], init) }),
  };
}

function resizedList(wanted: Container[], previous: Container[]): Container[] {
  if (wanted.some(({ name }, index) => name !== previous[index]?.name)) return wanted;
  return wanted.map(({ resources, resizePolicy }, index) => {
    const { resources: _before, resizePolicy: _policy, ...kept } = previous[index] as Container;
    return {
      ...kept,
      ...(resources === undefined ? {} : { resources }),
      ...(resizePolicy === undefined ? {} : { resizePolicy }),
    };
  });
}

const MIRROR = 'kubernetes.io/config.mirror';
/** A path without a name, as Go prints it. */
const NOWHERE = '[]';

/** What a resize may not change; what must not be resized at all is not looked at any closer. */
export function validateResize(next: Pod, previous: Pod): readonly FieldError[] {
  const { spec, status, metadata } = previous;
  if ([spec, next.spec].some(hasPodResources))
    return [forbidden(NOWHERE, 'pods with pod-level resources cannot be resized')];
  if (metadata.annotations?.[MIRROR] !== undefined) return [forbidden(NOWHERE, 'static pods cannot be resized')];
  if (spec.os?.name === 'windows') return [forbidden(NOWHERE, 'windows pods cannot be resized')];
  const errors = [...validatePodSpec(next.spec, 'spec', 'pod', metadata.name)];
  if ((status.qosClass ?? qosClass(spec)) !== qosClass(next.spec)) {
    errors.push(invalid('spec', status.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing'));
  }
  const others = LISTS.flatMap((list) => validateSameContainers(next.spec[list] ?? [], spec[list] ?? [], list));
  if (others.length > 0) return [...errors, ...others];
  errors.push(...validateKept(next.spec, spec, 'initContainers'), ...validateKept(next.spec, spec, 'containers'));
  for (const [index, container] of next.spec.containers.entries()) {
    if (!isResizedOnly(container, spec.containers[index] as Container)) errors.push(forbidden('spec', ONLY_THESE));
  }
  for (const [index, container] of (next.spec.initContainers ?? []).entries()) {
    const before = spec.initContainers?.[index] as Container;
    if (isSidecar(container)) {
      const text = 'only cpu and memory resources for sidecar containers are mutable';
      if (!isResizedOnly(container, before)) errors.push(forbidden('spec', text));
    } else if (!isSameJson(container, before)) {
      errors.push(forbidden('spec', 'resources for non-sidecar init containers are immutable'));
    }
  }
  return errors;
}

function hasPodResources({ resources = {} }: PodSpec): boolean {
  return Object.keys({ ...resources.requests, ...resources.limits }).length > 0;
}

function validateSameContainers(
  next: readonly Container[],
  previous: readonly Container[],
  list: (typeof LISTS)[number],
): FieldError[] {
  if (next.length !== previous.length) {
    return [forbidden(`spec.${list}`, `${list} may not be added or removed on resize`)];
  }
  return next.flatMap(({ name }, index) => {
    if (name === previous[index]?.name) return [];
    return [forbidden(`spec.${list}[${index}].name`, `${list} may not be renamed or reordered on resize`)];
  });
}

/** What a container asked for it goes on asking for, be it another amount. */
function validateKept(next: PodSpec, previous: PodSpec, list: (typeof LISTS)[number]): FieldError[] {
  return (previous[list] ?? []).flatMap((before, index) => {
    if (list === 'initContainers' && !isSidecar(before)) return [];
    const after = next[list]?.[index]?.resources ?? {};
    return (['requests', 'limits'] as const).flatMap((part) => {
      const names = Object.keys(before.resources?.[part] ?? {});
      if (names.every((name) => after[part]?.[name] !== undefined)) return [];
      return [forbidden(`spec.${list}[${index}].resources.${part}`, `resource ${part} cannot be removed`)];
    });
  });
}

/** Whether a container differs in its processors and memory alone. */
function isResizedOnly(next: Container, previous: Container): boolean {
  const { resources: after = {}, ...rest } = next;
  const { resources: before = {}, ...kept } = previous;
  if (!isSameJson(rest, kept)) return false;
  return isSameJson(fixedAmounts(after, before), fixedAmounts(before, before));
}

/** Amounts where the container had some before, without those that may change. */
function fixedAmounts(resources: Resources, before: Resources): unknown {
  return (['requests', 'limits'] as const).map((part) => {
    const amounts: Amounts = before[part] === undefined ? {} : (resources[part] ?? {});
    const fixed = Object.entries(amounts).filter(([name]) => !RESIZABLE.some((each) => each === name));
    return Object.fromEntries(fixed);
  });
}
