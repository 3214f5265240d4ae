/** Replication controllers (pkg/registry/core/replicationcontroller, pkg/apis/core/validation, v1.34). */
import { forbidden, invalid, notSupported, required } from '../../errors/field-errors.js';
import { matchesLabels } from '../../selectors/labels.js';
import type { Draft, StringMap } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import type { ReplicationController } from '../../objects/workload-objects.js';
import { describeKind } from '../rules/describe-kind.js';
import { changedField, filled } from '../rules/filling.js';
import { nonNegative } from '../rules/number-validation.js';
import { SET_COUNTS, validateCounts } from './replica-counts.js';
import { defaultedTemplate } from '../pod/pod-spec-defaults.js';
import { validatePodAnnotations } from '../rules/object-meta.js';
import { validateSeccompAnnotations } from '../pod/annotated-profiles.js';
import { validatePodSpec } from '../pod/pod-spec-validation.js';

type Spec = ReplicationController['spec'];

const TEMPLATE = 'spec.template';

/** The description of replication controllers. */
export const replicationControllerKind = describeKind<'ReplicationController'>({
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  shortNames: ['rc'],
  hasStatus: true,
  generation: 'spec',
  selectableFields: { 'status.replicas': ({ status }) => String(status.replicas) },
  applyDefaults(draft: Draft): Draft {
    const before = (draft['spec'] ?? {}) as Spec;
    const labels = before.template?.metadata?.labels;
    const spec = defaultedSpec(before, labels);
    const complete = spec === draft['spec'] ? draft : { ...draft, spec };
    const { metadata = {} } = complete;
    if (labels === undefined || isFilled(metadata.labels)) return complete;
    return { ...complete, metadata: { ...metadata, labels } };
  },
  prepareForCreate: (controller) => ({ ...controller, status: { replicas: 0 } }),
  validate: ({ spec }) => [
    ...nonNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...(isFilled(spec.selector) ? [] : [required('spec.selector')]),
    ...nonNegative(spec.replicas, 'spec.replicas'),
    ...validateTemplate(spec),
  ],
  validateStatusChange: ({ status }) => validateCounts(status, SET_COUNTS),
});

/** A controller without a selector, or without labels, takes those of its template. */
function defaultedSpec(spec: Spec, labels: Spec['selector']): Spec {
  const selecting = labels === undefined || isFilled(spec.selector) ? spec : { ...spec, selector: labels };
  return changedField(filled(selecting, { replicas: 1 }), 'template', defaultedTemplate);
}

function isFilled(map: StringMap | undefined): boolean {
  return map !== undefined && Object.keys(map).length > 0;
}

function validateTemplate({ selector = {}, template }: Spec): FieldError[] {
  if (template === undefined) return [required(TEMPLATE)];
  const errors: FieldError[] = [];
  const labels = template.metadata?.labels;
  if (!matchesLabels(selector, labels)) {
    errors.push(invalid(`${TEMPLATE}.metadata.labels`, labels, '`selector` does not match template `labels`'));
  }
  errors.push(...validatePodAnnotations(template.metadata?.annotations, `${TEMPLATE}.annotations`));
  errors.push(...validatePodSpec(template.spec, `${TEMPLATE}.spec`, 'template'));
  errors.push(...validateSeccompAnnotations(template, `${TEMPLATE}.spec`));
  const { restartPolicy, activeDeadlineSeconds } = template.spec;
  if (restartPolicy !== 'Always') {
    errors.push(notSupported(`${TEMPLATE}.spec.restartPolicy`, restartPolicy, ['Always']));
  }
  if (activeDeadlineSeconds !== undefined) {
    const text = 'activeDeadlineSeconds in ReplicationController is not Supported';
    errors.push(forbidden(`${TEMPLATE}.spec.activeDeadlineSeconds`, text));
  }
  return errors;
}
