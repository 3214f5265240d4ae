/**
 * The pools of devices that a node can reach (structured/internal/experimental/pools_experimental.go, v1.34). Where
 * upstream takes slices and pools in the order of a Go map, they come here in the order of their names.
 */
import type { Device, ResourceSlice } from '../../../api/objects/device-objects.js';
import type { Node } from '../../../api/objects/objects.js';
import { compileNodeSelector, type CompiledNodeSelector } from '../../../api/selectors/node-affinity.js';

/** A device with its place; unlike its name, `id` is its own in the cluster. */
export interface PooledDevice {
  readonly device: Device;
  readonly id: string;
  readonly pool: DevicePool;
  readonly slice: ResourceSlice;
}

/** The slices of a pool's newest generation, as far as a node can reach them. */
export interface DevicePool {
  readonly driver: string;
  readonly name: string;
  /** Not all of its slices are there. */
  readonly isIncomplete: boolean;
  /** Why nothing may be taken from it. */
  readonly invalidReason: string | undefined;
  readonly devices: readonly PooledDevice[];
}

/** The name of a device in the cluster; neither drivers nor devices have a slash in theirs. */
export function deviceId(device: { readonly driver: string; readonly pool: string; readonly device: string }): string {
  return `${device.driver}/${device.pool}/${device.device}`;
}

/** Slices by what they are for, kept up to date from outside. */
export class SliceIndex {
  readonly #byNode = new Map<string, Map<string, ResourceSlice>>();
  /** Slices that more than one node may reach. */
  readonly #shared = new Map<string, ResourceSlice>();
  /** Pools of nodes that reach no shared slice, until one of their slices changes. */
  readonly #pools = new Map<string, readonly DevicePool[]>();

  /** Takes note of a slice that has come, changed or gone. */
  replace(before: ResourceSlice | undefined, after: ResourceSlice | undefined): void {
    if (before !== undefined) this.#shelfOf(before).delete(before.metadata.name);
    if (after !== undefined) this.#shelfOf(after).set(after.metadata.name, after);
  }

  #shelfOf({ spec: { nodeName = '' } }: ResourceSlice): Map<string, ResourceSlice> {
    if (nodeName === '') return this.#shared;
    this.#pools.delete(nodeName);
    let slices = this.#byNode.get(nodeName);
    if (slices === undefined) this.#byNode.set(nodeName, (slices = new Map<string, ResourceSlice>()));
    return slices;
  }

  /** The pools that a node can reach. */
  poolsOf(node: Pick<Node, 'metadata'>): readonly DevicePool[] {
    const { name } = node.metadata;
    const own = this.#byNode.get(name)?.values() ?? [];
    if (this.#shared.size > 0) {
      const reached = [...this.#shared.values()].filter((slice) => reaches(slice, node));
      if (reached.length > 0) return poolsOf([...own, ...reached]);
    }
    let pools = this.#pools.get(name);
    if (pools === undefined) this.#pools.set(name, (pools = poolsOf([...own])));
    return pools;
  }
}

const selectors = new WeakMap<object, CompiledNodeSelector>();

function reaches({ spec: { allNodes, nodeSelector } }: ResourceSlice, { metadata }: Pick<Node, 'metadata'>): boolean {
  if (allNodes === true) return true;
  if (nodeSelector === undefined) return false;
  let selector = selectors.get(nodeSelector);
  if (selector === undefined) selectors.set(nodeSelector, (selector = compileNodeSelector(nodeSelector)));
  return selector.matches(metadata.labels, metadata.name);
}

function poolsOf(slices: readonly ResourceSlice[]): readonly DevicePool[] {
  const byPool = new Map<string, ResourceSlice[]>();
  for (const slice of slices.toSorted(byName)) {
    const { driver, pool } = slice.spec;
    const key = `${driver}/${pool.name}`;
    const known = byPool.get(key) ?? [];
    const newest = known[0]?.spec.pool.generation ?? pool.generation;
    if (pool.generation < newest) continue;
    if (pool.generation > newest) byPool.set(key, [slice]);
    else byPool.set(key, [...known, slice]);
  }
  return [...byPool].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, own]) => poolOf(own));
}

function byName(a: ResourceSlice, b: ResourceSlice): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

function poolOf(slices: readonly ResourceSlice[]): DevicePool {
  const [{ spec } = NO_SLICE] = slices;
  const { driver } = spec;
  const { name, resourceSliceCount } = spec.pool;
  const seen = new Set<string>();
  let twin: string | undefined;
  const devices: PooledDevice[] = [];
  const pool: DevicePool = {
    driver,
    name,
    isIncomplete: slices.length !== resourceSliceCount,
    get invalidReason() {
      return twin === undefined ? undefined : `duplicate device name ${twin}`;
    },
    devices,
  };
  for (const slice of slices) {
    for (const device of slice.spec.devices ?? []) {
      if (seen.has(device.name)) twin ??= device.name;
      seen.add(device.name);
      devices.push({ device, id: deviceId({ driver, pool: name, device: device.name }), pool, slice });
    }
  }
  return pool;
}

const NO_SLICE: Pick<ResourceSlice, 'spec'> = {
  spec: { driver: '', pool: { name: '', generation: 0, resourceSliceCount: 0 } },
};
