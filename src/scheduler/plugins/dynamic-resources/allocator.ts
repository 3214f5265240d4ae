/**
 * Finds devices for the claims of a pod on one node: claim by claim, request by request, device by device, the first
 * that fits, and back again where that leads nowhere; the first whole solution is taken. Mirrors
 * structured/internal/experimental/allocator_experimental.go (v1.34), which is what upstream's default gates choose.
 */
import type {
  AllocationResult,
  DeviceClass,
  DeviceRequest,
  DeviceSelector,
  ExactDeviceRequest,
  ResourceClaim,
} from '../../../api/objects/device-objects.js';
import { MOST_RESULTS } from '../../../api/objects/device-objects.js';
import { readSelector } from '../../../api/devices/device-selector.js';
import { keyOf } from '../../../api/objects/objects.js';
import { allocationOf, type ChosenDevice, type MetRequest } from './allocation-result.js';
import { createConstraint, type DeviceConstraint, type RequestName } from './device-constraints.js';
import type { DevicePool, PooledDevice } from './device-pools.js';

/** Something is wrong with a claim, a class or a pool: the attempt ends with this error. */
export class AllocationFault extends Error {}

/** What an allocation works with. */
export interface AllocationMeans {
  readonly pools: readonly DevicePool[];
  /** Devices that are allocated, by their id. */
  readonly allocated: ReadonlySet<string>;
  readonly classOf: (name: string) => DeviceClass | undefined;
}

/** The allocations of the claims, one each in their order; undefined where there is none for all. @throws AllocationFault */
export function allocate(
  claims: readonly ResourceClaim[],
  nodeName: string,
  means: AllocationMeans,
): readonly AllocationResult[] | undefined {
  return new Allocation(claims, means).run(nodeName);
}

/** `exceeded`: more devices than an allocation holds, with which no other device would help. */
type Outcome = 'done' | 'none' | 'exceeded';

/** One way to meet a request: the request itself, or one of its alternatives. */
interface Way {
  readonly request: ExactDeviceRequest;
  readonly name: RequestName;
  readonly fullName: string;
  readonly deviceClass: DeviceClass;
  readonly count: number;
  /** All devices there are, where all are asked for. */
  readonly all: readonly PooledDevice[] | undefined;
}

/** A request of a claim. */
interface Wanted {
  readonly name: string;
  readonly hasAlternatives: boolean;
  readonly ways: readonly Way[];
  /** The way that was taken. */
  chosen: number;
}

/** A claim while it is allocated. */
interface OpenClaim {
  readonly claim: ResourceClaim;
  readonly wanted: readonly Wanted[];
  readonly constraints: readonly DeviceConstraint[];
  readonly chosen: ChosenDevice[];
}

/** Where the search stands. */
interface Place {
  readonly claim: number;
  readonly request: number;
  /** The way that is tried; undefined while it is still to be chosen. */
  readonly way: number | undefined;
  readonly device: number;
}

class Allocation {
  readonly #claims: readonly ResourceClaim[];
  readonly #means: AllocationMeans;
  readonly #open: OpenClaim[] = [];
  /** Devices that this allocation takes, with the claims that they are for. */
  readonly #taken = new Map<string, Set<number>>();
  /** Whether a device answers what a request selects by. */
  readonly #matches = new Map<string, Map<string, boolean>>();

  constructor(claims: readonly ResourceClaim[], means: AllocationMeans) {
    this.#claims = claims;
    this.#means = means;
  }

  run(nodeName: string): readonly AllocationResult[] | undefined {
    for (const [index, claim] of this.#claims.entries()) this.#open.push(this.#opened(claim, index));
    this.#matches.clear();
    const outcome = this.#allocate({ claim: 0, request: 0, way: undefined, device: 0 });
    if (outcome === 'exceeded') throw new AllocationFault('allocation max size exceeded');
    if (outcome === 'none') return undefined;
    return this.#open.map(({ claim, chosen, wanted }) => allocationOf(claim, chosen, wanted.map(metRequest), nodeName));
  }

  #opened(claim: ResourceClaim, claimIndex: number): OpenClaim {
    const { requests = [], constraints = [] } = claim.spec.devices ?? {};
    let least = 0;
    const wanted = requests.map((request, index): Wanted => {
      const own = this.#wanted(claim, claimIndex, request, index);
      least += Math.min(...own.ways.map(({ count }) => count));
      return own;
    });
    if (least > MOST_RESULTS) {
      const text = `number of requested devices ${least} exceeds the claim limit of ${MOST_RESULTS}`;
      throw new AllocationFault(`claim ${keyOf(claim)}: ${text}`);
    }
    const built = constraints.map((stated, index) => {
      const constraint = createConstraint(stated);
      if (constraint !== undefined) return constraint;
      const text = `constraint #${index}: empty constraint (unsupported constraint type?)`;
      throw new AllocationFault(`claim ${keyOf(claim)}, ${text}`);
    });
    return { claim, wanted, constraints: built, chosen: [] };
  }

  #wanted(claim: ResourceClaim, claimIndex: number, stated: DeviceRequest, index: number): Wanted {
    const { name, exactly, firstAvailable = [] } = stated;
    if (firstAvailable.length > 0) {
      // Upstream looks for all devices of an alternative under the number of the one before it: the second finds what
      // the first has found.
      const ways = firstAvailable.map((each, at) => {
        const own = { base: name, alternative: each.name };
        return this.#way(claim, each, own, matchKey(claimIndex, index, Math.max(0, at - 1)));
      });
      return { name, hasAlternatives: true, ways, chosen: 0 };
    }
    const own = { base: name, alternative: '' };
    const request = exactly ?? NO_REQUEST;
    return {
      name,
      hasAlternatives: false,
      ways: [this.#way(claim, request, own, matchKey(claimIndex, index, 0))],
      chosen: 0,
    };
  }

  #way(claim: ResourceClaim, request: ExactDeviceRequest, name: RequestName, key: string): Way {
    const { deviceClassName, selectors = [], allocationMode, count = 0 } = request;
    const shownName = name.alternative === '' ? name.base : name.alternative;
    const fault = (text: string): AllocationFault =>
      new AllocationFault(`claim ${keyOf(claim)}, request ${shownName}${text}`);
    for (const [index, { cel }] of selectors.entries()) {
      if (cel === undefined) throw fault(`, selector #${index}: CEL expression empty (unsupported selector type?)`);
    }
    if (deviceClassName === '') throw fault(': missing device class name (unsupported request type?)');
    const deviceClass = this.#means.classOf(deviceClassName);
    if (deviceClass === undefined) {
      const text = `deviceclass.resource.k8s.io "${deviceClassName}" not found`;
      throw fault(`: could not retrieve device class ${deviceClassName}: ${text}`);
    }
    const fullName = name.alternative === '' ? name.base : `${name.base}/${name.alternative}`;
    const way = { request, name, fullName, deviceClass, count, all: undefined };
    if (allocationMode === 'ExactCount') return way;
    if (allocationMode !== 'All') throw fault(`: unsupported count mode ${allocationMode}`);
    const all: PooledDevice[] = [];
    for (const pool of this.#means.pools) {
      const shownPool = `${pool.driver}/${pool.name}`;
      if (pool.isIncomplete)
        throw fault(`: asks for all devices, but resource pool ${shownPool} is currently being updated`);
      if (pool.invalidReason !== undefined) {
        throw fault(`: asks for all devices, but resource pool ${shownPool} is currently invalid`);
      }
      all.push(...pool.devices.filter((device) => this.#isSelected(device, way, key, claim)));
    }
    return { ...way, count: all.length, all };
  }

  /** Allocates from here on; what it takes it gives back unless all is done. */
  #allocate(place: Place): Outcome {
    const open = this.#open[place.claim];
    if (open === undefined) return 'done';
    const wanted = open.wanted[place.request];
    if (wanted === undefined) {
      const outcome = this.#allocate({ claim: place.claim + 1, request: 0, way: undefined, device: 0 });
      return outcome === 'exceeded' ? 'none' : outcome;
    }
    if (place.way === undefined && wanted.hasAlternatives) return this.#chooseWay(place, wanted);
    const way = wanted.ways[place.way ?? 0] as Way;
    if (way.all?.length === 0) return 'none';
    if (place.device >= way.count) {
      return this.#allocate({ claim: place.claim, request: place.request + 1, way: undefined, device: 0 });
    }
    if (open.chosen.length + way.count - place.device > MOST_RESULTS) return 'exceeded';
    if (way.all !== undefined) return this.#takeNext(place, open, way, way.all);
    return this.#takeAny(place, open, way);
  }

  #chooseWay(place: Place, wanted: Wanted): Outcome {
    let areAllExceeded = true;
    for (const way of wanted.ways.keys()) {
      const outcome = this.#allocate({ ...place, way });
      if (outcome === 'exceeded') continue;
      areAllExceeded = false;
      if (outcome === 'none') continue;
      wanted.chosen = way;
      return 'done';
    }
    return areAllExceeded ? 'exceeded' : 'none';
  }

  /** Of all devices the next one, and no other. */
  #takeNext(place: Place, open: OpenClaim, way: Way, all: readonly PooledDevice[]): Outcome {
    const device = all[place.device] as PooledDevice;
    if (!this.#take(place.claim, open, way, device, true)) return 'none';
    // Upstream forgets which alternative it is at, and goes on with the first.
    const outcome = this.#allocate({ ...place, way: this.#wayAfter(place), device: place.device + 1 });
    if (outcome !== 'done') this.#giveBack(place.claim, open, way, device);
    return outcome;
  }

  #wayAfter({ way }: Place): number | undefined {
    return way === undefined ? undefined : 0;
  }

  #takeAny(place: Place, open: OpenClaim, way: Way): Outcome {
    const isForAdmin = way.request.adminAccess === true;
    const key = matchKey(place.claim, place.request, place.way ?? 0);
    for (const pool of this.#means.pools) {
      if (pool.invalidReason !== undefined) {
        throw new AllocationFault(`pool ${pool.name} is invalid: ${pool.invalidReason}`);
      }
      for (const device of pool.devices) {
        if (isForAdmin ? this.#isTakenFor(device, place.claim) : this.#isInUse(device)) continue;
        if (!this.#isSelected(device, way, key, open.claim)) continue;
        if (!this.#take(place.claim, open, way, device, false)) continue;
        const outcome = this.#allocate({ ...place, device: place.device + 1 });
        if (outcome === 'done') return outcome;
        this.#giveBack(place.claim, open, way, device);
        if (outcome === 'exceeded') return outcome;
      }
    }
    return 'none';
  }

  #isInUse({ id }: PooledDevice): boolean {
    return this.#means.allocated.has(id) || (this.#taken.get(id)?.size ?? 0) > 0;
  }

  #isTakenFor({ id }: PooledDevice, claim: number): boolean {
    return this.#taken.get(id)?.has(claim) === true;
  }

  /** @param isMust - that it cannot be had because of a constraint is an error */
  #take(
    claim: number,
    { constraints, chosen, claim: stored }: OpenClaim,
    way: Way,
    device: PooledDevice,
    isMust: boolean,
  ): boolean {
    const isForAdmin = way.request.adminAccess === true;
    if (isForAdmin ? this.#isTakenFor(device, claim) : this.#isInUse(device)) return false;
    for (const [index, constraint] of constraints.entries()) {
      if (constraint.add(way.name, device)) continue;
      if (isMust) {
        const shown = way.name.alternative === '' ? way.name.base : way.name.alternative;
        const text = `cannot add device ${device.id} because a claim constraint would not be satisfied`;
        throw new AllocationFault(`claim ${keyOf(stored)}, request ${shown}: ${text}`);
      }
      for (const before of constraints.slice(0, index)) before.remove(way.name);
      return false;
    }
    const users = this.#taken.get(device.id);
    if (users === undefined) this.#taken.set(device.id, new Set([claim]));
    else users.add(claim);
    chosen.push({ request: way.fullName, device, isForAdmin });
    return true;
  }

  #giveBack(claim: number, { constraints, chosen }: OpenClaim, way: Way, device: PooledDevice): void {
    for (const constraint of constraints) constraint.remove(way.name);
    this.#taken.get(device.id)?.delete(claim);
    chosen.pop();
  }

  #isSelected(
    device: PooledDevice,
    { deviceClass, request }: Pick<Way, 'deviceClass' | 'request'>,
    key: string,
    claim: ResourceClaim,
  ): boolean {
    let known = this.#matches.get(key);
    if (known === undefined) this.#matches.set(key, (known = new Map<string, boolean>()));
    let matches = known.get(device.id);
    if (matches === undefined) {
      matches =
        isSelected(device, deviceClass.spec.selectors, () => `class ${deviceClass.metadata.name}`) &&
        isSelected(device, request.selectors, () => `claim ${keyOf(claim)}`);
      known.set(device.id, matches);
    }
    return matches;
  }
}

const NO_REQUEST: ExactDeviceRequest = { deviceClassName: '', allocationMode: '' };

function matchKey(claim: number, request: number, alternative: number): string {
  return `${claim}/${request}/${alternative}`;
}

function metRequest({ name, ways, chosen }: Wanted): MetRequest {
  const { fullName, deviceClass } = ways[chosen] as Way;
  return { name, fullName, deviceClass };
}

function isSelected(
  { device, pool }: PooledDevice,
  selectors: readonly DeviceSelector[] = [],
  stated: () => string,
): boolean {
  for (const [index, { cel }] of selectors.entries()) {
    const reading = readSelector(cel?.expression ?? '');
    if ('problem' in reading) {
      throw new AllocationFault(`${stated()}: selector #${index}: CEL compile error: ${reading.problem}`);
    }
    const verdict = reading.selector.judge(device, pool.driver);
    if ('failure' in verdict) {
      throw new AllocationFault(`${stated()}: selector #${index}: CEL runtime error: ${verdict.failure}`);
    }
    if (!verdict.matches) return false;
  }
  return true;
}
