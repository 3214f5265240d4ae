/**
 * Devices of a machine as users describe them, and what their driver publishes of them: a pool a machine, named as its
 * node, in slices of as many devices as one holds.
 */
import {
  MOST_DEVICES,
  type Device,
  type DeviceAttribute,
  type DeviceValue,
  type NodeDevices,
  type ResourceSlice,
} from '../objects/device-objects.js';
import type { Draft } from '../objects/objects.js';

/** What a driver publishes of a machine. @param nodeUid - the slices go with the node */
export function slicesOf(nodeName: string, nodeUid: string, devices: readonly NodeDevices[]): readonly Draft[] {
  const owner = { apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeUid, controller: true };
  return driversOf(devices).flatMap((driver) => {
    const all = devicesOf(devices.filter((each) => each.driver === driver));
    const count = Math.ceil(all.length / MOST_DEVICES);
    return Array.from({ length: count }, (_, index): Draft => {
      const spec: ResourceSlice['spec'] = {
        driver,
        pool: { name: nodeName, generation: 1, resourceSliceCount: count },
        nodeName,
        devices: all.slice(index * MOST_DEVICES, (index + 1) * MOST_DEVICES),
      };
      return { metadata: { generateName: `${nodeName}-${driver}-`, ownerReferences: [owner] }, spec };
    });
  });
}

/** The drivers of a machine, each once. */
export function driversOf(devices: readonly NodeDevices[]): readonly string[] {
  return [...new Set(devices.map(({ driver }) => driver))];
}

/** All devices of a driver. */
export function classOf(driver: string): Draft {
  const expression = `device.driver == ${JSON.stringify(driver)}`;
  return { metadata: { name: driver }, spec: { selectors: [{ cel: { expression } }] } };
}

function devicesOf(groups: readonly NodeDevices[]): readonly Device[] {
  const numbers = new Map<string, number>();
  return groups.flatMap(({ driver, count, namePrefix, attributes = {}, capacity = {} }) => {
    const prefix = namePrefix ?? `${driver.split('.')[0] ?? ''}-`;
    const first = numbers.get(prefix) ?? 0;
    numbers.set(prefix, first + count);
    return Array.from({ length: count }, (_, index): Device => {
      const values = Object.entries(attributes).map(
        ([name, value]) => [name, attributeOf(inTurn(value, index))] as const,
      );
      const amounts = Object.entries(capacity).map(([name, value]) => [name, { value: inTurn(value, index) }] as const);
      return {
        name: `${prefix}${first + index}`,
        ...(values.length === 0 ? {} : { attributes: Object.fromEntries(values) }),
        ...(amounts.length === 0 ? {} : { capacity: Object.fromEntries(amounts) }),
      };
    });
  });
}

function inTurn<T extends DeviceValue | string>(value: T | readonly T[], index: number): T {
  return isList(value) ? (value[index % value.length] as T) : value;
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

function attributeOf(value: DeviceValue): DeviceAttribute {
  if (typeof value === 'string') return { string: value };
  if (typeof value === 'boolean') return { bool: value };
  return typeof value === 'number' ? { int: value } : value;
}
