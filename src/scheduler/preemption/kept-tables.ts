import { judgesByNodeAlone } from '../cycle/attempt/kept-results.js';
import { NodeNews } from '../cycle/attempt/node-news.js';
import type { Nominator } from '../cycle/attempt/nominated-filter.js';
import type { CycleState } from '../framework/cycle-state.js';
import type { Framework } from '../framework/framework.js';
import type { Snapshot } from '../framework/interface.js';
import type { PodInfo } from '../framework/pod-info.js';
import { TrialTable } from './trial-table.js';

/** Shapes and priorities with outcomes that are kept; the least recently used one makes room. */
const MAX_KINDS = 16;
/** Tiers of a table before it begins anew; in most clusters there are a few dozen. */
const MAX_TIERS = 4096;

/** What tables are kept for. */
export interface KeptTablesOptions {
  readonly framework: Framework;
  readonly snapshot: Snapshot;
  readonly nominator: Nominator;
}

/**
 * Outcomes of dry runs kept from preemption to preemption: of two preemptors of one shape and priority,
 * the second tries only nodes that have changed in between. Only pods with filters that look at nothing
 * but the single node share theirs; budgets are held to be the same, see {@link KeptTables.clear}.
 */
export class KeptTables {
  readonly #options: KeptTablesOptions;
  /** By shape and priority, least recently used first. */
  readonly #kinds = new Map<string, KeptTable>();
  readonly #scratch = new TrialTable();

  constructor(options: KeptTablesOptions) {
    this.#options = options;
  }

  /** The table for a pod, with what is known that still holds. */
  of(state: CycleState, pod: PodInfo): TrialTable {
    return judgesByNodeAlone(this.#options.framework, state, pod) ? this.#kindOf(pod) : this.scratch();
  }

  /** A table in which nothing stands, until the next one is asked for. */
  scratch(): TrialTable {
    this.#scratch.reset(this.#options.snapshot.columns.capacity);
    return this.#scratch;
  }

  /** Forgets everything: budgets have changed. */
  clear(): void {
    this.#kinds.clear();
  }

  #kindOf(pod: PodInfo): TrialTable {
    const key = `${pod.shape.id}/${pod.priority}`;
    const { snapshot, nominator } = this.#options;
    const kept = this.#kinds.get(key) ?? { table: new TrialTable(), news: new NodeNews(snapshot, nominator) };
    this.#kinds.delete(key);
    this.#kinds.set(key, kept);
    if (this.#kinds.size > MAX_KINDS) this.#dropOldest();
    this.#update(kept, pod);
    return kept.table;
  }

  #update({ table, news }: KeptTable, { pod }: PodInfo): void {
    const { snapshot, nominator } = this.#options;
    if (news.update() && table.tiers.length <= MAX_TIERS) {
      for (const slot of news.slots) table.forget(slot);
      table.forgetMomentary();
    } else table.reset(snapshot.columns.capacity);
    // On the node that a pod is nominated to itself others count than for its like.
    const ownNode = nominator.nominatedNodeOf(pod.metadata.uid);
    const slot = ownNode === undefined ? undefined : snapshot.get(ownNode)?.slot;
    if (slot === undefined) return;
    table.forget(slot);
    table.makeMomentary(slot);
  }

  #dropOldest(): void {
    for (const key of this.#kinds.keys()) {
      this.#kinds.delete(key);
      return;
    }
  }
}

interface KeptTable {
  readonly table: TrialTable;
  readonly news: NodeNews;
}
