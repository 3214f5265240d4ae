/**
 * The disruption controller: computes how many pods each PodDisruptionBudget lets go, and takes back
 * announced disruptions that did not happen. It never deletes a pod, and grants nothing: evictions and
 * preemption read what it writes. Mirrors kube-controller-manager v1.34 pkg/controller/disruption.
 *
 * One deliberate difference: syncs of a budget are spaced by the number of its pods, which stands for
 * the time that upstream's sync takes.
 */
import { ApiError, isApiError } from '../../api/errors/api-error.js';
import { keyOf, type Pod } from '../../api/objects/objects.js';
import type { PodDisruptionBudget } from '../../api/objects/workload-objects.js';
import { LinkDownError } from '../../bus/bus-types.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import { RetryError } from '../runtime/retry-error.js';
import { statusAfterFailure, statusAfterSync } from './budget-status.js';
import { countHealthy, pendingDisruptions } from './disrupted-pods.js';
import { DisruptionMemory, podKeyOf, podQueueKey } from './disruption-memory.js';
import { expectationOf, type Expectation } from './expected-pods.js';
import { writeBudgetStatus } from './budget-writes.js';
import { selectorText } from '../shared/selector-text.js';
import { resetStaleDisruption, staleDisruptionInMs } from './stale-disruption.js';

/** Milliseconds by which upstream's recheck comes after its time: the first delay of its rate limiter. */
const RECHECK_DELAY_MS = 5;

/** See the file header. */
export const disruptionController = defineController({
  name: 'disruption-controller',
  component: 'controllermanager',
  concurrentSyncs: 1,
  setup: (context) => new DisruptionMemory(context),
  reconcile(context, key, memory) {
    const podKey = podKeyOf(key);
    if (podKey !== undefined) return syncPod(context, memory.pods.getByKey(podKey));
    const budget = memory.budgets.getByKey(key);
    if (budget !== undefined) return syncBudget(context, memory, budget);
    memory.forget(key);
    return undefined;
  },
});

function syncPod(context: ControllerContext, pod: Pod | undefined): Promise<void> | void {
  if (pod === undefined) return undefined;
  const { kernel, queue } = context;
  const staleInMs = staleDisruptionInMs(pod, kernel.clock.now(), kernel.timestamps);
  if (staleInMs === undefined) return undefined;
  if (staleInMs === 0) return resetStaleDisruption(context, pod);
  queue.addAfter(podQueueKey(pod), staleInMs);
  return undefined;
}

/** Whatever goes wrong, the budget is to allow nothing in the end; only lost races are tried anew. */
async function syncBudget(
  context: ControllerContext,
  memory: DisruptionMemory,
  budget: PodDisruptionBudget,
): Promise<void> {
  try {
    await trySyncBudget(context, memory, budget);
  } catch (error) {
    if (isApiError(error, 'Conflict') || !isFailure(error)) throw error;
    await writeBudgetStatus(context, budget, statusAfterFailure(budget, error.message, context.timestamp()));
  }
}

async function trySyncBudget(
  context: ControllerContext,
  memory: DisruptionMemory,
  budget: PodDisruptionBudget,
): Promise<void> {
  const { kernel, queue, recorder } = context;
  const { timestamps } = kernel;
  const pods = memory.podsOf(budget);
  if (pods.length === 0) recorder.record(budget, 'Normal', 'NoPods', 'No matching pods found');
  const { expected, desiredHealthy, unmanaged } = expectation(context, memory, budget, pods);
  if (unmanaged.length > 0) recorder.record(budget, 'Warning', 'UnmanagedPods', unmanagedText(budget));
  const nowMs = kernel.clock.now();
  const { times, overdue, nextMs } = pendingDisruptions(pods, budget.status.disruptedPods, nowMs, timestamps);
  for (const pod of overdue) {
    // Upstream prints the namespace twice.
    const { namespace = '' } = budget.metadata;
    const text = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
    recorder.record(pod, 'Warning', 'NotDeleted', text);
  }
  const currentHealthy = countHealthy(pods, times, nowMs, timestamps);
  const counts = { expected, desiredHealthy, currentHealthy, disruptedPods: times };
  const status = statusAfterSync(budget, counts, context.timestamp());
  if (status !== undefined) await writeBudgetStatus(context, budget, status);
  if (nextMs !== undefined) queue.addAfter(keyOf(budget), nextMs - nowMs + RECHECK_DELAY_MS);
}

function expectation(
  { recorder }: ControllerContext,
  { workloads }: DisruptionMemory,
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
): Expectation {
  try {
    return expectationOf(budget, pods, workloads);
  } catch (error) {
    if (error instanceof RetryError) {
      const text = `Failed to calculate the number of expected pods: ${error.message}`;
      recorder.record(budget, 'Warning', 'CalculateExpectedPodCountFailed', text);
    }
    throw error;
  }
}

/** A refusal or a workload that is not known, and not a bug. */
function isFailure(error: unknown): error is Error {
  return error instanceof RetryError || error instanceof ApiError || error instanceof LinkDownError;
}

function unmanagedText({ spec }: PodDisruptionBudget): string {
  return (
    `Pods selected by this PodDisruptionBudget (selector: ${selectorText(spec.selector)}) were found to be unmanaged. ` +
    'As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. ' +
    'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  );
}
