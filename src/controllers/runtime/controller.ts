/**
 * The runtime of controllers: informer handlers put keys into a work queue, workers take them out and
 * reconcile, several keys at once, one key never twice at once. A controller can be stopped as if its
 * process had crashed and be started again, whereupon it hears of every object anew.
 *
 * It knows nothing of what a controller does. Mirrors kube-controller-manager v1.34's common shape.
 */
import { createActor, type ActorRefFrom } from 'xstate';
import type { Connection } from '../../bus/bus-types.js';
import { createActorClock } from '../../kernel/engine/xstate-clock.js';
import type { ControllerDefinition } from './controller-definition.js';
import { lifecycleMachine } from './lifecycle-machine.js';
import { endRun, Session, type ControllerMeans, type SessionWatcher } from './session.js';

/** A controller as its manager sees it. */
export interface ControllerHandle {
  /** Starts; a controller that is running is left alone. */
  start(): void;
  /** Stops at once, as a crash: queue, expectations and answers under way are forgotten. */
  stop(): void;
  /** Whether it is started and its informers have synced. */
  readonly isRunning: boolean;
  /** When the run that is under way began, ms; absent while it is stopped. */
  readonly sinceMs: number | undefined;
  /** Hears of what it does, in this run and those that follow. @returns what ends that */
  listen(listener: WorkListener): () => void;
  /**
   * Gives it a connection of its own in place of its manager's, for good: it starts anew if it was started.
   * One that has a connection of its own keeps it.
   */
  separate(connect: () => Connection): void;
}

/** Hears of what a controller does. */
export interface WorkListener {
  /** Told right after each write was sent. */
  wrote(): void;
  /** Told before each reconcile; with it there is one at a time. */
  began?(): void;
}

/** See the file header. */
export class Controller implements ControllerHandle {
  readonly name: string;
  readonly #actor: ActorRefFrom<typeof lifecycleMachine>;
  #means: ControllerMeans;
  /** Of its own, not of its manager's. */
  #own: Connection | undefined;
  #session: Session | undefined;
  #sinceMs: number | undefined;
  readonly #audience = new Audience();

  constructor(definition: ControllerDefinition, means: ControllerMeans) {
    const { kernel } = means;
    this.name = definition.name;
    this.#means = means;
    const machine = lifecycleMachine.provide({
      actions: {
        open: () => {
          this.#sinceMs = kernel.clock.now();
          this.#session = new Session(definition, this.#means, this.#audience);
        },
        work: () => this.#session?.work(),
        close: () => {
          this.#session?.close();
          this.#session = undefined;
          this.#sinceMs = undefined;
          this.#own?.informers.stop();
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

  get sinceMs(): number | undefined {
    return this.#sinceMs;
  }

  start(): void {
    if (!this.#actor.getSnapshot().matches('stopped')) return;
    this.#actor.send({ type: 'START' });
    this.#means.connection.informers.start();
    this.#session?.whenSynced(() => this.#actor.send({ type: 'SYNCED' }));
  }

  listen(listener: WorkListener): () => void {
    return this.#audience.add(listener);
  }

  separate(connect: () => Connection): void {
    if (this.#own !== undefined) return;
    const isStarted = !this.#actor.getSnapshot().matches('stopped');
    this.stop();
    this.#own = connect();
    this.#means = { ...this.#means, connection: this.#own };
    if (isStarted) this.start();
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
    this.#own?.dispose();
  }
}

/** All who hear of what a controller does. */
class Audience implements SessionWatcher {
  isWatchingReconciles = false;
  #listeners: readonly WorkListener[] = [];

  add(listener: WorkListener): () => void {
    this.#set([...this.#listeners, listener]);
    return () => this.#set(this.#listeners.filter((other) => other !== listener));
  }

  wrote(): void {
    for (const listener of this.#listeners) listener.wrote();
  }

  began(): void {
    for (const listener of this.#listeners) listener.began?.();
  }

  #set(listeners: readonly WorkListener[]): void {
    this.#listeners = listeners;
    this.isWatchingReconciles = listeners.some((listener) => listener.began !== undefined);
  }
}
