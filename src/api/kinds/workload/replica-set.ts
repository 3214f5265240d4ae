/** Replica sets (pkg/registry/apps/replicaset and pkg/apis/apps/validation, v1.34). */
import type { Draft, ReplicaSet } from '../../objects/objects.js';
import { describeKind } from '../rules/describe-kind.js';
import { changedField, filled } from '../rules/filling.js';
import { nonNegative } from '../rules/number-validation.js';
import { SET_COUNTS, validateCounts } from './replica-counts.js';
import { defaultedTemplate } from '../pod/pod-spec-defaults.js';
import { validateSelectorKept, validateWorkloadSelector, validateWorkloadTemplate } from './workload-validation.js';

const NO_TEMPLATE: ReplicaSet['spec']['template'] = { spec: { containers: [] } };

/** The description of replica sets. */
export const replicaSetKind = describeKind({
  kind: 'ReplicaSet',
  group: 'apps',
  plural: 'replicasets',
  shortNames: ['rs'],
  hasStatus: true,
  generation: 'spec',
  applyDefaults(draft: Draft): Draft {
    const before = (draft['spec'] ?? {}) as ReplicaSet['spec'];
    const spec = changedField(filled(before, { replicas: 1, template: NO_TEMPLATE }), 'template', defaultedTemplate);
    return spec === draft['spec'] ? draft : { ...draft, spec };
  },
  // DeploymentReplicaSetTerminatingReplicas
  droppedFields: ['status.terminatingReplicas'],
  prepareForCreate: (replicaSet) => ({ ...replicaSet, status: { replicas: 0 } }),
  validate: ({ spec }) => [
    ...nonNegative(spec.replicas, 'spec.replicas'),
    ...nonNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...validateWorkloadSelector(spec),
    ...validateWorkloadTemplate(spec),
  ],
  validateChange: (next, previous) => validateSelectorKept(next.spec, previous.spec),
  validateStatusChange: ({ status }) => validateCounts(status, SET_COUNTS),
});
