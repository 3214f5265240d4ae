/**
 * Ends the pods of a node that is going to be switched off, group by group, from the lowest priority to the
 * highest. Mirrors pkg/kubelet/nodeshutdown (v1.34). It does not switch anything off.
 */
import type { Timer } from '../../kernel/clock.js';
import type { ShutdownGrace } from '../kubelet-configuration.js';
import type { NodeContext } from '../node-context.js';
import type { ActivePod } from '../node-situation.js';

const MESSAGE = 'Pod was terminated in response to imminent node shutdown.';
const VERDICT = {
  phase: 'Failed',
  reason: 'Terminated',
  message: MESSAGE,
  condition: { reason: 'TerminationByKubelet', message: MESSAGE },
} as const;
const SECOND_MS = 1000;

/** Pods that end together, and how long they have. */
interface ShutdownGroup {
  readonly graceSeconds: number;
  readonly workers: readonly ActivePod[];
}

/** See the file header. */
export class ShutdownManager {
  readonly #context: NodeContext;
  readonly #onDone: () => void;
  readonly #groups: ShutdownGroup[];
  #present: ShutdownGroup | undefined;
  #timer: Timer | undefined;

  /** @param onDone - told when the last group has ended, or its time is over */
  constructor(context: NodeContext, onDone: () => void) {
    this.#context = context;
    this.#onDone = onDone;
    this.#groups = groupsOf(context.settings.shutdownGraces, [...context.situation.active]);
  }

  begin(): void {
    this.#context.nodeEvents.tell('Normal', 'Shutdown', 'Shutdown manager detected shutdown event');
    this.#nextGroup();
  }

  /** Nothing of a pod runs any more. */
  podLeft(): void {
    if (this.#present?.workers.every(({ isAdmitted }) => !isAdmitted) === true) this.#nextGroup();
  }

  stop(): void {
    if (this.#timer !== undefined) this.#context.kernel.clock.cancel(this.#timer);
    this.#timer = undefined;
    this.#present = undefined;
  }

  /** Groups without pods take no time. */
  #nextGroup(): void {
    this.stop();
    const group = this.#groups.shift();
    if (group === undefined) return this.#onDone();
    this.#present = group;
    const { clock } = this.#context.kernel;
    this.#timer = clock.schedule(group.graceSeconds * SECOND_MS, () => this.#nextGroup());
    for (const worker of group.workers) {
      const own = worker.pod.spec.terminationGracePeriodSeconds ?? group.graceSeconds;
      worker.condemn({ ...VERDICT, graceSeconds: Math.min(own, group.graceSeconds) });
    }
  }
}

/** Each pod belongs to the highest priority that is not above its own, or to the lowest of all. */
function groupsOf(graces: readonly ShutdownGrace[], workers: readonly ActivePod[]): ShutdownGroup[] {
  const members = graces.map((): ActivePod[] => []);
  for (const worker of workers) {
    const priority = worker.pod.spec.priority ?? 0;
    const index = graces.findLastIndex((grace) => grace.priority <= priority);
    members[Math.max(index, 0)]?.push(worker);
  }
  return graces.flatMap(({ shutdownGracePeriodSeconds }, index) => {
    const own = members[index] ?? [];
    return own.length === 0 ? [] : [{ graceSeconds: shutdownGracePeriodSeconds, workers: own }];
  });
}
