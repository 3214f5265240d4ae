/**
 * The five conditions that a kubelet writes on its pods, pure. Mirrors pkg/kubelet/status/generate.go
 * (v1.34); which conditions stay, and since when they hold, is decided where they are merged into the
 * stored ones (condition-merge.ts).
 */
import type { ContainerStatus, Pod, PodCondition, PodPhase, PodSpec } from '../../api/objects/objects.js';
import { initRole } from '../containers/restart-policy.js';

/** A condition before it is known since when it holds. */
export interface WantedCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
  /** Of the spec that it tells of, where that is not the one that was looked at. */
  readonly generation?: number | undefined;
}

/** What conditions are computed from. */
export interface ConditionFacts {
  readonly spec: Pick<PodSpec, 'containers' | 'initContainers' | 'readinessGates'>;
  readonly phase: PodPhase;
  readonly initStatuses: readonly ContainerStatus[];
  readonly statuses: readonly ContainerStatus[];
  /** A sandbox with its network is there. */
  readonly hasSandbox: boolean;
  /** Conditions of the pod in the API, for readiness gates. */
  readonly present: readonly PodCondition[];
}

const CONTAINERS_READY = 'ContainersReady';
const POD_SCHEDULED: WantedCondition = { type: 'PodScheduled', status: 'True' };
const HAS_SANDBOX: WantedCondition = { type: 'PodReadyToStartContainers', status: 'True' };
const NO_SANDBOX: WantedCondition = { type: 'PodReadyToStartContainers', status: 'False' };
const INITIALIZED: WantedCondition = { type: 'Initialized', status: 'True' };
const COMPLETED: WantedCondition = { type: 'Initialized', status: 'True', reason: 'PodCompleted' };
const ALL_READY: WantedCondition = { type: CONTAINERS_READY, status: 'True' };
const READY: WantedCondition = { type: 'Ready', status: 'True' };

/** Whether conditions of that type are the kubelet's to write. */
export function isKubeletCondition(type: string): boolean {
  return (
    type === 'Ready' ||
    type === 'PodScheduled' ||
    type === 'Initialized' ||
    type === CONTAINERS_READY ||
    type === 'PodReadyToStartContainers' ||
    type === 'PodResizePending' ||
    type === 'PodResizeInProgress'
  );
}

/** The conditions in the order in which the kubelet writes them. */
export function podConditions(facts: ConditionFacts): readonly WantedCondition[] {
  const containersReady = containersReadyCondition(facts);
  return [
    facts.hasSandbox ? HAS_SANDBOX : NO_SANDBOX,
    initializedCondition(facts),
    readyCondition(facts, containersReady),
    containersReady,
    POD_SCHEDULED,
  ];
}

function initializedCondition({ spec, phase, initStatuses, statuses }: ConditionFacts): WantedCondition {
  const { initContainers = [] } = spec;
  const type = 'Initialized';
  if (initContainers.length > 0 && statuses.length === 0) {
    return { type, status: 'False', reason: 'UnknownContainerStatuses' };
  }
  const unknown: string[] = [];
  const incomplete: string[] = [];
  for (const container of initContainers) {
    const status = initStatuses.find(({ name }) => name === container.name);
    if (status === undefined) unknown.push(container.name);
    else if (initRole(container) === 'sidecar' ? status.started !== true : !status.ready) {
      incomplete.push(container.name);
    }
  }
  if (phase === 'Succeeded' && unknown.length === 0) return COMPLETED;
  if (statuses.some(hasEverRun)) return INITIALIZED;
  const message = listed(unknown, 'unknown', incomplete, 'incomplete');
  return message === '' ? INITIALIZED : { type, status: 'False', reason: 'ContainersNotInitialized', message };
}

function containersReadyCondition({ spec, phase, initStatuses, statuses }: ConditionFacts): WantedCondition {
  const type = CONTAINERS_READY;
  if (statuses.length === 0) return { type, status: 'False', reason: 'UnknownContainerStatuses' };
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  if (!isOver && spec.initContainers === undefined && areReady(spec.containers, statuses)) return ALL_READY;
  const unknown: string[] = [];
  const unready: string[] = [];
  const check = (name: string, all: readonly ContainerStatus[]): void => {
    const status = all.find((each) => each.name === name);
    if (status === undefined) unknown.push(name);
    else if (!status.ready) unready.push(name);
  };
  for (const container of spec.initContainers ?? []) {
    if (initRole(container) === 'sidecar') check(container.name, initStatuses);
  }
  for (const { name } of spec.containers) check(name, statuses);
  if (phase === 'Succeeded' && unknown.length === 0) return { type, status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed' && unknown.length === 0) return { type, status: 'False', reason: 'PodFailed' };
  const message = listed(unknown, 'unknown', unready, 'unready');
  return message === '' ? ALL_READY : { type, status: 'False', reason: 'ContainersNotReady', message };
}

function areReady(containers: ConditionFacts['spec']['containers'], statuses: readonly ContainerStatus[]): boolean {
  for (const { name } of containers) {
    if (statuses.find((each) => each.name === name)?.ready !== true) return false;
  }
  return true;
}

function readyCondition(
  { spec, present }: Pick<ConditionFacts, 'spec' | 'present'>,
  containersReady: WantedCondition,
): WantedCondition {
  if (containersReady.status !== 'True') return { ...containersReady, type: 'Ready' };
  if (spec.readinessGates === undefined || spec.readinessGates.length === 0) return READY;
  const unready: string[] = [];
  for (const { conditionType } of spec.readinessGates) {
    const gate = present.find(({ type }) => type === conditionType);
    const name = JSON.stringify(conditionType);
    if (gate === undefined) unready.push(`corresponding condition of pod readiness gate ${name} does not exist.`);
    else if (gate.status !== 'True') {
      unready.push(`the status of pod readiness gate ${name} is not "True", but ${gate.status}`);
    }
  }
  if (unready.length === 0) return READY;
  return { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message: unready.join(', ') };
}

function hasEverRun({ state, lastState }: ContainerStatus): boolean {
  return state?.running !== undefined || state?.terminated !== undefined || lastState?.terminated !== undefined;
}

/** Whether conditions have changed on which the pod's readiness gates may depend. */
export function hasOtherGates(previous: Pod, pod: Pod): boolean {
  return (pod.spec.readinessGates?.length ?? 0) > 0 && previous.status.conditions !== pod.status.conditions;
}

/** Upstream's text: unknown ones first, names as Go prints a list. */
function listed(unknown: readonly string[], unknownWord: string, others: readonly string[], word: string): string {
  const parts: string[] = [];
  if (unknown.length > 0) parts.push(`containers with ${unknownWord} status: [${unknown.join(' ')}]`);
  if (others.length > 0) parts.push(`containers with ${word} status: [${others.join(' ')}]`);
  return parts.join(', ');
}
