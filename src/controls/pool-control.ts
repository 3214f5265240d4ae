/**
 * Pools of equal nodes as objects: as many machines are there as a pool asks for, named by its prefix and a number.
 * Machines that are too many go with their Nodes, the highest numbers first. A changed shape holds for machines that
 * come from then on. Of pools that are autoscaled it is the cloud that the cluster autoscaler acts on.
 */
import type { NodePoolObject, NodePoolSpec, NodePoolStatus } from '../api/objects/own-objects.js';
import type { Draft, Node } from '../api/objects/objects.js';
import type { FieldError } from '../api/objects/resource-kind.js';
import { invalid, required } from '../api/errors/field-errors.js';
import { isSameJson } from '../api/values/canonical-json.js';
import { nodeSetups } from '../assembly/node-fleet.js';
import { listen } from '../bus/rx/listen.js';
import type {
  Cloud,
  CloudMachine,
  NodeGroup as AutoscaledGroup,
} from '../controllers/cluster-autoscaler/autoscaler-seams.js';
import type { Troubles } from '../kernel/troubles.js';
import { checkNode, NodeGroupError, type NodeGroup } from '../workload/node-groups.js';
import { OptionError } from '../options/option-error.js';
import { later, soon, type ControlParts } from './control-parts.js';
import { MachineLog } from './machine-log.js';
import { Pool } from './pool.js';

const MOST_NODES = 100_000;
/** Ready nodes are counted that long before they are told. */
const TELL_READY_MS = 1000;

/** What a pool control needs besides. */
export interface PoolParts extends ControlParts {
  /** What goes wrong with pools, by operation and pool such as `create spot`. */
  readonly poolTroubles: Troubles<string>;
  /** Told when there is something to autoscale. */
  readonly onAutoscaled: () => void;
}

/** What is wrong with a pool: its shape is checked as a group of nodes is. */
export function validatePool({ metadata, spec }: NodePoolObject): readonly FieldError[] {
  const { count, provisioningDelay, autoscaling, ...shape } = spec ?? {};
  const allowed = `must be an integer in 0..${MOST_NODES}`;
  if (count === undefined && autoscaling === undefined) return [required('spec.count')];
  if (count !== undefined && (!Number.isInteger(count) || count < 0 || count > MOST_NODES))
    return [invalid('spec.count', count, allowed)];
  try {
    const { labels, ...rest } = shape;
    const description = {
      ...rest,
      ...(labels === undefined ? {} : { labels }),
      count: 1,
      namePrefix: shape.namePrefix ?? `${metadata.name}-`,
    };
    nodeSetups([description]);
    // Of a pool that is not autoscaled machines may take their time as well.
    const scaled = autoscaling ?? { max: MOST_NODES };
    checkNode({ count: 1, autoscaling: scaled, ...(provisioningDelay === undefined ? {} : { provisioningDelay }) }, 0);
    return [];
  } catch (error) {
    if (!(error instanceof NodeGroupError)) throw error;
    const { field, message } = error;
    const path = field.replace(/:$/, '').split('.');
    let value: unknown = spec;
    for (const each of path[0] === 'autoscaling' ? path : path.slice(0, 1)) {
      value = (value as Readonly<Record<string, unknown>> | undefined)?.[each];
    }
    return [invalid(`spec.${field.replace(/:$/, '')}`, value, message.replace(/^[^:]*: \S+ /, ''))];
  }
}

/** See the file header. */
export class PoolControl implements Cloud {
  readonly #parts: PoolParts;
  readonly #pools = new Map<string, Pool>();
  /** Of machines of pools, and of Nodes that were asked for. */
  readonly #machines = new Map<string, MachineOfNode>();
  readonly #log = new MachineLog();
  #groups: readonly AutoscaledGroup[] = [];

  /** Acts on the pools among the objects of a cluster from now on. */
  constructor(parts: PoolParts) {
    this.#parts = parts;
    const generations = new Map<string, number | undefined>();
    listen(parts.lookout.watch('NodePool'), ({ type, object }) => {
      const { name, generation } = object.metadata;
      const isNew = generations.get(name) !== generation;
      if (type === 'DELETED') generations.delete(name);
      else generations.set(name, generation);
      if (type === 'DELETED' || isNew) soon(parts, () => this.#settle(name));
    });
    listen(parts.lookout.watch('Node'), ({ type, object }) => this.#noteNode(type !== 'DELETED', object));
  }

  get groups(): readonly AutoscaledGroup[] {
    return this.#groups;
  }

  groupOf(node: string): AutoscaledGroup | undefined {
    return this.#machines.get(node)?.group;
  }

  /** Whether the machine of a node belongs to a pool. */
  holds(node: string): boolean {
    return this.#machines.get(node)?.pool !== undefined;
  }

  machineOf(node: string): MachineOfNode {
    const known = this.#machines.get(node);
    if (known !== undefined) return known;
    const machine = new MachineOfNode(node, this.#parts.fleet);
    this.#machines.set(node, machine);
    return machine;
  }

  machinesSince(place: number): ReturnType<Cloud['machinesSince']> {
    return this.#log.since(place);
  }

  /** Makes pools of groups of nodes, whose first machines are there from the start. @throws NodeGroupError */
  found(groups: readonly NodeGroup[]): void {
    for (const [index, { count, namePrefix = 'node-', ...shape }] of groups.entries()) {
      const name = namePrefix.replace(/[-.]+$/, '');
      const isTaken = this.#stored(name) !== undefined;
      if (isTaken)
        throw new NodeGroupError(`nodes[${index}]`, 'namePrefix', `must be distinct, got ${namePrefix} twice`);
      const draft: Draft = { metadata: { name }, spec: { ...shape, count, namePrefix } };
      soonOf(this.#parts, () => this.#parts.server.create('NodePool', draft));
      this.#settle(name, true);
    }
  }

  /** As many machines as the pool asks for now. @param isAtOnce - whether they are there already */
  #settle(name: string, isAtOnce = false): void {
    const stored = this.#stored(name);
    const spec = stored?.spec ?? { count: 0 };
    const known = this.#pools.get(name);
    if (known === undefined && stored === undefined) return;
    const pool = known ?? this.#create(name, spec);
    const wasAutoscaled = pool.isAutoscaled;
    pool.take(spec);
    if (pool.isAutoscaled !== wasAutoscaled) this.#log.noteAll();
    pool.resize(isAtOnce);
    if (stored === undefined) this.#pools.delete(name);
    else {
      if (spec.count === undefined) this.#write(pool, pool.targetSize);
      this.#tell(pool);
    }
    this.#groups = [...this.#pools.values()].filter(({ isAutoscaled }) => isAutoscaled);
    if (this.#groups.length > 0) this.#parts.onAutoscaled();
  }

  #create(name: string, spec: NodePoolSpec): Pool {
    const { fleet, server, poolTroubles } = this.#parts;
    const pool = new Pool(name, spec, {
      troubles: poolTroubles,
      after: (ms, work) => later(this.#parts, ms, work),
      add: (setups) => {
        try {
          fleet.add(setups);
          for (const setup of setups) this.#log.note(setup.name);
          return undefined;
        } catch (error) {
          if (!(error instanceof NodeGroupError) && !(error instanceof OptionError)) throw error;
          return error.message;
        }
      },
      resourcesOf: (setup) => fleet.resourcesOf(setup),
      remove: (machine) => {
        fleet.remove(machine);
        this.#log.note(machine);
        if (server.find('Node', { name: machine }) !== undefined) server.delete('Node', { name: machine });
      },
      came: (machine) => {
        this.machineOf(machine).pool = pool;
        this.#log.note(machine);
      },
      went: (machine) => this.#release(machine),
      asked: (count) => soon(this.#parts, () => this.#write(pool, count)),
      changed: () => this.#tellSoon(pool),
    });
    this.#pools.set(name, pool);
    return pool;
  }

  #release(name: string): void {
    this.machineOf(name).pool = undefined;
    this.#log.note(name);
    // What is known of it goes with its Node.
    if (this.#parts.server.find('Node', { name }) === undefined) this.#machines.delete(name);
  }

  /** The size of a pool that was asked for by other means than its object. */
  #write({ name }: Pool, count: number): void {
    const stored = this.#stored(name);
    if (stored === undefined || stored.spec?.count === count) return;
    this.#parts.server.update('NodePool', { ...stored, spec: { ...stored.spec, count } });
  }

  #noteNode(isThere: boolean, { metadata, status }: Node): void {
    const machine = this.#machines.get(metadata.name);
    if (machine === undefined) return;
    const { pool } = machine;
    if (pool === undefined) {
      if (!isThere) this.#machines.delete(metadata.name);
      return;
    }
    const isReady =
      isThere && (status?.conditions ?? []).some((each) => each.type === 'Ready' && each.status === 'True');
    if (isReady === pool.ready.has(metadata.name)) return;
    if (isReady) pool.ready.add(metadata.name);
    else pool.ready.delete(metadata.name);
    this.#tellSoon(pool);
  }

  #tellSoon(pool: Pool): void {
    if (pool.isTelling) return;
    pool.isTelling = true;
    later(this.#parts, TELL_READY_MS, () => {
      pool.isTelling = false;
      this.#tell(pool);
    });
  }

  #tell({ name, selector, present, ready, message }: Pool): void {
    const stored = this.#stored(name);
    if (stored === undefined) return;
    const status: NodePoolStatus = {
      observedGeneration: stored.metadata.generation ?? 0,
      count: present,
      ready: ready.size,
      selector,
      ...(message === undefined ? {} : { message }),
    };
    if (!isSameJson(status, stored.status)) this.#parts.server.update('NodePool', { ...stored, status }, 'status');
  }

  #stored(name: string): NodePoolObject | undefined {
    return this.#parts.server.find('NodePool', { name }) as NodePoolObject | undefined;
  }
}

/** What a Node's name stands for in the cloud. */
class MachineOfNode implements CloudMachine {
  /** `undefined` = it is of none. */
  pool: Pool | undefined;
  readonly #name: string;
  readonly #fleet: PoolParts['fleet'];
  #kubelet: ReturnType<PoolParts['fleet']['kubelet']>;

  constructor(name: string, fleet: PoolParts['fleet']) {
    this.#name = name;
    this.#fleet = fleet;
  }

  get group(): AutoscaledGroup | undefined {
    return this.pool?.isAutoscaled === true ? this.pool : undefined;
  }

  get isThere(): boolean {
    if (this.#kubelet?.isDisposed !== false) this.#kubelet = this.#fleet.kubelet(this.#name);
    return this.#kubelet !== undefined;
  }
}

/** What is done before the cluster runs is done at once. */
function soonOf({ server }: ControlParts, work: () => void): void {
  server.as('kubeloom', work, undefined);
}
