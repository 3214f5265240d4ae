/** What a random story draws from: numbers, names it has given, and objects that are there. */
import type { RandomStream } from '../../src/kernel/random.js';
import type { SeenObject, ToldStory } from './recorder.js';

/** How the names of a story's own objects begin: a namespace has others besides. */
const NAME = 'x';

/** See the file header. */
export class Dealer {
  readonly #random: RandomStream;
  readonly #story: ToldStory;
  #created = 0;
  /** A node that there is from the start, though it may be gone by now. */
  readonly firstNode: string;

  constructor(random: RandomStream, story: ToldStory, firstNode: string) {
    this.firstNode = firstNode;
    this.#random = random;
    this.#story = story;
  }

  /** An integer, both bounds included. */
  int(least: number, most: number): number {
    return this.#random.int(least, most);
  }

  /** A number in 0..1. */
  unit(): number {
    return this.#random.unit();
  }

  /** Once in so many times. */
  isOneOf(count: number): boolean {
    return this.#random.int(1, count) === 1;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.#random.int(0, list.length - 1)] as T;
  }

  /** A name that was not given before. */
  newName(): string {
    this.#created += 1;
    return `${NAME}${this.#created}`;
  }

  /** One of the names that were given. */
  someName(): string {
    return `${NAME}${this.#random.int(1, Math.max(1, this.#created))}`;
  }

  /** An object of the story's own that is there and not on its way out, with the resource that it is of; `undefined` when there is none. */
  object<R extends string>(
    resources: readonly R[],
    isMeant: (object: SeenObject, resource: R) => boolean = isStaying,
  ): readonly [resource: R, object: SeenObject] | undefined {
    const known = resources.flatMap((resource) =>
      this.#story
        .list(resource)
        .filter((object) => object.metadata.name.startsWith(NAME) && isMeant(object, resource))
        .toSorted((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1))
        .map((object) => [resource, object] as const),
    );
    return known.length === 0 ? undefined : this.pick(known);
  }

  /** The name of such an object. */
  nameOf(resource: string): string | undefined {
    return this.object([resource])?.[1].metadata.name;
  }
}

/** Whether an object has not been told to go. */
export function isStaying({ metadata }: SeenObject): boolean {
  return metadata.deletionTimestamp === undefined;
}
