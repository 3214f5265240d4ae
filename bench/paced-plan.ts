import type { PerfOperation } from '../src/workload/scheduler-perf/operations.js';

/**
 * Simulated time of one attempt where steps go by the clock, milliseconds: about what an attempt takes
 * upstream at 5,000 nodes, so that as many pods come between two objects of a churn as there.
 */
export const ATTEMPT_MS = 1;

/** Whether anything happens by the clock while pods are scheduled. */
export function isPaced(operations: readonly PerfOperation[]): boolean {
  return operations.some(
    (operation) =>
      operation.opcode === 'churn' ||
      (operation.opcode === 'deletePods' && operation.deletePodsPerSecond > 0) ||
      (operation.opcode === 'updateAny' && operation.updatePerSecond > 0),
  );
}
