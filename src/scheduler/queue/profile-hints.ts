import type { Pod } from '../../api/objects/objects.js';
import { assert } from '../../kernel/assert.js';
import type { ChangeLog } from '../framework/change-log.js';
import type { ClusterEvent } from '../framework/cluster-event.js';
import type { PreEnqueuePlugin } from '../framework/interface.js';
import { HintIndex } from './hint-index.js';
import type { QueueProfile } from './queue-types.js';

const DEFAULT_SCHEDULER = 'default-scheduler';

/** What the queue asks plugins, by profile: a pod hears only of the events of its own profile's plugins. */
export class ProfileHints {
  readonly #indexes = new Map<string, HintIndex>();
  readonly #profiles: ReadonlyMap<string, QueueProfile>;
  readonly #plugins = new Map<string, Map<number, readonly string[]>>();
  readonly #openings = new Map<string, readonly (ChangeLog | undefined)[]>();

  constructor(profiles: ReadonlyMap<string, QueueProfile>) {
    this.#profiles = profiles;
    for (const [schedulerName, { hints }] of profiles) this.#indexes.set(schedulerName, new HintIndex(hints));
  }

  /** The hints of a pod's profile. */
  of({ spec }: Pod): HintIndex {
    const { schedulerName = DEFAULT_SCHEDULER } = spec;
    const index = this.#indexes.get(schedulerName);
    assert(index !== undefined, `a queued pod must belong to a profile, got scheduler name ${schedulerName}`);
    return index;
  }

  preEnqueueOf({ spec }: Pod): readonly PreEnqueuePlugin[] {
    return this.#profiles.get(spec.schedulerName ?? DEFAULT_SCHEDULER)?.preEnqueue ?? [];
  }

  /** {@link PreEnqueuePlugin.openings} of a plugin in each profile that has it; `undefined` where one has none. */
  openingsOf(plugin: string): readonly ChangeLog[] | undefined {
    let openings = this.#openings.get(plugin);
    if (openings === undefined) {
      openings = [...this.#profiles.values()].flatMap(({ preEnqueue }) =>
        preEnqueue.filter(({ name }) => name === plugin).map((keeper) => keeper.openings),
      );
      this.#openings.set(plugin, openings);
    }
    return openings.every((log) => log !== undefined) ? openings : undefined;
  }

  /** Names of the plugins of all profiles that registered for an event that is not a wildcard. */
  pluginsFor(event: ClusterEvent): readonly string[] {
    let byAction = this.#plugins.get(event.resource);
    if (byAction === undefined) {
      byAction = new Map();
      this.#plugins.set(event.resource, byAction);
    }
    let plugins = byAction.get(event.actionType);
    if (plugins === undefined) {
      plugins = [...new Set([...this.#indexes.values()].flatMap((index) => index.interestIn(event).plugins))];
      byAction.set(event.actionType, plugins);
    }
    return plugins;
  }
}
