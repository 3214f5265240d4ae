/** What a write changed of a pod, in a few words each. Pure. */
import { isSameJson } from '../api/values/canonical-json.js';
import type { ContainerStatus, Pod, PodCondition } from '../api/objects/objects.js';

/** Every difference that a user would look for, in the order of the object's parts. */
export function podChanges(previous: Pod | undefined, pod: Pod): string[] {
  if (previous === undefined) return [`created, phase ${pod.status.phase}`, ...specChanges(undefined, pod)];
  return [
    ...metadataChanges(previous, pod),
    ...specChanges(previous, pod),
    ...phaseChanges(previous, pod),
    ...conditionChanges(previous, pod),
    ...containerChanges(previous, pod),
    ...addressChanges(previous, pod),
  ];
}

function metadataChanges({ metadata: before }: Pod, { metadata: after }: Pod): string[] {
  const changes: string[] = [];
  const { deletionTimestamp, deletionGracePeriodSeconds: graceSeconds } = after;
  if (before.deletionTimestamp === undefined && deletionTimestamp !== undefined) {
    changes.push(`deletion requested, grace ${graceSeconds ?? 0} s until ${deletionTimestamp}`);
  } else if (before.deletionGracePeriodSeconds !== graceSeconds) changes.push(`grace shortened to ${graceSeconds} s`);
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const) {
    if (!isSameJson(before[field], after[field])) changes.push(`${field} changed`);
  }
  return changes;
}

function specChanges(previous: Pod | undefined, { spec }: Pod): string[] {
  const before = previous?.spec;
  const changes: string[] = [];
  if (spec.nodeName !== undefined && before?.nodeName !== spec.nodeName) changes.push(`bound to ${spec.nodeName}`);
  const gates = (spec.schedulingGates ?? []).map(({ name }) => name);
  if (before !== undefined && (before.schedulingGates ?? []).length !== gates.length) {
    changes.push(gates.length === 0 ? 'no scheduling gate left' : `scheduling gates left: ${gates.join(', ')}`);
  }
  for (const { name, image } of spec.containers) {
    const former = before?.containers.find((container) => container.name === name)?.image;
    if (former !== undefined && former !== image) changes.push(`container ${name}: image ${former} → ${image}`);
  }
  return changes;
}

function phaseChanges({ status: before }: Pod, { status: after }: Pod): string[] {
  const changes: string[] = [];
  if (before.phase !== after.phase) changes.push(`phase ${before.phase} → ${after.phase}${reasonText(after)}`);
  else if (before.reason !== after.reason) changes.push(`reason ${after.reason ?? 'removed'}`);
  if (before.nominatedNodeName !== after.nominatedNodeName) {
    changes.push(
      after.nominatedNodeName === undefined ? 'nomination removed' : `nominated to ${after.nominatedNodeName}`,
    );
  }
  return changes;
}

function conditionChanges({ status: before }: Pod, { status: after }: Pod): string[] {
  if (before.conditions === after.conditions) return [];
  const former = new Map((before.conditions ?? []).map((condition) => [condition.type, condition]));
  const changes: string[] = [];
  for (const condition of after.conditions ?? []) {
    const text = conditionChange(former.get(condition.type), condition);
    if (text !== undefined) changes.push(text);
    former.delete(condition.type);
  }
  for (const type of former.keys()) changes.push(`${type} removed`);
  return changes;
}

function conditionChange(before: PodCondition | undefined, after: PodCondition): string | undefined {
  if (before?.status === after.status && before.reason === after.reason) return undefined;
  const change =
    before === undefined || before.status === after.status ? after.status : `${before.status} → ${after.status}`;
  return `${after.type} ${change}${reasonText(after)}`;
}

function containerChanges({ status: before }: Pod, { status: after }: Pod): string[] {
  return (['initContainerStatuses', 'containerStatuses'] as const).flatMap((list) => {
    if (before[list] === after[list]) return [];
    const former = new Map((before[list] ?? []).map((status) => [status.name, status]));
    return (after[list] ?? []).flatMap((status) => containerChange(former.get(status.name), status));
  });
}

function containerChange(before: ContainerStatus | undefined, after: ContainerStatus): string[] {
  const parts: string[] = [];
  const state = stateText(after);
  if (before === undefined || stateText(before) !== state) parts.push(state);
  if (before !== undefined && before.restartCount !== after.restartCount) parts.push(`restarts ${after.restartCount}`);
  if ((before?.started ?? false) !== (after.started ?? false))
    parts.push(after.started === true ? 'started' : 'not started');
  if ((before?.ready ?? false) !== after.ready) parts.push(after.ready ? 'ready' : 'not ready');
  return parts.length === 0 ? [] : [`container ${after.name}: ${parts.join(', ')}`];
}

function stateText({ state }: ContainerStatus): string {
  if (state?.running !== undefined) return 'running';
  const { terminated, waiting } = state ?? {};
  if (terminated !== undefined) return `terminated ${terminated.reason ?? ''} (exit code ${terminated.exitCode})`;
  return `waiting ${waiting?.reason ?? ''}`;
}

function addressChanges({ status: before }: Pod, { status: after }: Pod): string[] {
  return before.podIP === after.podIP ? [] : [`address ${after.podIP ?? 'removed'}`];
}

function reasonText({ reason }: { readonly reason?: string | undefined }): string {
  return reason === undefined || reason === '' ? '' : ` (${reason})`;
}
