/** Allocation of node ports out of 30000-32767 (pkg/registry/core/service/portallocator, v1.34). */
import { invalid } from '../../api/errors/field-errors.js';
import type { core, Service } from '../../api/objects/objects.js';
import type { FieldError } from '../../api/objects/resource-kind.js';
import { needsHealthCheckPort, needsNodePorts } from '../../api/objects/service-rules.js';
import type { RandomStream } from '../../kernel/random.js';
import { internalError } from '../store/api-errors.js';

const FIRST_PORT = 30_000;
const LAST_PORT = 32_767;
/** The lowest ports are left to services that ask for one of them, while there are others. */
const STATIC_BAND_SIZE = 86;

/** Hands out node ports; drawn from a stream, as upstream draws them at random. */
export class NodePorts {
  readonly #random: RandomStream;
  #taken = new Set<number>();

  constructor(random: RandomStream) {
    this.#random = random;
  }

  /** Whether the ports that a service asks for can be had; those that `previous` has it may keep. */
  validate({ spec }: Service, previous?: Service): readonly FieldError[] {
    const own = new Set(previous === undefined ? [] : portsOf(previous));
    const check = (port: number | undefined, field: string): FieldError[] => {
      if (port === undefined || port === 0 || own.has(port)) return [];
      if (port < FIRST_PORT || port > LAST_PORT) {
        const range = `The range of valid ports is ${FIRST_PORT}-${LAST_PORT}`;
        return [invalid(field, port, `provided port is not in the valid range. ${range}`)];
      }
      return this.#taken.has(port) ? [invalid(field, port, 'provided port is already allocated')] : [];
    };
    return [
      ...(needsNodePorts(spec) ? (spec.ports ?? []) : []).flatMap(({ nodePort }, index) =>
        check(nodePort, `spec.ports[${index}].nodePort`),
      ),
      ...check(spec.healthCheckNodePort, 'spec.healthCheckNodePort'),
    ];
  }

  /** The service with the ports that it needs; takes what it asks for, and gives back what `previous` had more. */
  allocate(service: Service, previous?: Service): Service {
    for (const port of portsOf(service)) this.#taken.add(port);
    const { spec } = service;
    const ports = [...(spec.ports ?? [])];
    for (const [index, port] of ports.entries()) {
      if (!needsNodePorts(spec) || (port.nodePort ?? 0) !== 0) continue;
      ports[index] = { ...port, nodePort: this.#portLike(port, ports) };
    }
    const needsHealthCheck = needsHealthCheckPort(spec) && (spec.healthCheckNodePort ?? 0) === 0;
    const isChanged = needsHealthCheck || ports.some((port, index) => port !== spec.ports?.[index]);
    const result = isChanged
      ? { ...service, spec: { ...spec, ports, ...(needsHealthCheck ? { healthCheckNodePort: this.#draw() } : {}) } }
      : service;
    if (previous !== undefined) this.#releaseAllBut(previous, new Set(portsOf(result)));
    return result;
  }

  /** Takes the ports of a removed service back. */
  release(service: Service): void {
    for (const port of portsOf(service)) this.#taken.delete(port);
  }

  /** Remembers the allocations of now; the result brings them back. */
  savepoint(): () => void {
    const taken = new Set(this.#taken);
    return () => {
      this.#taken = taken;
    };
  }

  /** One number serves all protocols of a port. */
  #portLike({ port }: core.ServicePort, ports: readonly core.ServicePort[]): number {
    const twin = ports.find((other) => other.port === port && (other.nodePort ?? 0) !== 0);
    return twin?.nodePort ?? this.#draw();
  }

  #draw(): number {
    const size = LAST_PORT - FIRST_PORT + 1;
    if (this.#taken.size >= size)
      throw internalError('Internal error occurred: failed to allocate a nodePort: range is full');
    const hasDynamic = this.#taken.size < size - STATIC_BAND_SIZE;
    for (;;) {
      const port = this.#random.int(hasDynamic ? FIRST_PORT + STATIC_BAND_SIZE : FIRST_PORT, LAST_PORT);
      if (this.#taken.has(port)) continue;
      this.#taken.add(port);
      return port;
    }
  }

  #releaseAllBut(service: Service, kept: ReadonlySet<number>): void {
    for (const port of portsOf(service)) if (!kept.has(port)) this.#taken.delete(port);
  }
}

/** Every port of the nodes that a service has or asks for. */
function portsOf({ spec }: Service): readonly number[] {
  const ports = (spec.ports ?? []).map(({ nodePort = 0 }) => nodePort);
  return [...ports, spec.healthCheckNodePort ?? 0].filter((port) => port !== 0);
}
