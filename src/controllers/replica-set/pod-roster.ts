import type { Pod } from '../../api/objects/objects.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import { isAssigned, rankOf, type NodeCrowd, type Rank } from './ranking.js';

/** Timestamps remembered; they have whole seconds, so there are few. */
const MAX_TIMES = 4096;

/** Active pods by node, of all replica sets with one controller. */
export class Crowd {
  readonly #nodes = new Map<string, NodeCrowd>();

  /** The count of a pod's node; one that never changes for a pod without a node. */
  at(pod: Pod): NodeCrowd {
    if (!isAssigned(pod)) return { pods: 0 };
    const node = pod.spec.nodeName ?? '';
    let crowd = this.#nodes.get(node);
    if (crowd === undefined) this.#nodes.set(node, (crowd = { pods: 0 }));
    return crowd;
  }
}

/** Reads timestamps, each of them once. */
export class TimeReader {
  readonly #timestamps: Timestamps;
  readonly #known = new Map<string, number>();

  constructor(timestamps: Timestamps) {
    this.#timestamps = timestamps;
  }

  readonly toMs = (timestamp: string): number => {
    let timeMs = this.#known.get(timestamp);
    if (timeMs === undefined) {
      if (this.#known.size >= MAX_TIMES) this.#known.clear();
      this.#known.set(timestamp, (timeMs = this.#timestamps.toMs(timestamp)));
    }
    return timeMs;
  };
}

/**
 * The active pods of a replica set, ready to be ranked. Made when a pod has to be chosen for the first
 * time, kept up from then on: a rolling update chooses a few out of thousands, again and again.
 */
export class PodRoster {
  readonly #crowd: Crowd | undefined;
  readonly #toMs: (timestamp: string) => number;
  readonly #ranks = new Map<string, Rank>();

  /** @param crowd - absent for a replica set without a controller: its pods crowd nothing */
  constructor(crowd: Crowd | undefined, times: Pick<TimeReader, 'toMs'>) {
    this.#crowd = crowd;
    this.#toMs = times.toMs;
  }

  /** Every active pod, in order of arrival, and these others if they are not among them. */
  ranks(others: readonly Pod[]): Rank[] {
    const ranks = [...this.#ranks.values()];
    for (const pod of others) if (!this.#ranks.has(pod.metadata.uid)) ranks.push(this.#rank(pod));
    return ranks;
  }

  add(pod: Pod): void {
    this.#put(pod);
  }

  remove({ metadata: { uid } }: Pod): void {
    const rank = this.#ranks.get(uid);
    if (rank === undefined) return;
    rank.crowd.pods -= 1;
    this.#ranks.delete(uid);
  }

  /** An active pod has changed and is still active. */
  update(pod: Pod): void {
    const rank = this.#ranks.get(pod.metadata.uid);
    if (rank === undefined) return this.add(pod);
    rank.crowd.pods -= 1;
    this.#put(pod);
  }

  #put(pod: Pod): void {
    const rank = this.#rank(pod);
    rank.crowd.pods += 1;
    this.#ranks.set(pod.metadata.uid, rank);
  }

  #rank(pod: Pod): Rank {
    // Without a controller each pod counts for itself alone, and all of them count the same.
    return rankOf(pod, { crowd: this.#crowd?.at(pod) ?? { pods: 0 }, toMs: this.#toMs });
  }
}
