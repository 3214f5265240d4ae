/**
 * Ends the pods of a node that is going to be switched off, group by group, from the lowest priority to the
 * highest. Until that is done, or the kubelet's process ends, it holds the system's inhibitor lock. A shutdown that
 * is called off is heard of once all groups have ended. Mirrors pkg/kubelet/nodeshutdown (v1.34). It does not switch
 * anything off.
 */
import type { Timer } from '../../kernel/engine/clock.js';
import type { ShutdownGrace } from '../configuration/kubelet-configuration.js';
import type { NodeContext } from '../node/node-context.js';
import type { ActivePod } from '../node/node-situation.js';
import { SECOND_MS } from '../../kernel/time-units.js';

const MESSAGE = 'Pod was terminated in response to imminent node shutdown.';
const VERDICT = {
  phase: 'Failed',
  reason: 'Terminated',
  message: MESSAGE,
  condition: { reason: 'TerminationByKubelet', message: MESSAGE },
} as const;

/** Pods that end together, and how long they have. */
interface ShutdownGroup {
  readonly graceSeconds: number;
  readonly workers: readonly ActivePod[];
}

/** What a shutdown calls in the kubelet. */
export interface ShutdownDuties {
  /** The node says at once that it is shutting down. */
  tellShutdown(): void;
  /** The shutdown was called off, and the node takes pods again. */
  noteChange(): void;
}

/** See the file header. */
export class ShutdownManager {
  readonly #context: NodeContext;
  readonly #duties: ShutdownDuties;
  #state: 'idle' | 'ending pods' | 'called off' | 'done' = 'idle';
  #groups: ShutdownGroup[] = [];
  /** Called when the lock is released. */
  readonly #waiting: (() => void)[] = [];
  #present: ShutdownGroup | undefined;
  #timer: Timer | undefined;

  constructor(context: NodeContext, duties: ShutdownDuties) {
    this.#context = context;
    this.#duties = duties;
  }

  /**
   * The node is going to be switched off. `false` when the configuration gives no time to end pods: then nothing
   * happens.
   *
   * @param onReleased - called when the lock is released: the last group, its time or the kubelet's process has ended
   */
  shutDown(onReleased: () => void): boolean {
    const { situation, settings, nodeEvents } = this.#context;
    if (settings.shutdownGraces.length === 0) return false;
    this.#waiting.push(onReleased);
    if (this.#state === 'done') this.#release();
    if (this.#state === 'called off') this.#state = 'ending pods';
    if (this.#state !== 'idle') return true;
    this.#state = 'ending pods';
    this.#groups = groupsOf(settings.shutdownGraces, [...situation.active]);
    situation.isShuttingDown = true;
    situation.onStopped = () => this.#podStopped();
    nodeEvents.tell('Normal', 'Shutdown', 'Shutdown manager detected shutdown event');
    this.#duties.tellShutdown();
    this.#nextGroup();
    return true;
  }

  /** The machine is not going to be switched off after all. The pods of all groups end all the same. */
  callOff(): void {
    this.#waiting.length = 0;
    if (this.#state === 'done') this.#return();
    else if (this.#state === 'ending pods') this.#state = 'called off';
  }

  /** The kubelet's process ends, and with it its hold on the lock. */
  stop(): void {
    this.#endGroup();
    this.#context.situation.onStopped = undefined;
    this.#release();
  }

  /** Nothing of some pod runs any more, and nothing of it is mounted. */
  #podStopped(): void {
    if (this.#present?.workers.every(({ isStopped }) => isStopped) === true) this.#nextGroup();
  }

  #endGroup(): void {
    if (this.#timer !== undefined) this.#context.kernel.clock.cancel(this.#timer);
    this.#timer = undefined;
    this.#present = undefined;
  }

  #release(): void {
    for (const onReleased of this.#waiting.splice(0)) onReleased();
  }

  /** All groups have ended. */
  #finish(): void {
    this.#context.situation.onStopped = undefined;
    if (this.#state === 'called off') return this.#return();
    this.#state = 'done';
    this.#release();
  }

  #return(): void {
    const { situation, nodeEvents } = this.#context;
    this.#state = 'idle';
    situation.isShuttingDown = false;
    nodeEvents.tell('Normal', 'Shutdown', 'Shutdown manager detected shutdown cancellation');
    this.#duties.noteChange();
  }

  /** Groups without pods take no time. */
  #nextGroup(): void {
    this.#endGroup();
    const group = this.#groups.shift();
    if (group === undefined) return this.#finish();
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
