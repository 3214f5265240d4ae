import type { Selector } from '../../../api/selectors/labels.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import { ConstraintReadings } from './constraint-part.js';
import { NodeLog } from './node-log.js';
import { PodCounter } from './pod-counter.js';
import type { SpreadConstraint } from './spread-constraint.js';
import { SpreadDomains } from './spread-domains.js';
import type { SpreadPlan } from './spread-plan.js';
import type { TopologyColumn } from '../topology-column.js';

/** Slots of all counters, and of all domains, together: 1,024 of 8,192 nodes, 4 bytes each. */
const MAX_SLOTS = 1 << 23;
/** Counters that are kept on any cluster, however large. */
const MIN_KEPT = 16;

/** One constraint over all nodes. */
export interface ConstraintCounts {
  readonly constraint: SpreadConstraint;
  readonly topology: TopologyColumn;
  readonly counter: PodCounter;
  /** Absent where pods are counted on each node for itself. */
  readonly domains: SpreadDomains | undefined;
}

/** The constraints of a plan over all nodes, as of one moment. */
export interface PlanCounts {
  readonly constraints: readonly ConstraintCounts[];
  readonly log: NodeLog;
  readonly readings: ConstraintReadings;
  /** Position of the log for which the counts hold. */
  readonly position: number;
}

/** The constraints of a plan as they were found last. */
interface Found {
  /** Of {@link SpreadCounts}, for which it holds. */
  readonly revision: number;
  readonly constraints: readonly ConstraintCounts[];
}

/**
 * Counts kept from attempt to attempt and shared by plans that count alike; what was not asked for
 * longest goes first.
 */
export class SpreadCounts {
  readonly #counters = new Map<string, PodCounter>();
  readonly #domains = new Map<string, SpreadDomains>();
  readonly #found = new WeakMap<SpreadPlan, Found>();
  /** Rises when something that was found is not kept any more. */
  #revision = 0;
  #log: NodeLog | undefined;
  #readings: ConstraintReadings | undefined;

  /** The counts of a plan, current with the columns. @param attempt - for which the columns are fixed */
  countsOf(plan: SpreadPlan, columns: NodeColumns, attempt: object): PlanCounts {
    const log = this.#currentLog(columns);
    log.update(attempt);
    const constraints = this.#find(plan, log);
    for (const { counter, domains } of constraints) {
      counter.refresh();
      domains?.totals.reserve();
    }
    const readings = (this.#readings ??= new ConstraintReadings(log));
    return { constraints, log, readings, position: log.end };
  }

  #currentLog(columns: NodeColumns): NodeLog {
    const known = this.#log;
    if (known?.columns === columns && known.layout === columns.layout) return known;
    this.#counters.clear();
    this.#domains.clear();
    this.#revision += 1;
    this.#log = new NodeLog(columns);
    this.#readings = undefined;
    return this.#log;
  }

  #find(plan: SpreadPlan, log: NodeLog): readonly ConstraintCounts[] {
    const known = this.#found.get(plan);
    if (known?.revision === this.#revision) return known.constraints;
    const constraints = plan.constraints.map((constraint, index): ConstraintCounts => {
      const topology = log.topology(constraint.topologyKey);
      const domainsKey = plan.domainsKeys[index];
      if (domainsKey === undefined) {
        const counter = this.#counterOf(plan.namespace, constraint.selector, log);
        return { constraint, topology, counter, domains: undefined };
      }
      const domains = this.#domainsOf(plan, constraint, domainsKey, log);
      return { constraint, topology, counter: domains.counter, domains };
    });
    this.#found.set(plan, { revision: this.#revision, constraints });
    return constraints;
  }

  #counterOf(namespace: string, selector: Selector, log: NodeLog): PodCounter {
    const key = `${namespace}/${selector.text}`;
    const counter = take(this.#counters, key) ?? new PodCounter(namespace, selector, log);
    if (put(this.#counters, key, counter, log) !== undefined) this.#revision += 1;
    return counter;
  }

  #domainsOf(plan: SpreadPlan, constraint: SpreadConstraint, key: string, log: NodeLog): SpreadDomains {
    const domains =
      take(this.#domains, key) ??
      new SpreadDomains(plan, constraint, this.#counterOf(plan.namespace, constraint.selector, log), log);
    const dropped = put(this.#domains, key, domains, log);
    if (dropped !== undefined) {
      dropped.release();
      this.#revision += 1;
    }
    return domains;
  }
}

function take<T>(kept: Map<string, T>, key: string): T | undefined {
  const value = kept.get(key);
  if (value !== undefined) kept.delete(key);
  return value;
}

/** Keeps a value as the newest; returns what has to go for it. */
function put<T>(kept: Map<string, T>, key: string, value: T, { columns }: NodeLog): T | undefined {
  kept.set(key, value);
  if (kept.size <= Math.max(MIN_KEPT, Math.floor(MAX_SLOTS / columns.capacity))) return undefined;
  for (const [oldest, dropped] of kept) {
    kept.delete(oldest);
    return dropped;
  }
  return undefined;
}
