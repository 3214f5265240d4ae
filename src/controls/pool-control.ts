/**
 * Pools of equal nodes as objects: as many machines are there as a pool asks for, named by its prefix and a number.
 * Machines that are too many go with their Nodes, the highest numbers first. A changed shape holds for machines that
 * come from then on.
 */
import type { NodePoolObject, NodePoolSpec, NodePoolStatus } from '../api/objects/own-objects.js';
import type { Node } from '../api/objects/objects.js';
import type { FieldError } from '../api/objects/resource-kind.js';
import { invalid, required } from '../api/errors/field-errors.js';
import { isSameJson } from '../api/values/canonical-json.js';
import { nodeSetups } from '../assembly/node-fleet.js';
import { listen } from '../bus/rx/listen.js';
import { NodeGroupError } from '../workload/node-groups.js';
import { OptionError } from '../options/option-error.js';
import { soon, type ControlParts } from './control-parts.js';

/** On every Node of a pool: the pool's name. */
const POOL_LABEL = 'kubeloom.dev/pool';
const MOST_NODES = 100_000;
/** Ready nodes are counted that long before they are told. */
const TELL_READY_MS = 1000;

interface Pool {
  readonly name: string;
  readonly prefix: string;
  /** Names of its machines, by their numbers. */
  readonly machines: string[];
  readonly ready: Set<string>;
  isTelling: boolean;
  message: string | undefined;
}

/** What is wrong with a pool: its shape is checked as a group of nodes is. */
export function validatePool({ metadata, spec }: NodePoolObject): readonly FieldError[] {
  const { count, ...shape } = spec ?? {};
  if (count === undefined) return [required('spec.count')];
  const allowed = `must be an integer in 0..${MOST_NODES}`;
  if (!Number.isInteger(count) || count < 0 || count > MOST_NODES) return [invalid('spec.count', count, allowed)];
  try {
    nodeSetups([groupOf(metadata.name, shape, 1)]);
    return [];
  } catch (error) {
    if (!(error instanceof NodeGroupError)) throw error;
    const { field, message } = error;
    const [path = ''] = field.replace(/:$/, '').split('.');
    const value = (shape as Readonly<Record<string, unknown>>)[path];
    return [invalid(`spec.${field.replace(/:$/, '')}`, value, message.replace(/^[^:]*: \S+ /, ''))];
  }
}

function groupOf(pool: string, shape: Omit<NodePoolSpec, 'count'>, count: number): Parameters<typeof nodeSetups>[0][0] {
  const { namePrefix = `${pool}-`, labels, ...rest } = shape;
  return { ...rest, count, namePrefix, labels: { ...labels, [POOL_LABEL]: pool } };
}

/** Acts on the pools among the objects of a cluster from now on. */
export function controlPools(parts: ControlParts): void {
  new PoolControl(parts).start();
}

/** See the file header. */
class PoolControl {
  readonly #parts: ControlParts;
  readonly #pools = new Map<string, Pool>();
  readonly #poolOfNode = new Map<string, Pool>();

  constructor(parts: ControlParts) {
    this.#parts = parts;
  }

  start(): void {
    const parts = this.#parts;
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

  /** As many machines as the pool asks for now. */
  #settle(name: string): void {
    const stored = this.#stored(name);
    const { count = 0, ...shape } = stored?.spec ?? {};
    const pool = this.#pools.get(name) ?? createPool(name, shape);
    this.#pools.set(name, pool);
    pool.message = undefined;
    if (count > pool.machines.length) this.#grow(pool, shape, count);
    else this.#shrink(pool, count);
    if (stored === undefined) this.#pools.delete(name);
    else this.#tell(pool);
  }

  #grow(pool: Pool, shape: Omit<NodePoolSpec, 'count'>, count: number): void {
    const { prefix } = pool;
    const [first] = nodeSetups([groupOf(pool.name, { ...shape, zones: [] }, 1)]);
    if (first === undefined) return;
    const { zones = [] } = shape;
    const setups = Array.from({ length: count - pool.machines.length }, (_, offset) => {
      const index = pool.machines.length + offset;
      const zone = zones[index % Math.max(zones.length, 1)];
      const name = `${prefix}${index}`;
      const ofZone = zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone };
      return { ...first, name, labels: { ...first.labels, 'kubernetes.io/hostname': name, ...ofZone } };
    });
    try {
      this.#parts.fleet.add(setups);
    } catch (error) {
      if (!(error instanceof NodeGroupError) && !(error instanceof OptionError)) throw error;
      pool.message = error.message;
      return;
    }
    for (const { name } of setups) {
      pool.machines.push(name);
      this.#poolOfNode.set(name, pool);
    }
  }

  #shrink(pool: Pool, count: number): void {
    const { fleet, server } = this.#parts;
    for (const name of pool.machines.splice(count).toReversed()) {
      this.#poolOfNode.delete(name);
      pool.ready.delete(name);
      fleet.remove(name);
      if (server.find('Node', { name }) !== undefined) server.delete('Node', { name });
    }
  }

  #noteNode(isThere: boolean, { metadata, status }: Node): void {
    const pool = this.#poolOfNode.get(metadata.name);
    if (pool === undefined) return;
    const isReady =
      isThere && (status?.conditions ?? []).some((each) => each.type === 'Ready' && each.status === 'True');
    if (isReady === pool.ready.has(metadata.name)) return;
    if (isReady) pool.ready.add(metadata.name);
    else pool.ready.delete(metadata.name);
    if (pool.isTelling) return;
    pool.isTelling = true;
    this.#parts.kernel.clock.schedule(TELL_READY_MS, () => {
      pool.isTelling = false;
      soon(this.#parts, () => this.#tell(pool));
    });
  }

  #tell({ name, machines, ready, message }: Pool): void {
    const stored = this.#stored(name);
    if (stored === undefined) return;
    const status: NodePoolStatus = {
      observedGeneration: stored.metadata.generation ?? 0,
      count: machines.length,
      ready: ready.size,
      selector: `${POOL_LABEL}=${name}`,
      ...(message === undefined ? {} : { message }),
    };
    if (!isSameJson(status, stored.status)) this.#parts.server.update('NodePool', { ...stored, status }, 'status');
  }

  #stored(name: string): NodePoolObject | undefined {
    return this.#parts.server.find('NodePool', { name }) as NodePoolObject | undefined;
  }
}

function createPool(name: string, { namePrefix = `${name}-` }: Omit<NodePoolSpec, 'count'>): Pool {
  return { name, prefix: namePrefix, machines: [], ready: new Set(), isTelling: false, message: undefined };
}
