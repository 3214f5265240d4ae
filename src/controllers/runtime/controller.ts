/**
 * The runtime of controllers: informer handlers put keys into a work queue, workers take them out and
 * reconcile, several keys at once, one key never twice at once. A controller can be stopped as if its
 * process had crashed and be started again, whereupon it hears of every object anew.
 *
 * It knows nothing of what a controller does. Mirrors kube-controller-manager v1.34's common shape.
 */
import { createActor, type Actor } from 'xstate';
import type { Connection } from '../../bus/bus-types.js';
import { createActorClock } from '../../kernel/engine/xstate-clock.js';
import { assert } from '../../kernel/assert.js';
import type { MachineWatch, Trail } from '../../machines/trail.js';
import type { ControllerDefinition } from './controller-definition.js';
import { controllerLogic, type ControllerDuties, type ControllerEvent } from './controller-machine.js';
import { endRun, Session, type ControllerMeans, type SessionWatcher } from './session.js';

/** A controller as its manager sees it. */
export interface ControllerHandle {
  /** Starts its process, which waits until it leads; one that is there is left alone. */
  stand(): void;
  /** Starts, and leads; a controller that does is left alone. */
  start(): void;
  /** Stops at once, as a crash: queue, expectations and answers under way are forgotten. */
  stop(): void;
  /** Whether it is started and its informers have synced. */
  readonly isRunning: boolean;
  /** When the run that is under way began, ms; absent while it is stopped. */
  readonly sinceMs: number | undefined;
  /** Keys that wait to be worked on, those that wait for their time not among them. */
  readonly queued: number;
  /** Where its machines have been, one in each process that it is a part of. */
  readonly trails: readonly Trail[];
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
export class Controller implements ControllerHandle, ControllerDuties {
  readonly name: string;
  readonly machine = 'controller';
  readonly #definition: ControllerDefinition;
  readonly #actor: Actor<typeof controllerLogic>;
  #means: ControllerMeans;
  /** Of its own, not of its manager's. */
  #own: Connection | undefined;
  #session: Session | undefined;
  #sinceMs: number | undefined;
  #onDrained: (() => void) | undefined;
  readonly #audience = new Audience(this);

  constructor(definition: ControllerDefinition, means: ControllerMeans) {
    const { kernel } = means;
    this.name = definition.name;
    this.#definition = definition;
    this.#means = means;
    const clock = createActorClock(kernel.clock);
    this.#actor = createActor(controllerLogic, { id: definition.name, clock, input: this });
    this.#actor.subscribe({ error: (error) => endRun(kernel.clock, error) });
    this.#actor.start();
  }

  get machineName(): string {
    return this.name;
  }

  get party(): string {
    return this.#means.connection.link.party;
  }

  get machineWatch(): MachineWatch {
    return this.#means.machineWatch;
  }

  get trails(): readonly Trail[] {
    const { trail } = this.#actor.getSnapshot();
    assert(trail !== undefined, `the machine of controller ${this.name} must have a trail`);
    return [trail];
  }

  get isRunning(): boolean {
    return this.#isLeading && !this.#isIn('leading.syncing');
  }

  get sinceMs(): number | undefined {
    return this.#sinceMs;
  }

  get queued(): number {
    return this.#session?.queue.length ?? 0;
  }

  get isBackingOff(): boolean {
    return this.#session?.isBackingOff === true;
  }

  get isBusy(): boolean {
    return this.#session?.isBusy === true;
  }

  stand(): void {
    this.tell('process.started');
  }

  start(): void {
    if (this.#isLeading) return;
    this.stand();
    this.tell('lead.won');
    this.#means.connection.informers.start();
    this.#session?.whenSynced(() => this.tell('caches.synced'));
  }

  /** Its machine hears; what it does not wait for in its state is nothing to it. */
  tell(type: ControllerEvent['type']): void {
    this.#actor.send({ type });
  }

  open(): void {
    this.#sinceMs = this.#means.kernel.clock.now();
    this.#session = new Session(this.#definition, this.#means, this.#audience);
  }

  work(): void {
    this.#session?.work();
  }

  close(): void {
    this.#session?.close();
    this.#session = undefined;
    this.#sinceMs = undefined;
    this.#own?.informers.stop();
  }

  listen(listener: WorkListener): () => void {
    return this.#audience.add(listener);
  }

  separate(connect: () => Connection): void {
    if (this.#own !== undefined) return;
    const wasLeading = this.#isLeading;
    const wasStanding = this.#isIn('standing');
    this.stop();
    this.#own = connect();
    this.#means = { ...this.#means, connection: this.#own };
    if (wasLeading) this.start();
    else if (wasStanding) this.stand();
  }

  stop(): void {
    this.tell('process.gone');
  }

  /** Takes up no more work; `done` is told when nothing is under way, in this run of the controller. */
  end(done: () => void): void {
    if (!this.#isLeading) return done();
    this.#onDrained = done;
    this.tell('process.ending');
  }

  drain(): void {
    this.#session?.drain();
  }

  drained(): void {
    const done = this.#onDrained;
    this.#onDrained = undefined;
    done?.();
  }

  /** Stops for good. */
  dispose(): void {
    this.stop();
    this.#actor.stop();
    this.#own?.dispose();
  }

  get #isLeading(): boolean {
    return this.#actor.getSnapshot().state.name.startsWith('leading');
  }

  #isIn(state: string): boolean {
    return this.#actor.getSnapshot().state.name === state;
  }
}

/** What hears of what a session does: the controller's machine, and those that listen. */
class Audience implements SessionWatcher {
  isWatchingReconciles = false;
  readonly #controller: Pick<Controller, 'tell'>;
  #listeners: readonly WorkListener[] = [];

  constructor(controller: Pick<Controller, 'tell'>) {
    this.#controller = controller;
  }

  busy(): void {
    this.#controller.tell('work.begun');
  }

  rested(): void {
    this.#controller.tell('work.rested');
  }

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
