/**
 * Actors that nothing but their own parts talks to. XState makes every actor ready for subscribers, listeners to emitted
 * events and children of its own; the machines of pods have none of them, and there is one machine for each pod of a
 * cluster. They share one empty form of it, which refuses to be used: half a kilobyte less for each pod.
 *
 * The names of these parts are internal to XState (createActor.ts); a test pins the version in which they were read.
 */
import type { AnyActor } from 'xstate';
import { InvariantError } from '../kernel/assert.js';

/** @internal what XState keeps in an actor and does not declare. */
export interface ActorParts {
  observers: Set<unknown>;
  eventListeners: Map<unknown, unknown>;
  readonly _actorScope: { emit: () => void; stopChild: () => void; actionExecutor: () => void };
}

class NoObservers extends Set<never> {
  override add(): never {
    return refuse();
  }
}

class NoListeners extends Map<never, never> {
  override set(): never {
    return refuse();
  }
}

const NO_OBSERVERS = new NoObservers();
const NO_LISTENERS = new NoListeners();

/** Takes from an actor that has not started what nothing will ask it for. */
export function lighten(actor: AnyActor): void {
  const parts = actor as unknown as ActorParts;
  parts.observers = NO_OBSERVERS;
  parts.eventListeners = NO_LISTENERS;
  const { _actorScope: scope } = parts;
  scope.emit = refuse;
  scope.stopChild = refuse;
  scope.actionExecutor = refuse;
}

function refuse(): never {
  throw new InvariantError('nothing subscribes to the machine of a pod, and it emits nothing and has no children');
}
