/** What the devices of several requests must have in common (structured/internal/experimental, v1.34). */
import type { DeviceAttribute, DeviceConstraint as StatedConstraint } from '../../../api/objects/device-objects.js';
import type { PooledDevice } from './device-pools.js';

/** What a device is meant for: a request, or an alternative of one. */
export interface RequestName {
  readonly base: string;
  /** Empty for a request without alternatives. */
  readonly alternative: string;
}

/** Holds for all devices that were added and not taken away. */
export interface DeviceConstraint {
  add(request: RequestName, device: PooledDevice): boolean;
  remove(request: RequestName): void;
}

/** The constraint that is stated; undefined for one of no known type. */
export function createConstraint({
  requests = [],
  matchAttribute,
  distinctAttribute,
}: StatedConstraint): DeviceConstraint | undefined {
  const names = new Set(requests);
  if (matchAttribute !== undefined) return new MatchAttribute(names, matchAttribute);
  return distinctAttribute === undefined ? undefined : new HasAttribute(names, distinctAttribute);
}

function concerns(names: ReadonlySet<string>, { base, alternative }: RequestName): boolean {
  if (names.size === 0 || names.has(base)) return true;
  return alternative !== '' && names.has(`${base}/${alternative}`);
}

/** All have the same value; the first says which. */
class MatchAttribute implements DeviceConstraint {
  readonly #names: ReadonlySet<string>;
  readonly #attribute: string;
  #value: DeviceAttribute = {};
  #count = 0;

  constructor(names: ReadonlySet<string>, attribute: string) {
    this.#names = names;
    this.#attribute = attribute;
  }

  add(request: RequestName, device: PooledDevice): boolean {
    if (!concerns(this.#names, request)) return true;
    const value = attributeOf(device, this.#attribute);
    if (value === undefined) return false;
    if (this.#count === 0) this.#value = value;
    else if (!isSameValue(value, this.#value)) return false;
    this.#count += 1;
    return true;
  }

  remove(request: RequestName): void {
    if (concerns(this.#names, request)) this.#count -= 1;
  }
}

/**
 * Upstream takes `distinctAttribute` although its feature gate is off, and compares where values are kept, not what
 * they are: devices need to have the attribute, and that is all (constraint.go).
 */
class HasAttribute implements DeviceConstraint {
  readonly #names: ReadonlySet<string>;
  readonly #attribute: string;

  constructor(names: ReadonlySet<string>, attribute: string) {
    this.#names = names;
    this.#attribute = attribute;
  }

  add(request: RequestName, device: PooledDevice): boolean {
    return !concerns(this.#names, request) || attributeOf(device, this.#attribute) !== undefined;
  }

  remove(): void {
    // Nothing is counted.
  }
}

function attributeOf({ device: { attributes = {} }, pool }: PooledDevice, name: string): DeviceAttribute | undefined {
  const whole = attributes[name];
  if (whole !== undefined) return whole;
  const slash = name.indexOf('/');
  return slash >= 0 && name.slice(0, slash) === pool.driver ? attributes[name.slice(slash + 1)] : undefined;
}

function isSameValue(a: DeviceAttribute, b: DeviceAttribute): boolean {
  if (a.string !== undefined) return a.string === b.string;
  if (a.int !== undefined) return a.int === b.int;
  if (a.bool !== undefined) return a.bool === b.bool;
  return a.version !== undefined && a.version === b.version;
}
