/** What is said of ports that a pod's containers name more than once (pkg/api/pod/warnings.go, v1.34). */
import { count, list, text, type Fields } from '../tables/cells.js';

/** A container, and where it is. */
export interface PlacedContainer {
  readonly container: Fields;
  readonly at: string;
}

interface PlacedPort {
  readonly port: Fields;
  readonly at: string;
}

/** Of all containers of a pod. */
export function portWarnings(containers: readonly PlacedContainer[]): readonly string[] {
  const ports = containers.flatMap(({ container, at }) =>
    list(container, 'ports').map((port, index): PlacedPort => ({ port, at: `${at}.ports[${index}]` })),
  );
  return [...numberWarnings(ports), ...nameWarnings(ports)];
}

function numberWarnings(ports: readonly PlacedPort[]): readonly string[] {
  const seen = new Map<string, PlacedPort[]>();
  return ports.flatMap((placed) => {
    const { port, at } = placed;
    const key = `${count(port['containerPort'])}/${text(port['protocol'])}`;
    const others = seen.get(key) ?? [];
    const told = others.flatMap((other) => {
      const how = overlap(port, other.port);
      return how === undefined ? [] : [`${at}: ${how} port definition with ${other.at}`];
    });
    seen.set(key, [...others, placed]);
    return told;
  });
}

/** How two definitions of one port get in each other's way. */
function overlap(port: Fields, other: Fields): string | undefined {
  const [address, otherAddress] = [text(port['hostIP']), text(other['hostIP'])];
  const [number, otherNumber] = [count(port['hostPort']), count(other['hostPort'])];
  if (address === otherAddress && number === otherNumber) return 'duplicate';
  if (number === 0 || otherNumber === 0) return 'overlapping';
  const isOneOfThem = (address === '') !== (otherAddress === '');
  return number === otherNumber && isOneOfThem ? 'dangerously ambiguous' : undefined;
}

function nameWarnings(ports: readonly PlacedPort[]): readonly string[] {
  const seen = new Map<string, string>();
  return ports.flatMap(({ port, at }) => {
    const name = text(port['name']);
    if (name === '') return [];
    const other = seen.get(name);
    if (other === undefined) {
      seen.set(name, at);
      return [];
    }
    const why = `services and probes that select ports by name will use ${other}`;
    return [`${at}: duplicate port name ${JSON.stringify(name)} with ${other}, ${why}`];
  });
}
