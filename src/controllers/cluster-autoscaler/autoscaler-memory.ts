/** What a run of the autoscaler knows of the cluster; all of it comes from the API, and goes with the run. */
import { capacityOf } from './node-capacity.js';
import { keyOf, type Kind, type Node, type Pod } from '../../api/objects/objects.js';
import type { Informer } from '../../bus/bus-types.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import type { Cloud, CreatePlacement, Placement } from './autoscaler-seams.js';
import type { AutoscalerSettings } from './autoscaler-settings.js';
import { DELETION_CANDIDATE, hasTaint, markedAtSeconds, TO_BE_DELETED } from './autoscaler-taints.js';
import type { KnownNode } from './known-node.js';
import { readinessOf } from './node-readiness.js';
import { isExpendable, isUnschedulable } from './pod-traits.js';
import { NodeRoster } from './node-roster.js';

const MILLIS_PER_CORE = 1000;

/** What all nodes have together but those that are being removed. */
interface Totals {
  cores: number;
  memoryBytes: number;
}

type MachineSource = Pick<Cloud, 'machineOf' | 'machinesSince'>;

/** See the file header. */
export class AutoscalerMemory {
  readonly nodes = new Map<string, KnownNode>();
  readonly roster = new NodeRoster();
  readonly placement: Placement;
  readonly budgets: Informer<'PodDisruptionBudget'>;
  readonly daemonSets: Informer<'DaemonSet'>;
  readonly configMaps: Informer<'ConfigMap'> | undefined;
  readonly #totals: Totals = { cores: 0, memoryBytes: 0 };
  readonly #owners: ReadonlyMap<string, Informer<Kind>>;
  readonly #pending = new Map<string, Pod>();
  readonly #touched = new Set<string>();
  readonly #resumptions = new Map<string, () => void>();
  readonly #context: ControllerContext;
  readonly #cloud: MachineSource;
  #machinesPlace = 0;
  #pauses = 0;

  constructor(
    context: ControllerContext,
    settings: AutoscalerSettings,
    cloud: MachineSource,
    createPlacement: CreatePlacement,
  ) {
    this.#context = context;
    this.#cloud = cloud;
    const { timestamps } = context.kernel;
    this.placement = createPlacement(context, {
      counts: (pod) => !isExpendable(pod, settings.expendablePodsPriorityCutoff),
      onTouched: (node) => this.#touched.add(node),
    });
    const setNode = (node: Node): void => {
      const { name, creationTimestamp } = node.metadata;
      const createdMs = timestamps.toMs(creationTimestamp);
      const readiness = readinessOf(node, timestamps, settings);
      const before = this.nodes.get(name);
      if (before !== undefined) this.#count(before, -1);
      const marks = {
        isToBeDeleted: hasTaint(node, TO_BE_DELETED),
        markedAt: markedAtSeconds(node, TO_BE_DELETED),
        isCandidate: hasTaint(node, DELETION_CANDIDATE),
      };
      const machine = before?.machine ?? cloud.machineOf(name);
      const capacity = capacityOf(node);
      const known = { node, name, createdMs, capacity, ...readiness, ...marks, machine, slot: 0 };
      this.roster.set(known, before);
      this.nodes.set(name, known);
      this.#count(known, 1);
    };
    context.watch('Node', {
      onAdd: setNode,
      onUpdate: (_previous, node) => setNode(node),
      onDelete: ({ metadata }) => {
        const known = this.nodes.get(metadata.name);
        if (known !== undefined) {
          this.#count(known, -1);
          this.roster.delete(known);
        }
        this.nodes.delete(metadata.name);
      },
    });
    const setPod = (pod: Pod): void => {
      if (isUnschedulable(pod)) this.#pending.set(pod.metadata.uid, pod);
      else this.#pending.delete(pod.metadata.uid);
    };
    context.watch('Pod', {
      onAdd: setPod,
      onUpdate: (_previous, pod) => setPod(pod),
      onDelete: ({ metadata }) => this.#pending.delete(metadata.uid),
    });
    this.budgets = context.informer('PodDisruptionBudget');
    this.daemonSets = context.informer('DaemonSet');
    const owners = ['ReplicationController', 'ReplicaSet', 'StatefulSet', 'Job', 'DaemonSet'] as const;
    this.#owners = new Map(owners.map((kind) => [kind, context.informer(kind) as unknown as Informer<Kind>]));
    this.configMaps = settings.expander.includes('priority') ? context.informer('ConfigMap') : undefined;
  }

  /** What the nodes have that are not being removed. */
  get totals(): Readonly<Totals> {
    return this.#totals;
  }

  get nowMs(): number {
    return this.#context.kernel.clock.now();
  }

  /** Pods for which the scheduler has found no place. */
  get pending(): readonly Pod[] {
    return [...this.#pending.values()];
  }

  /** Hears of machines that have come or gone. */
  catchUp(): void {
    const { place, names } = this.#cloud.machinesSince(this.#machinesPlace);
    this.#machinesPlace = place;
    for (const name of names ?? this.nodes.keys()) {
      const known = this.nodes.get(name);
      if (known !== undefined) this.roster.noteMachine(known);
    }
  }

  /** Names of nodes that, or whose pods, have changed since the last call. */
  takeTouched(): readonly string[] {
    const touched = [...this.#touched];
    this.#touched.clear();
    return touched;
  }

  /** The owner of a kind that the autoscaler knows; `undefined` = it is not there. */
  owner(kind: string, namespace: string | undefined, name: string): { readonly spec?: object } | undefined {
    const key = keyOf({ metadata: { ...(namespace === undefined ? {} : { namespace }), name } });
    return this.#owners.get(kind)?.getByKey(key) as { readonly spec?: object } | undefined;
  }

  /** Waits, for as long as this run lasts. */
  pause(ms: number): Promise<void> {
    this.#pauses += 1;
    const key = `pause-${this.#pauses}`;
    return new Promise((resolve) => {
      this.#resumptions.set(key, resolve);
      this.#context.queue.addAfter(key, ms);
    });
  }

  /** A wait is over. */
  resume(key: string): void {
    const resolve = this.#resumptions.get(key);
    this.#resumptions.delete(key);
    this.#context.kernel.clock.settle();
    resolve?.();
  }

  #count({ capacity, markedAt }: KnownNode, times: 1 | -1): void {
    if (markedAt !== undefined) return;
    this.#totals.cores += times * Math.ceil(capacity.cpuMillis / MILLIS_PER_CORE);
    this.#totals.memoryBytes += times * capacity.memoryBytes;
  }
}
