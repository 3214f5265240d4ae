import type { Cluster } from '../cluster/cluster.js';
import type { ControllerDefinition } from '../controllers/controller-manager.js';
import type { FaultHandle } from '../faults/fault-injector.js';
import type { CarriedWrite } from '../server/listen.js';
import { isController, type OperatorSubject } from './operator-subject.js';
import { startOperator, type OperatorPace, type OperatorRunOptions, type RunningOperator } from './running-operator.js';

/** An operator of either sort, as a search plays it. */
export interface PlayedSubject {
  /** Simulated time at which it was there, ms. */
  readonly startedMs: number;
  readonly writes: readonly CarriedWrite[];
  readonly restarts: number;
  readonly failures: readonly string[];
  /** Real time since a request of it, or a change that reached it, ms. */
  readonly idleForMs: number;
  run(options: OperatorRunOptions): Promise<unknown>;
  /** Ends its process, at once or after so many more writes; it is back after `forMs`. */
  crash(forMs: number, afterWrites?: number): void;
  /** No crash is to come any more, and what has ended is back. */
  healCrashes(): void;
  stop(): Promise<void>;
}

/** Starts it. */
export async function subjectOf(
  cluster: Cluster,
  operator: OperatorSubject,
  pace: OperatorPace,
): Promise<PlayedSubject> {
  if (isController(operator)) return controllerSubject(cluster, operator);
  return remoteSubject(cluster, await startOperator(cluster, operator, pace));
}

function controllerSubject(cluster: Cluster, definition: ControllerDefinition): PlayedSubject {
  const added = cluster.addController(definition);
  const { name: controller } = definition;
  let restarts = 0;
  const crashes: FaultHandle[] = [];
  return {
    startedMs: cluster.nowMs,
    writes: [],
    get restarts() {
      return restarts;
    },
    failures: [],
    idleForMs: Infinity,
    run: (options) => cluster.run(options),
    crash(forMs, writes) {
      restarts += 1;
      crashes.push(
        cluster.faults.inject(
          writes === undefined
            ? { stopController: { controller }, for: forMs }
            : { crashAfterWrites: { controller, writes }, for: forMs },
        ),
      );
    },
    healCrashes: () => crashes.forEach((each) => each.heal()),
    stop: () => {
      added.remove();
      return Promise.resolve();
    },
  };
}

function remoteSubject(cluster: Cluster, running: RunningOperator): PlayedSubject {
  return {
    startedMs: cluster.nowMs,
    get writes() {
      return [...running.writes];
    },
    get restarts() {
      return running.restarts;
    },
    failures: running.failures,
    get idleForMs() {
      return running.idleForMs;
    },
    run: (options) => running.run(options),
    crash(forMs, afterWrites) {
      if (afterWrites === undefined) void running.crash(forMs);
      else running.crashAfterWrites(afterWrites, forMs);
    },
    healCrashes: () => running.spare(),
    stop: () => running.stop(),
  };
}
