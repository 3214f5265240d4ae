/**
 * Names that a server drew for objects of users, where its answers were not written down (level `Request`): later
 * requests are for them, whoever sent these. The first name that comes up after a creation is taken for its object's.
 */
import { isFields } from './history.js';

type Mapping = Readonly<Record<string, unknown>>;

interface Unnamed {
  readonly prefix: string;
  readonly name: (name: string) => void;
}

const DRAWN_LENGTH = 5;

/** See the file header. */
export class NamesDrawnThere {
  /** By resource and namespace, in the order of their creation. */
  readonly #unnamed = new Map<string, Unnamed[]>();
  readonly #seen = new Set<string>();

  /** A creation whose object has no name yet. @param give - the object with its name, once it is known */
  await(event: Mapping, body: object, give: (body: object) => void): void {
    const { metadata } = body as { readonly metadata?: unknown };
    if (event['verb'] !== 'create' || !isFields(metadata) || metadata['name'] !== undefined) return;
    const { generateName } = metadata;
    if (typeof generateName !== 'string') return;
    const place = placeOf(event);
    const waiting = this.#unnamed.get(place) ?? [];
    waiting.push({ prefix: generateName, name: (name) => give({ ...body, metadata: { ...metadata, name } }) });
    this.#unnamed.set(place, waiting);
  }

  /** A request that is for an object by its name. */
  see(event: Mapping): void {
    const { objectRef } = event;
    const name = isFields(objectRef) ? objectRef['name'] : undefined;
    if (typeof name !== 'string') return;
    const place = placeOf(event);
    const waiting = this.#unnamed.get(place);
    const key = `${place}/${name}`;
    if (waiting === undefined || this.#seen.has(key)) return;
    this.#seen.add(key);
    const index = waiting.findIndex(({ prefix }) => prefix === name.slice(0, -DRAWN_LENGTH));
    const [found] = index === -1 ? [] : waiting.splice(index, 1);
    found?.name(name);
  }
}

/** The name that an answer shows. */
export function nameIn(answer: unknown): string | undefined {
  const metadata = isFields(answer) ? answer['metadata'] : undefined;
  const name = isFields(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

function placeOf({ objectRef }: Mapping): string {
  if (!isFields(objectRef)) return '';
  const { apiGroup = '', resource, namespace = '' } = objectRef;
  return [apiGroup, resource, namespace].map(String).join('/');
}
