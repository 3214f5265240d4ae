/**
 * The runtime of controllers: informer handlers put keys into a work queue, workers take them out and
 * reconcile, several keys at once, one key never twice at once. A controller can be stopped as if its
 * process had crashed and be started again, whereupon it hears of every object anew.
 *
 * It knows nothing of what a controller does. Mirrors kube-controller-manager v1.34's common shape.
 */
import { createActor, type ActorRefFrom } from 'xstate';
import type { Connection } from '../../bus/bus-types.js';
import { createActorClock } from '../../kernel/xstate-clock.js';
import type { ControllerDefinition } from './controller-definition.js';
import { lifecycleMachine } from './lifecycle-machine.js';
import { endRun, Session, type ControllerMeans } from './session.js';

/** A controller as its manager sees it. */
export interface ControllerHandle {
  /** Starts; a controller that is running is left alone. */
  start(): void;
  /** Stops at once, as a crash: queue, expectations and answers under way are forgotten. */
  stop(): void;
  /** Whether it is started and its informers have synced. */
  readonly isRunning: boolean;
  /** `listener` is told right after each write was sent, in this run and those that follow. @returns what ends that */
  onWrite(listener: () => void): () => void;
}

/** See the file header. */
export class Controller implements ControllerHandle {
  readonly name: string;
  readonly #actor: ActorRefFrom<typeof lifecycleMachine>;
  readonly #connection: Connection;
  #session: Session | undefined;
  #writeListeners: readonly (() => void)[] = [];

  constructor(definition: ControllerDefinition, means: ControllerMeans) {
    const { kernel, connection } = means;
    this.name = definition.name;
    this.#connection = connection;
    const machine = lifecycleMachine.provide({
      actions: {
        open: () => {
          this.#session = new Session(definition, means, () => this.#wrote());
        },
        work: () => this.#session?.work(),
        close: () => {
          this.#session?.close();
          this.#session = undefined;
        },
      },
    });
    this.#actor = createActor(machine, { id: definition.name, clock: createActorClock(kernel.clock) });
    this.#actor.subscribe({ error: (error) => endRun(kernel.clock, error) });
    this.#actor.start();
  }

  get isRunning(): boolean {
    return this.#actor.getSnapshot().matches({ active: 'running' });
  }

  start(): void {
    if (!this.#actor.getSnapshot().matches('stopped')) return;
    this.#actor.send({ type: 'START' });
    this.#connection.informers.start();
    this.#session?.whenSynced(() => this.#actor.send({ type: 'SYNCED' }));
  }

  onWrite(listener: () => void): () => void {
    this.#writeListeners = [...this.#writeListeners, listener];
    return () => {
      this.#writeListeners = this.#writeListeners.filter((other) => other !== listener);
    };
  }

  #wrote(): void {
    for (const listener of this.#writeListeners) listener();
  }

  stop(): void {
    this.#actor.send({ type: 'STOP' });
  }

  /** Takes up no more work; `done` is told when nothing is under way, in this run of the controller. */
  drain(done: () => void): void {
    if (this.#session === undefined) done();
    else this.#session.drain(done);
  }

  /** Stops for good. */
  dispose(): void {
    this.stop();
    this.#actor.stop();
  }
}
