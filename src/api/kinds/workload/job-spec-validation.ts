/** Validation of jobs' specs, by themselves and against what they were (pkg/apis/batch/validation, v1.34). */
import type { Job, JobSpec } from '../../objects/batch-objects.js';
import { isSameJson } from '../../values/canonical-json.js';
import { invalid, invalidEach, notSupported, required, tooLong } from '../../errors/field-errors.js';
import { asGo, type GoValue } from '../../go/go-json.js';
import { compileLabelSelector } from '../../selectors/labels.js';
import { dns1123Label, dns1123Subdomain } from '../../values/names.js';
import type { PodTemplateSpec } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { validatePodFailurePolicy, validateSuccessPolicy } from './job-policy-validation.js';
import { validateLabelSelector } from '../rules/label-selector-validation.js';
import { nonNegative } from '../rules/number-validation.js';
import { validateAnnotations, validateLabels, validatePodAnnotations } from '../rules/object-meta.js';
import { validateSeccompAnnotations } from '../pod/annotated-profiles.js';
import { validatePodSpec } from '../pod/pod-spec-validation.js';

const SPEC = 'spec';
const MAX_INDEXED_PARALLELISM = 100_000;
const MAX_FAILED_INDEXES = 100_000;
/** Beyond so many completions, jobs with a limit per index are held to stricter limits. */
const MANY_COMPLETIONS = 100_000;
const MAX_WITH_MANY_COMPLETIONS = 10_000;
const MAX_MANAGED_BY_BYTES = 63;
const COMPLETION_MODES = ['NonIndexed', 'Indexed'];
const REPLACEMENT_POLICIES = ['Failed', 'TerminatingOrFailed'];
const RESTART_POLICIES = ['OnFailure', 'Never'];
const HTTP_PATH_FORMAT = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const HTTP_PATH = new RegExp(`^${HTTP_PATH_FORMAT}$`);
/** Labels that tie pods to their job, old names first; each carries the job's uid or its name. */
const GENERATED_LABELS = [
  ['controller-uid', 'uid'],
  ['job-name', 'name'],
  ['batch.kubernetes.io/controller-uid', 'uid'],
  ['batch.kubernetes.io/job-name', 'name'],
] as const;

/** What an update may not change, after a second look at the spec. */
export function validateJobChange(next: Job, previous: Job): FieldError[] {
  return [
    ...validateWholeSpec(next.spec),
    ...validateCompletionsChange(next.spec, previous.spec),
    ...kept(next.spec, previous.spec, 'selector'),
    ...validateTemplateChange(next, previous),
    ...kept(next.spec, previous.spec, 'completionMode'),
    ...kept(next.spec, previous.spec, 'podFailurePolicy'),
    ...kept(next.spec, previous.spec, 'backoffLimitPerIndex'),
    ...kept(next.spec, previous.spec, 'managedBy'),
    ...kept(next.spec, previous.spec, 'successPolicy'),
  ];
}

/** What is wrong with a job beyond its metadata. */
export function validateJob(job: Job): FieldError[] {
  return [...validateGeneratedSelector(job), ...validateWholeSpec(job.spec), ...validateHostnames(job)];
}

function validateWholeSpec(spec: JobSpec): FieldError[] {
  const errors = validateJobSpec(spec, SPEC);
  if (spec.selector === undefined) errors.push(required(`${SPEC}.selector`));
  else errors.push(...validateLabelSelector(spec.selector, `${SPEC}.selector`));
  const labels = spec.template.metadata?.labels;
  if (!compileLabelSelector(spec.selector).matches(labels)) {
    const text = '`selector` does not match template `labels`';
    errors.push(invalid(`${SPEC}.template.metadata.labels`, labels, text));
  }
  return errors;
}

/** The part of a job's spec that a cron job's template has, too. @param field - its path */
export function validateJobSpec(spec: JobSpec, field: string): FieldError[] {
  return [
    ...nonNegative(spec.parallelism, `${field}.parallelism`),
    ...nonNegative(spec.completions, `${field}.completions`),
    ...nonNegative(spec.activeDeadlineSeconds, `${field}.activeDeadlineSeconds`),
    ...nonNegative(spec.backoffLimit, `${field}.backoffLimit`),
    ...nonNegative(spec.ttlSecondsAfterFinished, `${field}.ttlSecondsAfterFinished`),
    ...nonNegative(spec.backoffLimitPerIndex, `${field}.backoffLimitPerIndex`),
    ...nonNegative(spec.maxFailedIndexes, `${field}.maxFailedIndexes`),
    ...(spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined
      ? [required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')]
      : []),
    ...validateManagedBy(spec.managedBy, `${field}.managedBy`),
    ...validateCompletionMode(spec, field),
    ...validatePodFailurePolicy(spec, `${field}.podFailurePolicy`),
    ...validateSuccessPolicy(spec, `${field}.successPolicy`),
    ...validateReplacementPolicy(spec, `${field}.podReplacementPolicy`),
    ...validateTemplate(spec.template, `${field}.template`),
    ...validateRestartPolicy(spec, `${field}.template.spec.restartPolicy`),
  ];
}

function validateGeneratedSelector({ metadata, spec }: Job): FieldError[] {
  if (spec.manualSelector === true || spec.selector === undefined) return [];
  const labels = spec.template.metadata?.labels ?? {};
  const errors: FieldError[] = [];
  const expected: Record<string, string> = {};
  for (const [key, source] of GENERATED_LABELS) {
    const field = `${SPEC}.template.metadata.labels[${key}]`;
    const value = metadata[source];
    expected[key] = value;
    if (labels[key] === undefined) errors.push(required(field, `must be '${value}'`));
    else if (labels[key] !== value) errors.push(invalid(field, labels, `must be '${value}'`));
  }
  if (!compileLabelSelector(spec.selector).matches(expected)) {
    errors.push(invalid(`${SPEC}.selector`, asGo('*LabelSelector', spec.selector), '`selector` not auto-generated'));
  }
  return errors;
}

/** Pods of an indexed job are hosts named after the job and their index. */
function validateHostnames({ metadata: { name }, spec: { completionMode, completions = 0 } }: Job): FieldError[] {
  if (completionMode !== 'Indexed' || completions <= 0) return [];
  const longest = `${name}-${completions - 1}`;
  if (dns1123Label(longest).length === 0) return [];
  return [invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${longest}`)];
}

function validateManagedBy(managedBy: string | undefined, field: string): FieldError[] {
  if (managedBy === undefined) return [];
  const errors = validateDomainPath(managedBy, field);
  if (managedBy.length > MAX_MANAGED_BY_BYTES) errors.push(tooLong(field, MAX_MANAGED_BY_BYTES));
  return errors;
}

function validateDomainPath(text: string, field: string): FieldError[] {
  if (text === '') return [required(field)];
  const slash = text.indexOf('/');
  if (slash <= 0 || slash === text.length - 1) {
    return [invalid(field, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const [host, path] = [text.slice(0, slash), text.slice(slash + 1)];
  const errors = invalidEach(field, host, dns1123Subdomain(host));
  if (HTTP_PATH.test(path)) return errors;
  return [...errors, invalid(field, path, `Invalid path (regex used for validation is '${HTTP_PATH_FORMAT}')`)];
}

function validateCompletionMode(spec: JobSpec, field: string): FieldError[] {
  const { completionMode = 'NonIndexed', backoffLimitPerIndex, maxFailedIndexes } = spec;
  if (completionMode === 'Indexed') return validateIndexed(spec, field);
  const errors = COMPLETION_MODES.includes(completionMode)
    ? []
    : [notSupported(`${field}.completionMode`, completionMode, COMPLETION_MODES)];
  if (completionMode !== 'NonIndexed') return errors;
  const text = 'requires indexed completion mode';
  if (backoffLimitPerIndex !== undefined) {
    errors.push(invalid(`${field}.backoffLimitPerIndex`, backoffLimitPerIndex, text));
  }
  if (maxFailedIndexes !== undefined) errors.push(invalid(`${field}.maxFailedIndexes`, maxFailedIndexes, text));
  return errors;
}

function validateIndexed(spec: JobSpec, field: string): FieldError[] {
  const { completions, parallelism = 0, backoffLimitPerIndex, maxFailedIndexes } = spec;
  const errors: FieldError[] = [];
  if (completions === undefined) errors.push(required(`${field}.completions`, 'when completion mode is Indexed'));
  if (parallelism > MAX_INDEXED_PARALLELISM) {
    const text = `must be less than or equal to ${MAX_INDEXED_PARALLELISM} when completion mode is Indexed`;
    errors.push(invalid(`${field}.parallelism`, parallelism, text));
  }
  const own = `${field}.maxFailedIndexes`;
  if (maxFailedIndexes !== undefined && completions !== undefined && maxFailedIndexes > completions) {
    errors.push(invalid(own, maxFailedIndexes, 'must be less than or equal to completions'));
  }
  if (maxFailedIndexes !== undefined && maxFailedIndexes > MAX_FAILED_INDEXES) {
    errors.push(invalid(own, maxFailedIndexes, `must be less than or equal to ${MAX_FAILED_INDEXES}`));
  }
  if (completions === undefined || completions <= MANY_COMPLETIONS || backoffLimitPerIndex === undefined) return errors;
  if (maxFailedIndexes === undefined) {
    errors.push(required(own, `must be specified when completions is above ${MANY_COMPLETIONS}`));
  }
  const text = `must be less than or equal to ${MAX_WITH_MANY_COMPLETIONS} when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  if (parallelism > MAX_WITH_MANY_COMPLETIONS) errors.push(invalid(`${field}.parallelism`, parallelism, text));
  if (maxFailedIndexes !== undefined && maxFailedIndexes > MAX_WITH_MANY_COMPLETIONS) {
    errors.push(invalid(own, maxFailedIndexes, text));
  }
  return errors;
}

function validateReplacementPolicy({ podReplacementPolicy, podFailurePolicy }: JobSpec, field: string): FieldError[] {
  if (podReplacementPolicy === undefined) return [];
  const supported = podFailurePolicy === undefined ? REPLACEMENT_POLICIES : ['Failed'];
  return supported.includes(podReplacementPolicy) ? [] : [notSupported(field, podReplacementPolicy, supported)];
}

function validateTemplate(template: PodTemplateSpec, field: string): FieldError[] {
  const { metadata, spec } = template;
  return [
    ...validateLabels(metadata?.labels ?? {}, `${field}.labels`),
    ...validateAnnotations(metadata?.annotations ?? {}, `${field}.annotations`),
    ...validatePodAnnotations(metadata?.annotations, `${field}.annotations`),
    ...validatePodSpec(spec, `${field}.spec`, 'template'),
    ...validateSeccompAnnotations(template, `${field}.spec`),
  ];
}

function validateRestartPolicy({ template, podFailurePolicy }: JobSpec, field: string): FieldError[] {
  const { restartPolicy = '' } = template.spec;
  if (restartPolicy === 'Always' || restartPolicy === '') {
    return [required(field, 'valid values: "OnFailure", "Never"')];
  }
  if (!RESTART_POLICIES.includes(restartPolicy)) return [notSupported(field, restartPolicy, RESTART_POLICIES)];
  if (podFailurePolicy === undefined || restartPolicy === 'Never') return [];
  return [invalid(field, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified')];
}

/** An indexed job may grow and shrink, its parallelism with it. */
function validateCompletionsChange(next: JobSpec, previous: JobSpec): FieldError[] {
  if (next.completionMode !== 'Indexed') return kept(next, previous, 'completions');
  const { completions, parallelism } = next;
  if (completions === undefined || completions === previous.completions || completions === parallelism) return [];
  return [invalid(`${SPEC}.completions`, completions, `can only be modified in tandem with ${SPEC}.parallelism`)];
}

/** Where pods may run can be changed until the first of them could. */
function validateTemplateChange(next: Job, previous: Job): FieldError[] {
  const { template } = next.spec;
  const isMutable = previous.spec.suspend === true && previous.status.startTime === undefined;
  const before = isMutable ? withSchedulingOf(previous.spec.template, template) : previous.spec.template;
  return isSameJson(template, before)
    ? []
    : [invalid(`${SPEC}.template`, templateAsGo(template), 'field is immutable')];
}

function withSchedulingOf(template: PodTemplateSpec, next: PodTemplateSpec): PodTemplateSpec {
  const { labels: _labels, annotations: _annotations, ...metadata } = template.metadata ?? {};
  const {
    nodeSelector: _selector,
    tolerations: _tolerations,
    schedulingGates: _gates,
    affinity,
    ...spec
  } = template.spec;
  const { labels, annotations } = next.metadata ?? {};
  const { nodeSelector, tolerations, schedulingGates } = next.spec;
  const { nodeAffinity: _nodeAffinity, ...otherAffinity } = affinity ?? {};
  const nodeAffinity = next.spec.affinity?.nodeAffinity;
  const nextAffinity = nodeAffinity === undefined ? otherAffinity : { ...otherAffinity, nodeAffinity };
  const hasAffinity = next.spec.affinity !== undefined || Object.keys(otherAffinity).length > 0;
  return {
    ...template,
    metadata: {
      ...metadata,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {
      ...spec,
      ...(hasAffinity ? { affinity: nextAffinity } : {}),
      ...(nodeSelector === undefined ? {} : { nodeSelector }),
      ...(tolerations === undefined ? {} : { tolerations }),
      ...(schedulingGates === undefined ? {} : { schedulingGates }),
    },
  };
}

const STRUCTURES: { readonly [K in keyof JobSpec]?: string } = {
  selector: '*LabelSelector',
  podFailurePolicy: '*PodFailurePolicy',
  successPolicy: '*SuccessPolicy',
};

function kept(next: JobSpec, previous: JobSpec, field: keyof JobSpec): FieldError[] {
  if (isSameJson(next[field], previous[field])) return [];
  const type = STRUCTURES[field];
  return [
    invalid(`${SPEC}.${field}`, type === undefined ? next[field] : asGo(type, next[field]), 'field is immutable'),
  ];
}

/** Inside of the server, what a pod shares with its host is a part of its security context. */
function templateAsGo({ metadata, spec }: PodTemplateSpec): GoValue {
  const { securityContext, hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } = spec;
  const shared = { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers };
  return asGo('PodTemplateSpec', { metadata, spec: { ...spec, securityContext: { ...securityContext, ...shared } } });
}
