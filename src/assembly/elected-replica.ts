import { renewedBy } from '../api/objects/renewals.js';
import type { ApiServer } from '../apiserver/store/server-types.js';
import type { Bus, Connection } from '../bus/bus-types.js';
import { LeaderElector } from '../controllers/runtime/leader-elector.js';
import { LOCK_NAMESPACE } from '../controllers/runtime/lease-lock.js';
import { createIdSource } from '../kernel/ids.js';
import type { Kernel } from '../kernel/engine/kernel.js';
import type { RandomStream } from '../kernel/random.js';

/** Where replicas run. */
export interface ReplicaSite {
  readonly kernel: Kernel;
  readonly bus: Bus;
  readonly server: ApiServer;
}

/** What all replicas of a component have in common. */
export interface ReplicatedComponent {
  /** Name of the component and of its lease, such as `kube-scheduler`. */
  readonly name: string;
  /** Source of the events about its lease. */
  readonly eventSource: string;
  /** How many replicas there are, 1 or more. */
  readonly replicas: number;
}

/** What a replica does while it leads. */
export interface LedWork {
  /** Its process has started, and does not lead yet. */
  stand?(): void;
  start(): void;
  /** Ends at once, as its process does. */
  stop(): void;
}

/**
 * One replica of a component of the control plane: it stands for election and works while it leads. When it
 * lost the lead its process ends, as upstream's does, and another one takes its place, with a name of its own
 * and nothing in memory.
 */
export class ElectedReplica {
  /** Its name, and that of its link: the component's, with its number behind the first. */
  readonly party: string;
  readonly #site: ReplicaSite;
  readonly #component: ReplicatedComponent;
  readonly #work: LedWork;
  readonly #random: RandomStream;
  #elector: LeaderElector | undefined;
  #connection: Connection | undefined;
  /** A component that is alone leads from the start of the cluster. */
  #isFirst: boolean;

  /** @param index - 0 for the first replica */
  constructor(site: ReplicaSite, component: ReplicatedComponent, index: number, work: LedWork) {
    this.#site = site;
    this.#component = component;
    this.#work = work;
    this.party = replicaParty(component.name, index);
    this.#random = site.kernel.random(`leader-election/${this.party}`);
    this.#isFirst = component.replicas === 1;
  }

  /** Whether its process runs. */
  get isStarted(): boolean {
    return this.#elector !== undefined;
  }

  get isLeading(): boolean {
    return this.#elector?.isLeading === true;
  }

  /** Starts its process; one that runs is left alone. */
  start(): void {
    if (this.#elector !== undefined) return;
    const { bus, server } = this.#site;
    const { name, eventSource, replicas } = this.#component;
    const kernel = this.#site.kernel.at(this.party);
    this.#connection = bus.connect(this.party);
    this.#elector = new LeaderElector({
      kernel,
      connection: this.#connection,
      lease: name,
      identity: `${this.party}_${createIdSource(this.#random, this.#random).uid()}`,
      component: eventSource,
      random: this.#random,
      isAlone: replicas === 1,
      isFirst: this.#isFirst,
      renewLease: (renewals) => server.renewLease(name, renewedBy(this.party, renewals), LOCK_NAMESPACE),
      onStartedLeading: () => this.#work.start(),
      onStoppedLeading: () => {
        this.stop();
        this.start();
      },
    });
    this.#isFirst = false;
    this.#work.stand?.();
    this.#elector.start();
  }

  /** Ends its process as a crash does: whatever it led is not given back. */
  stop(): void {
    this.#elector?.stop();
    this.#elector = undefined;
    this.#work.stop();
    this.#connection?.dispose();
    this.#connection = undefined;
  }
}

/** The link of a replica: the first has the component's own name. */
export function replicaParty(component: string, index: number): string {
  return index === 0 ? component : `${component}-${index}`;
}
