import type { AnyObject } from '../../api/objects/objects.js';
import { InvariantError } from '../../kernel/assert.js';
import {
  isWildcardEvent,
  matchesEvent,
  QueueingHint,
  type ClusterEvent,
  type QueueingHintFunction,
  type QueueingHintMap,
} from '../framework/cluster-event.js';
import type { QueuedPod } from './queued-pod.js';

/** What to do with a pod after an event. */
export type Strategy = 'skip' | 'afterBackoff' | 'immediately';

/** The plugins that registered for an event, and their hints. */
export interface Interest {
  readonly functions: readonly QueueingHintFunction[];
  /** Names of the plugins, each once. */
  readonly plugins: readonly string[];
}

const NO_INTEREST: Interest = { functions: [], plugins: [] };

/**
 * Judges events for pods by what their rejecting plugins registered. Mirrors kube-scheduler v1.34
 * `isPodWorthRequeuing` and `isEventOfInterest` of `backend/queue/scheduling_queue.go`.
 */
export class HintIndex {
  readonly #hints: QueueingHintMap;
  readonly #interests = new Map<string, Map<number, Interest>>();
  readonly #events = new Map<string, readonly ClusterEvent[]>();

  constructor(hints: QueueingHintMap) {
    this.#hints = hints;
  }

  /** The interest in an event that is not a wildcard. */
  interestIn(event: ClusterEvent): Interest {
    let byAction = this.#interests.get(event.resource);
    if (byAction === undefined) {
      byAction = new Map();
      this.#interests.set(event.resource, byAction);
    }
    let interest = byAction.get(event.actionType);
    if (interest === undefined) {
      interest = this.#find(event);
      byAction.set(event.actionType, interest);
    }
    return interest;
  }

  /** Every event that a plugin registered. */
  eventsOf(plugin: string): readonly ClusterEvent[] {
    let events = this.#events.get(plugin);
    if (events === undefined) {
      events = this.#hints
        .filter(({ functions }) => functions.some((each) => each.plugin === plugin))
        .map(({ event }) => event);
      this.#events.set(plugin, events);
    }
    return events;
  }

  /** What an event means for a pod, by the word of the plugins that rejected it. */
  judge(
    info: QueuedPod,
    event: ClusterEvent,
    oldObject: AnyObject | undefined,
    newObject: AnyObject | undefined,
  ): Strategy {
    if (!info.isRejected) return 'afterBackoff';
    if (isWildcardEvent(event)) {
      // A wildcard that carries a pod is meant for that pod alone.
      return newObject === undefined || newObject.metadata.uid === info.pod.metadata.uid ? 'afterBackoff' : 'skip';
    }
    let strategy: Strategy = 'skip';
    for (const { plugin, hint } of this.interestIn(event).functions) {
      if (!info.isRejectedBy(plugin)) continue;
      if (hint !== undefined && ask(hint, info, oldObject, newObject) === QueueingHint.Skip) continue;
      if (info.isPendingOn(plugin)) return 'immediately';
      if (!info.hasPendingPlugins) return 'afterBackoff';
      strategy = 'afterBackoff';
    }
    return strategy;
  }

  #find(event: ClusterEvent): Interest {
    const functions = this.#hints
      .filter((registered) => matchesEvent(registered.event, event))
      .flatMap((registered) => registered.functions);
    if (functions.length === 0) return NO_INTEREST;
    return { functions, plugins: [...new Set(functions.map(({ plugin }) => plugin))] };
  }
}

/** A hint that fails must not leave the pod behind: it counts as Queue. */
function ask(
  hint: NonNullable<QueueingHintFunction['hint']>,
  info: QueuedPod,
  oldObject: AnyObject | undefined,
  newObject: AnyObject | undefined,
): QueueingHint {
  try {
    return hint(info.pod, oldObject, newObject);
  } catch (error) {
    if (error instanceof InvariantError) throw error;
    return QueueingHint.Queue;
  }
}
