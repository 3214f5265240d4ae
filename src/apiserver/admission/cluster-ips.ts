/** Allocation of cluster IPs out of 10.96.0.0/12 (pkg/registry/core/service/ipallocator, v1.34). */
import { invalid } from '../../api/field-errors.js';
import type { Service } from '../../api/objects.js';
import type { FieldError } from '../../api/resource-kind.js';
import type { RandomStream } from '../../kernel/random.js';
import { assert } from '../../kernel/assert.js';

const FIRST_ADDRESS = (10 << 24) | (96 << 16);
const RANGE_SIZE = 1 << 20;
/** The lowest addresses are left to services that ask for one of them. */
const STATIC_BAND_SIZE = 256;
const HEADLESS = 'None';

/** Hands out cluster IPs; drawn from a stream, as upstream draws them at random. */
export class ClusterIps {
  readonly #random: RandomStream;
  #taken = new Set<string>();

  constructor(random: RandomStream) {
    this.#random = random;
  }

  /** Whether the address that a service asks for can be had. */
  validate(service: Service): readonly FieldError[] {
    const wanted = service.spec.clusterIP;
    if (wanted === undefined || wanted === '' || wanted === HEADLESS || !this.#taken.has(wanted)) return [];
    const why = `failed to allocate IP ${wanted}: provided IP is already allocated`;
    return [invalid('spec.clusterIPs', [wanted], why)];
  }

  /** The service with its address; `None` and services outside the cluster get none. */
  allocate(service: Service): Service {
    const { spec } = service;
    if (spec.type === 'ExternalName') return service;
    const clusterIP = spec.clusterIP === undefined || spec.clusterIP === '' ? this.#draw() : spec.clusterIP;
    if (clusterIP !== HEADLESS) this.#taken.add(clusterIP);
    return {
      ...service,
      spec: {
        ...spec,
        clusterIP,
        clusterIPs: [clusterIP],
        ipFamilies: spec.ipFamilies ?? ['IPv4'],
        ipFamilyPolicy: spec.ipFamilyPolicy ?? 'SingleStack',
      },
    };
  }

  /** Keeps the address that an update leaves out, and allocates one when the service now needs one. */
  reallocate(next: Service, previous: Service): Service {
    if (next.spec === previous.spec) return next;
    if (previous.spec.clusterIP === undefined || next.spec.type === 'ExternalName') {
      this.release(previous);
      return this.allocate(next);
    }
    const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy } = previous.spec;
    return {
      ...next,
      spec: {
        ...next.spec,
        clusterIP: next.spec.clusterIP === undefined || next.spec.clusterIP === '' ? clusterIP : next.spec.clusterIP,
        ...(clusterIPs === undefined ? {} : { clusterIPs: next.spec.clusterIPs ?? clusterIPs }),
        ...(ipFamilies === undefined ? {} : { ipFamilies: next.spec.ipFamilies ?? ipFamilies }),
        ...(ipFamilyPolicy === undefined ? {} : { ipFamilyPolicy: next.spec.ipFamilyPolicy ?? ipFamilyPolicy }),
      },
    };
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
