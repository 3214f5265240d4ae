/** Allocation of cluster IPs out of 10.96.0.0/12 (pkg/registry/core/service/ipallocator, v1.34). */
import { invalid } from '../../api/errors/field-errors.js';
import type { Service } from '../../api/objects/objects.js';
import type { FieldError } from '../../api/objects/resource-kind.js';
import type { RandomStream } from '../../kernel/random.js';
import { assert } from '../../kernel/assert.js';
import { filledFamilies, validateFamilies } from './ip-families.js';

const FIRST_ADDRESS = (10 << 24) | (96 << 16);
const RANGE_SIZE = 1 << 20;
/** The lowest addresses are left to services that ask for one of them. */
const STATIC_BAND_SIZE = 256;
const RANGE = '10.96.0.0/12';
const HEADLESS = 'None';

/** Hands out cluster IPs; drawn from a stream, as upstream draws them at random. */
export class ClusterIps {
  readonly #random: RandomStream;
  #taken = new Set<string>();

  constructor(random: RandomStream) {
    this.#random = random;
  }

  /** Whether the address and the families that a service asks for can be had; that of `previous` it may keep. */
  validate(service: Service, previous?: Service): readonly FieldError[] {
    const errors = validateFamilies(service, previous);
    if (errors.length > 0) return errors;
    const wanted = service.spec.clusterIP;
    if (wanted === undefined || wanted === '' || wanted === HEADLESS || wanted === previous?.spec.clusterIP) return [];
    const why = isInRange(wanted)
      ? 'provided IP is already allocated'
      : `the provided IP (${wanted}) is not in the valid range. The range of valid IPs is ${RANGE}`;
    if (isInRange(wanted) && !this.#taken.has(wanted)) return [];
    return [invalid('spec.clusterIPs', [wanted], `failed to allocate IP ${wanted}: ${why}`)];
  }

  /** The service with its address; `None` and services outside the cluster get none, and give theirs back. */
  allocate(service: Service, previous?: Service): Service {
    const { spec } = service;
    const former = previous?.spec.clusterIP;
    if (former !== undefined && former !== spec.clusterIP) this.#taken.delete(former);
    if (spec.type === 'ExternalName') return service;
    const clusterIP = spec.clusterIP === undefined || spec.clusterIP === '' ? this.#draw() : spec.clusterIP;
    if (clusterIP !== HEADLESS) this.#taken.add(clusterIP);
    const filled = { clusterIPs: spec.clusterIPs ?? [clusterIP], ...filledFamilies(spec, previous?.spec) };
    const isWhole =
      clusterIP === spec.clusterIP && spec.clusterIPs === filled.clusterIPs && spec.ipFamilies === filled.ipFamilies;
    if (isWhole && spec.ipFamilyPolicy === filled.ipFamilyPolicy) return service;
    return { ...service, spec: { ...spec, clusterIP, ...filled } };
  }

  /** Takes the address of a removed service back. */
  release({ spec }: Service): void {
    if (spec.clusterIP !== undefined) this.#taken.delete(spec.clusterIP);
  }

  /** Remembers the allocations of now; the result brings them back. */
  savepoint(): () => void {
    const taken = new Set(this.#taken);
    return () => {
      this.#taken = taken;
    };
  }

  #draw(): string {
    assert(this.#taken.size < RANGE_SIZE - STATIC_BAND_SIZE - 1, 'no cluster IP is left in 10.96.0.0/12');
    for (;;) {
      const address = addressText(this.#random.int(STATIC_BAND_SIZE + 1, RANGE_SIZE - 2));
      if (!this.#taken.has(address)) return address;
    }
  }
}

function addressText(offset: number): string {
  const address = FIRST_ADDRESS + offset;
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}

/** Whether a text is an address of the range. */
function isInRange(text: string): boolean {
  const parts = text.split('.').map(Number);
  if (parts.length !== 4 || !parts.every((part) => Number.isInteger(part) && part >= 0 && part <= 255)) return false;
  const [first = 0, second = 0] = parts;
  return first === 10 && second >= 96 && second <= 111;
}
