/**
 * What an update may change of a pod's spec: images, deadline, added tolerations, removed gates, and
 * while gated a narrower choice of nodes (ValidatePodUpdate, pkg/apis/core/validation, v1.34).
 */
import { isSameJson } from '../../values/canonical-json.js';
import { forbidden, invalid, required } from '../../errors/field-errors.js';
import { asGo, goJsonLines } from '../../go/go-json.js';
import { unifiedDiff } from '../../go/unified-diff.js';
import type { Container, core, PodSpec, Toleration } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { MAX_INT32 } from '../../values/int32.js';

const ONLY_THESE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
  '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** Everything that `next` changes of `previous` and may not. */
export function validatePodSpecUpdate(next: PodSpec, previous: PodSpec): readonly FieldError[] {
  if (next === previous) return [];
  const errors: FieldError[] = [];
  for (const list of ['containers', 'initContainers'] as const) {
    const [after, before] = [next[list] ?? [], previous[list] ?? []];
    if (after.length !== before.length) {
      return [...errors, forbidden(`spec.${list}`, 'pod updates may not add or remove containers')];
    }
    errors.push(...validateImages(after, `spec.${list}`));
  }
  const deadline = validateDeadline(next.activeDeadlineSeconds, previous.activeDeadlineSeconds);
  errors.push(...deadline.errors);
  if (deadline.isFinal) return errors;
  errors.push(...validateOnlyAdded(next.tolerations ?? [], previous.tolerations ?? []));
  errors.push(...validateOnlyOpened(next.schedulingGates ?? [], previous.schedulingGates ?? []));
  const isGated = (previous.schedulingGates ?? []).length > 0;
  if (isGated) errors.push(...validateNodeChoice(next, previous));
  if (!isSameJson(fixedPart(next, isGated), fixedPart(previous, isGated))) {
    // What Go reads to the same is no change: a template of a claim with metadata that says nothing.
    const difference = specDifference(next, previous, isGated);
    if (difference !== '') errors.push(forbidden('spec', `${ONLY_THESE}\n${difference}`));
  }
  return errors;
}

function validateImages(containers: readonly Container[], field: string): FieldError[] {
  return containers.flatMap(({ image = '' }, index) => {
    const own = `${field}[${index}].image`;
    if (image === '') return [required(own)];
    return image === image.trim() ? [] : [invalid(own, image, 'must not have leading or trailing whitespace')];
  });
}

/** A deadline may be set or lowered. */
function validateDeadline(
  next: number | undefined,
  previous: number | undefined,
): { readonly errors: FieldError[]; readonly isFinal: boolean } {
  const field = 'spec.activeDeadlineSeconds';
  if (next === undefined) {
    if (previous === undefined) return { errors: [], isFinal: false };
    return { errors: [invalid(field, next, 'must not update from a positive integer to nil value')], isFinal: false };
  }
  if (next < 0 || next > MAX_INT32) {
    return { errors: [invalid(field, next, `must be between 0 and ${MAX_INT32}, inclusive`)], isFinal: true };
  }
  if (previous !== undefined && previous < next) {
    return { errors: [invalid(field, next, 'must be less than or equal to previous value')], isFinal: true };
  }
  return { errors: [], isFinal: false };
}

function validateOnlyAdded(next: readonly Toleration[], previous: readonly Toleration[]): FieldError[] {
  const isKept = ({ tolerationSeconds: _before, ...old }: Toleration): boolean =>
    next.some(({ tolerationSeconds: _after, ...each }) => isSameJson(each, old));
  if (previous.every(isKept)) return [];
  return [forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')];
}

function validateOnlyOpened(
  next: readonly core.PodSchedulingGate[],
  previous: readonly core.PodSchedulingGate[],
): FieldError[] {
  return next.flatMap(({ name }, index) => {
    if (previous.some((gate) => gate.name === name)) return [];
    const text = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return [forbidden(`spec.schedulingGates[${index}].name`, text)];
  });
}

/** While gated, a pod may become choosier about its node. */
function validateNodeChoice(next: PodSpec, previous: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  const selector = next.nodeSelector ?? {};
  const isNarrower = Object.entries(previous.nodeSelector ?? {}).every(([key, value]) => selector[key] === value);
  if (!isNarrower) {
    const rule = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
    errors.push(invalid('spec.nodeSelector', next.nodeSelector, rule));
  }
  errors.push(...validateTermsNarrowed(requiredTerms(next) ?? [], requiredTerms(previous)));
  return errors;
}

function requiredTerms({ affinity }: PodSpec): readonly core.NodeSelectorTerm[] | undefined {
  return affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
}

function validateTermsNarrowed(
  next: readonly core.NodeSelectorTerm[],
  previous: readonly core.NodeSelectorTerm[] | undefined,
): FieldError[] {
  if (previous === undefined) return [];
  const field = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
  if (next.length !== previous.length) {
    return [
      invalid(
        field,
        asGo('[]NodeSelectorTerm', next),
        'no additions/deletions to non-empty NodeSelectorTerms list are allowed',
      ),
    ];
  }
  return previous.flatMap((before, index) => {
    const after = next[index];
    const isKept = (part: 'matchExpressions' | 'matchFields'): boolean =>
      (before[part] ?? []).every((old) => (after?.[part] ?? []).some((each) => isSameJson(old, each)));
    if (isKept('matchExpressions') && isKept('matchFields')) return [];
    const own = `${field}[${index}]`;
    return [invalid(own, asGo('NodeSelectorTerm', after), 'only additions are allowed (no mutations or deletions)')];
  });
}

function withImagesOf(list: readonly Container[] = [], old: readonly Container[] = []): readonly object[] {
  return list.map((container, index) => ({ ...container, image: old[index]?.image ?? container.image }));
}

/** The specs as upstream compares them, printed: what may change is the same in both. */
function specDifference(next: PodSpec, previous: PodSpec, isGated: boolean): string {
  const { activeDeadlineSeconds, tolerations, schedulingGates, nodeSelector } = previous;
  const compared = {
    ...next,
    containers: withImagesOf(next.containers, previous.containers),
    ...(next.initContainers === undefined
      ? {}
      : { initContainers: withImagesOf(next.initContainers, previous.initContainers) }),
    activeDeadlineSeconds,
    tolerations,
    schedulingGates,
    ...(isGated ? { nodeSelector, affinity: withFormerNodes(next.affinity, previous.affinity) } : {}),
  };
  return unifiedDiff(printed(previous), printed(compared));
}

/** What a gated pod says of other pods, beside what it said of nodes; nothing where it says nothing new. */
function withFormerNodes(
  next: core.Affinity | undefined,
  previous: core.Affinity | undefined,
): core.Affinity | undefined {
  const nodeAffinity = previous?.nodeAffinity;
  if (isSameJson(next?.nodeAffinity, nodeAffinity)) return next;
  const isOfNodesAlone = next?.podAffinity === undefined && next?.podAntiAffinity === undefined;
  return previous === undefined && isOfNodesAlone ? undefined : { ...next, ...(nodeAffinity && { nodeAffinity }) };
}

/** The server works with what a pod shares with its machine as a part of its security context. */
function printed(spec: object): readonly string[] {
  const { hostNetwork, hostPID, hostIPC, hostUsers, shareProcessNamespace, ...rest } = spec as Partial<PodSpec>;
  const shared = { hostNetwork, hostPID, hostIPC, hostUsers, shareProcessNamespace };
  return goJsonLines('PodSpec', { ...rest, securityContext: { ...rest.securityContext, ...shared } });
}

/** The spec without everything that has a rule of its own. */
function fixedPart(spec: PodSpec, isGated: boolean): unknown {
  const { containers, initContainers, activeDeadlineSeconds: _deadline, tolerations: _tolerations, ...rest } = spec;
  const { schedulingGates: _gates, nodeSelector, affinity = {}, ...fixed } = rest;
  const { nodeAffinity, ...podAffinities } = affinity;
  return {
    ...fixed,
    ...podAffinities,
    ...(isGated ? {} : { nodeSelector, nodeAffinity }),
    containers: withoutImages(containers),
    initContainers: withoutImages(initContainers ?? []),
  };
}

function withoutImages(containers: readonly Container[]): unknown {
  return containers.map(({ image: _image, ...rest }) => rest);
}
