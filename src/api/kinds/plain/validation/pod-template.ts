/** Validation of templates of pods that stand by themselves (ValidatePodTemplate, pkg/apis/core/validation, v1.34). */
import type { PodTemplateSpec } from '../../../objects/objects.js';
import { validateAnnotations, validateLabels, validatePodAnnotations } from '../../rules/object-meta.js';
import { validateSeccompAnnotations } from '../../pod/annotated-profiles.js';
import { validatePodSpec } from '../../pod/pod-spec-validation.js';
import { fieldsOf, type PlainRules } from './plain-rules.js';

const NO_SPEC: PodTemplateSpec['spec'] = { containers: [] };

/** Of PodTemplates. */
export const podTemplateRules: PlainRules = {
  validate: (object) => {
    const { template } = fieldsOf<{ readonly template: PodTemplateSpec }>(object);
    const { metadata = {}, spec = NO_SPEC } = template ?? {};
    const { labels = {}, annotations = {} } = metadata;
    return [
      ...validateLabels(labels, 'template.labels'),
      ...validateAnnotations(annotations, 'template.annotations'),
      ...validatePodAnnotations(annotations, 'template.annotations'),
      ...validatePodSpec(spec, 'template.spec', 'template'),
      ...validateSeccompAnnotations({ metadata, spec }, 'template.spec'),
    ];
  },
};
