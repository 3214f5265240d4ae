/** The phase of a pod out of its containers' statuses. Mirrors getPhase (pkg/kubelet/kubelet_pods.go, v1.34). */
import type { ContainerStatus, PodPhase, PodSpec } from '../../api/objects/objects.js';
import { initRole } from '../containers/restart-policy.js';

/** What the statuses alone do not tell. */
export interface PhaseFacts {
  /** The pod is being torn down: its containers will not run again. */
  readonly isEnding: boolean;
  /** An app container was created in the present sandbox. */
  readonly hasAppInstance: boolean;
}

/** Terminal phases are never left again. */
export function isTerminalPhase(phase: string | undefined): phase is 'Succeeded' | 'Failed' {
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Computes the phase; statuses are looked up by container name. */
export function podPhase(
  spec: Pick<PodSpec, 'containers' | 'initContainers' | 'restartPolicy'>,
  initStatuses: readonly ContainerStatus[],
  statuses: readonly ContainerStatus[],
  { isEnding, hasAppInstance }: PhaseFacts,
): PodPhase {
  const init = countInit(spec, initStatuses);
  const app = countApp(spec, statuses);
  const waiting = init.waiting + app.waiting;
  const running = init.running + app.running;
  const unknown = init.unknown + app.unknown;
  if (init.failed > 0 && spec.restartPolicy === 'Never') return 'Failed';
  if (init.pending > 0) return 'Pending';
  if (init.pendingSidecars > 0 && !hasAppInstance) return 'Pending';
  if (waiting > 0) return 'Pending';
  if (running > 0 && unknown === 0) return 'Running';
  if (running > 0 || app.stopped === 0 || unknown > 0) return 'Pending';
  const hasSucceeded = app.stopped === app.succeeded;
  if (isEnding) return hasSucceeded ? 'Succeeded' : 'Failed';
  if (spec.restartPolicy !== 'OnFailure' && spec.restartPolicy !== 'Never') return 'Running';
  if (hasSucceeded) return 'Succeeded';
  return spec.restartPolicy === 'Never' ? 'Failed' : 'Running';
}

function countInit({ initContainers }: Pick<PodSpec, 'initContainers'>, statuses: readonly ContainerStatus[]) {
  const count = { pending: 0, failed: 0, pendingSidecars: 0, waiting: 0, running: 0, unknown: 0 };
  for (const container of initContainers ?? []) {
    const status = statuses.find(({ name }) => name === container.name);
    if (initRole(container) === 'sidecar') countSidecar(count, status);
    else countRegularInit(count, status);
  }
  return count;
}

function countRegularInit(count: { pending: number; failed: number }, status: ContainerStatus | undefined): void {
  const terminated = status?.state?.terminated ?? waitedAfter(status);
  if (terminated === undefined) count.pending += 1;
  else if (terminated.exitCode !== 0) count.failed += 1;
}

function countSidecar(
  count: { pendingSidecars: number; waiting: number; running: number; unknown: number },
  status: ContainerStatus | undefined,
): void {
  if (status === undefined) count.unknown += 1;
  else if (status.state?.running !== undefined) {
    count.running += 1;
    if (status.started !== true) count.pendingSidecars += 1;
  } else if (status.state?.terminated === undefined && waitedAfter(status) === undefined) {
    count.pendingSidecars += 1;
    count.waiting += 1;
  }
}

function countApp({ containers }: Pick<PodSpec, 'containers'>, statuses: readonly ContainerStatus[]) {
  const count = { waiting: 0, running: 0, stopped: 0, succeeded: 0, unknown: 0 };
  for (const { name } of containers) {
    const status = statuses.find((each) => each.name === name);
    if (status === undefined) count.unknown += 1;
    else if (status.state?.running !== undefined) count.running += 1;
    else if (status.state?.terminated !== undefined) {
      count.stopped += 1;
      if (status.state.terminated.exitCode === 0) count.succeeded += 1;
    } else if (waitedAfter(status) === undefined) count.waiting += 1;
    else count.stopped += 1;
  }
  return count;
}

/** How the last instance of a container that waits ended; `undefined` when there was none. */
function waitedAfter(status: ContainerStatus | undefined) {
  return status?.state?.waiting === undefined ? undefined : status.lastState?.terminated;
}
