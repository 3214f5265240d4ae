/** What a job's pod failure policy says of a pod that failed. Mirrors kube-controller-manager v1.34 pkg/controller/job/pod_failure_policy.go. */
import type { batch } from '../../api/objects/batch-objects.js';
import type { ContainerStatus, Pod } from '../../api/objects/objects.js';

/** The verdict over one failed pod. */
export interface FailureVerdict {
  /** Whether the failure counts against the job's limits. */
  readonly isCounted: boolean;
  /** Of the rule that matched; absent when none did. */
  readonly action?: string;
  /** Why the whole job fails, when it does. */
  readonly failJobMessage?: string;
}

const NO_MATCH: FailureVerdict = { isCounted: true };

/** The first rule that matches decides; a failure that none matches is counted. */
export function judgeFailure(policy: batch.PodFailurePolicy | undefined, pod: Pod): FailureVerdict {
  if (policy === undefined) return NO_MATCH;
  for (const [index, { action, onExitCodes, onPodConditions = [] }] of policy.rules.entries()) {
    const reason = onExitCodes === undefined ? matchConditions(pod, onPodConditions) : matchExitCodes(pod, onExitCodes);
    if (reason === undefined) continue;
    if (action !== 'FailJob') return { isCounted: action !== 'Ignore', action };
    return { isCounted: true, action, failJobMessage: `${reason} matching FailJob rule at index ${index}` };
  }
  return NO_MATCH;
}

/** App containers first, then init containers. */
function matchExitCodes(
  { metadata, status }: Pod,
  requirement: batch.PodFailurePolicyOnExitCodesRequirement,
): string | undefined {
  for (const statuses of [status.containerStatuses, status.initContainerStatuses]) {
    for (const container of statuses ?? []) {
      const exitCode = matchingExitCode(container, requirement);
      if (exitCode === undefined) continue;
      const { namespace, name } = metadata;
      return `Container ${container.name} for pod ${namespace}/${name} failed with exit code ${exitCode}`;
    }
  }
  return undefined;
}

function matchingExitCode(
  { name, state }: ContainerStatus,
  { containerName = name, operator, values }: batch.PodFailurePolicyOnExitCodesRequirement,
): number | undefined {
  const exitCode = state?.terminated?.exitCode ?? 0;
  if (exitCode === 0 || containerName !== name) return undefined;
  return values.includes(exitCode) === (operator === 'In') ? exitCode : undefined;
}

function matchConditions(
  { metadata, status }: Pod,
  patterns: readonly batch.PodFailurePolicyOnPodConditionsPattern[],
): string | undefined {
  const found = status.conditions?.find((condition) =>
    patterns.some(({ type, status: wanted }) => type === condition.type && wanted === condition.status),
  );
  return found && `Pod ${metadata.namespace}/${metadata.name} has condition ${found.type}`;
}
