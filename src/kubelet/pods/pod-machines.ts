import { createActor, type Actor, type AnyActorRef } from 'xstate';
import { lighten } from '../../machines/light-actor.js';
import { stopMachine } from '../../machines/machine-logic.js';
import type { Trail } from '../../machines/trail.js';
import { podLogic, type PodEvent } from './pod-machine.js';
import type { PodWorker } from './pod-worker.js';

/** The machines of a node's pods by uid, one actor each. The node's actor is their parent. */
export class PodMachines {
  readonly #actors = new Map<string, Actor<typeof podLogic>>();

  /** Makes the machine of a pod, which then waits for `pod.begin`. */
  spawn(worker: PodWorker, parent: AnyActorRef): void {
    const actor = createActor(podLogic, { id: worker.uid, input: worker, parent });
    lighten(actor);
    this.#actors.set(worker.uid, actor);
    actor.start();
  }

  /** Tells a pod's machine; a pod that has none is past being told. */
  tell(uid: string, event: PodEvent): void {
    this.#actors.get(uid)?.send(event);
  }

  /** Where each of them has been. */
  *trails(): Iterable<Trail> {
    for (const actor of this.#actors.values()) {
      const { trail } = actor.getSnapshot();
      if (trail !== undefined) yield trail;
    }
  }

  /** A machine has come to its end. */
  forget(uid: string): void {
    this.#actors.delete(uid);
  }

  /** Ends all of them where they stand. */
  stop(): void {
    for (const actor of this.#actors.values()) stopMachine(actor);
    this.#actors.clear();
  }
}
