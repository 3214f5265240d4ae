/** Pods (pkg/registry/core/pod/strategy.go and pkg/apis/core/validation, v1.34). */
import { forbidden, joinedErrors } from '../../errors/field-errors.js';
import type { Draft, Pod, PodCondition, PodSpec, PodStatus } from '../../objects/objects.js';
import { podQosClass } from '../../pods/qos-class.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { describeKind } from '../rules/describe-kind.js';
import { mapShared } from '../rules/filling.js';
import { withMatchLabelKeys } from '../rules/match-label-keys.js';
import { validatePodAnnotations } from '../rules/object-meta.js';
import { validateAppArmorAnnotations, validateSeccompAnnotations, withAppArmorProfiles } from './annotated-profiles.js';
import { defaultedPodSpec } from './pod-spec-defaults.js';
import { validatePodSpec } from './pod-spec-validation.js';
import { validatePodStatusChange } from './pod-status-validation.js';
import { validatePodSpecUpdate } from './pod-update-validation.js';

const NO_SPEC: PodSpec = { containers: [] };

/** New pods of one QoS class share their status. */
const NEW_STATUSES = {
  Guaranteed: newStatus('Guaranteed'),
  Burstable: newStatus('Burstable'),
  BestEffort: newStatus('BestEffort'),
};

/** The description of pods. */
export const podKind = describeKind({
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  hasStatus: true,
  generation: 'spec',
  deleteReturnsObject: true,
  selectableFields: {
    'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
    'spec.host': ({ spec }) => spec.nodeName ?? '',
    'spec.restartPolicy': ({ spec }) => spec.restartPolicy ?? '',
    'spec.schedulerName': ({ spec }) => spec.schedulerName ?? '',
    'spec.serviceAccountName': ({ spec }) => spec.serviceAccountName ?? '',
    'spec.hostNetwork': ({ spec }) => String(spec.hostNetwork ?? false),
    'status.phase': ({ status }) => status.phase,
    'status.podIP': ({ status }) => status.podIP ?? '',
    'status.podIPs': ({ status }) => status.podIP ?? '',
    'status.nominatedNodeName': ({ status }) => status.nominatedNodeName ?? '',
  },
  applyDefaults(draft: Draft): Draft {
    const before = (draft['spec'] as PodSpec | undefined) ?? NO_SPEC;
    const spec = defaultedPodSpec(before);
    return spec === draft['spec'] ? draft : { ...draft, spec };
  },
  // DRAExtendedResource, ResourceHealthStatus
  droppedFields: [
    'status.extendedResourceClaimStatus',
    'status.containerStatuses[].allocatedResourcesStatus',
    'status.initContainerStatuses[].allocatedResourcesStatus',
    'status.ephemeralContainerStatuses[].allocatedResourcesStatus',
  ],
  prepareForCreate(pod, warn = () => {}) {
    const { apiVersion, kind, metadata } = pod;
    const { annotations = {} } = metadata;
    const spec = withAppArmorProfiles(withMatchLabelKeys(pod.spec, metadata.labels), annotations, warn);
    const status = statusOfNew(spec, metadata.creationTimestamp);
    // All that a pod has: what is added to a literal lies in a second part, and so it would in each later version.
    return { apiVersion, kind, metadata, spec, status };
  },
  prepareForStatusUpdate(next, previous) {
    const status = keptStatus(next.status, previous.status);
    const withStatus = status === next.status ? next : { ...next, status };
    const { ownerReferences } = previous.metadata;
    if (ownerReferences === next.metadata.ownerReferences) return withStatus;
    const { ownerReferences: _sent, ...metadata } = next.metadata;
    return { ...withStatus, metadata: ownerReferences === undefined ? metadata : { ...metadata, ownerReferences } };
  },
  validate: ({ metadata: { name, annotations }, spec }) =>
    joinedErrors(
      validatePodAnnotations(annotations, 'metadata.annotations'),
      validatePodSpec(spec, 'spec', 'pod', name),
    ),
  refusedAsNew({ spec: { ephemeralContainers = [] } }) {
    return ephemeralContainers.length === 0 ? [] : [forbidden('spec.ephemeralContainers', 'cannot be set on create')];
  },
  validateNew: validateNewPod,
  validateChange: (next, previous) => validatePodSpecUpdate(next.spec, previous.spec),
  validateStatusChange: validatePodStatusChange,
});

function newStatus(qosClass: string): PodStatus {
  return Object.freeze({ phase: 'Pending' as const, qosClass });
}

function statusOfNew(spec: PodSpec, creationTimestamp: string): PodStatus {
  const status = NEW_STATUSES[podQosClass(spec)];
  if (spec.schedulingGates === undefined || spec.schedulingGates.length === 0) return status;
  const gated: PodCondition = {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: creationTimestamp,
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
  return { ...status, conditions: [gated] };
}

/** The class stays when it is not sent, and so does the generation that a condition was observed at. */
function keptStatus(next: PodStatus, previous: PodStatus): PodStatus {
  let status = next;
  if ((next.qosClass ?? '') === '' && previous.qosClass !== undefined) {
    status = { ...status, qosClass: previous.qosClass };
  }
  const { conditions } = status;
  if (conditions === undefined || conditions === previous.conditions) return status;
  const kept = mapShared(conditions, (condition) => {
    if (condition.observedGeneration !== undefined) return condition;
    const before = previous.conditions?.find(({ type }) => type === condition.type);
    if (before?.observedGeneration === undefined) return condition;
    return { ...condition, observedGeneration: before.observedGeneration };
  });
  return kept === conditions ? status : { ...status, conditions: kept };
}

function validateNewPod(pod: Pod): readonly FieldError[] {
  const { nodeName = '', schedulingGates = [] } = pod.spec;
  const isGated = nodeName !== '' && schedulingGates.length > 0;
  return joinedErrors(
    validateSeccompAnnotations(pod, 'spec'),
    validateAppArmorAnnotations(pod, 'spec'),
    isGated ? [forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')] : [],
  );
}
