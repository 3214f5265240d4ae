/** What the workloads with a selector, a template and a number of replicas have in common (pkg/apis/apps/validation, v1.34). */
import { isSameJson } from '../../values/canonical-json.js';
import { forbidden, invalid, notSupported, required } from '../../errors/field-errors.js';
import { asGo } from '../../go/go-json.js';
import { compileLabelSelector } from '../../selectors/labels.js';
import type { LabelSelector, PodTemplateSpec } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { validateLabelSelector } from '../rules/label-selector-validation.js';
import { validateAnnotations, validateLabels, validatePodAnnotations } from '../rules/object-meta.js';
import { validateSeccompAnnotations } from '../pod/annotated-profiles.js';
import { validatePodSpec } from '../pod/pod-spec-validation.js';

/** The parts of a workload's spec that this file checks. */
export interface WorkloadSpec {
  readonly selector?: LabelSelector;
  readonly template: PodTemplateSpec;
}

const TEMPLATE = 'spec.template';

/** The selector by itself. */
export function validateWorkloadSelector({ selector }: WorkloadSpec): FieldError[] {
  if (selector === undefined) return [required('spec.selector')];
  const errors = [...validateLabelSelector(selector, 'spec.selector')];
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) {
    errors.push(invalid('spec.selector', asGo('*LabelSelector', selector), 'empty selector is invalid for deployment'));
  }
  return errors;
}

/**
 * The template of pods that run for ever: matched by the selector, and valid.
 *
 * @param owner - the kind that the texts name
 */
export function validateWorkloadTemplate(spec: WorkloadSpec, owner = 'ReplicaSet'): FieldError[] {
  const { selector } = spec;
  if (owner === 'ReplicaSet' && !isSelector(selector)) {
    return [invalid('spec.selector', asGo('*LabelSelector', selector), 'invalid label selector')];
  }
  return [
    ...validateTemplateMetadata(spec),
    ...validatePodSpec(spec.template.spec, `${TEMPLATE}.spec`, 'template'),
    ...validateSeccompAnnotations(spec.template, `${TEMPLATE}.spec`),
    ...validateEndlessness(spec, owner),
  ];
}

/** Whether a selector can be compiled at all (LabelSelectorAsSelector). */
export function isSelector(selector: LabelSelector | undefined): boolean {
  return validateLabelSelector(selector, '').length === 0;
}

/** Labels that the selector finds, and annotations that pods may have. */
export function validateTemplateMetadata({ selector, template }: WorkloadSpec): FieldError[] {
  const errors: FieldError[] = [];
  const compiled = compileLabelSelector(selector);
  const { labels, annotations = {} } = template.metadata ?? {};
  if (isSelector(selector) && !compiled.isEmpty && !compiled.matches(labels)) {
    errors.push(invalid(`${TEMPLATE}.metadata.labels`, labels, '`selector` does not match template `labels`'));
  }
  errors.push(...validateLabels(labels ?? {}, `${TEMPLATE}.labels`));
  errors.push(...validateAnnotations(annotations, `${TEMPLATE}.annotations`));
  errors.push(...validatePodAnnotations(annotations, `${TEMPLATE}.annotations`));
  return errors;
}

/** Pods of such a workload never end by themselves. */
export function validateEndlessness({ template }: WorkloadSpec, owner: string): FieldError[] {
  const errors: FieldError[] = [];
  const { restartPolicy, activeDeadlineSeconds } = template.spec;
  if (restartPolicy !== 'Always') {
    errors.push(notSupported(`${TEMPLATE}.spec.restartPolicy`, restartPolicy, ['Always']));
  }
  if (activeDeadlineSeconds !== undefined) {
    const text = `activeDeadlineSeconds in ${owner} is not Supported`;
    errors.push(forbidden(`${TEMPLATE}.spec.activeDeadlineSeconds`, text));
  }
  return errors;
}

/** The selector of a workload never changes. */
export function validateSelectorKept(next: WorkloadSpec, previous: WorkloadSpec): FieldError[] {
  if (isSameJson(next.selector, previous.selector)) return [];
  return [invalid('spec.selector', asGo('*LabelSelector', next.selector), 'field is immutable')];
}
