/**
 * The kinds that the stored definitions have brought, each with a shelf of its own. What is here follows from the
 * definitions alone and is worked out anew when one of them has changed, so that a transaction that is taken back
 * takes its kinds back, too.
 */
import { describeCustomKind, reread, type CustomKind } from '../../api/custom/custom-kind.js';
import type { AskConversion } from '../../api/custom/conversion.js';
import { definitionOf, isCondition } from '../../api/custom/definition.js';
import type { Kind, KindMap } from '../../api/objects/objects.js';
import type { ResourceKind } from '../../api/objects/resource-kind.js';
import type { Shelf } from './shelf.js';

type StoredDefinition = KindMap['CustomResourceDefinition'];

interface Entry {
  readonly definition: StoredDefinition;
  readonly resource: CustomKind;
  readonly shelf: Shelf<Kind>;
}

type CreateShelf = (resource: ResourceKind, hub: Shelf<Kind>['hub'] | undefined) => Shelf<Kind>;

const NONE: readonly CustomKind[] = Object.freeze([]);

/** See the file header. */
export class CustomKinds {
  readonly #definitions: Shelf<'CustomResourceDefinition'>;
  readonly #createShelf: CreateShelf;
  /** By definition: the watches of a kind that goes and comes again hear of its new objects, too. */
  readonly #hubs = new Map<string, Shelf<Kind>['hub']>();
  /** Asks the webhooks by which objects are converted. @defaultValue none is asked */
  ask: AskConversion | undefined;
  readonly #isTaken: (kind: string) => boolean;
  #revision = 0;
  /** By name of the definition. */
  #entries = new Map<string, Entry>();
  /** By kind, where no other has it, and by kind and group. */
  #byKind = new Map<string, Entry>();
  #all = NONE;

  /** @param isTaken - whether a kind is a built-in one */
  constructor(
    definitions: Shelf<'CustomResourceDefinition'>,
    createShelf: CreateShelf,
    isTaken: (kind: string) => boolean,
  ) {
    this.#definitions = definitions;
    this.#createShelf = createShelf;
    this.#isTaken = isTaken;
  }

  /** The shelf of a kind, `Widget` or `Widget.shop.example.com`. */
  shelf(kind: string): Shelf<Kind> | undefined {
    this.#refresh();
    return this.#byKind.get(kind)?.shelf;
  }

  /** The kinds, the same list until one of the definitions changes. */
  get all(): readonly CustomKind[] {
    this.#refresh();
    return this.#all;
  }

  /** What is kept of each. */
  *shelves(): Generator<Shelf<Kind>, undefined> {
    this.#refresh();
    for (const { shelf } of this.#entries.values()) yield shelf;
  }

  #refresh(): void {
    const { table } = this.#definitions;
    if (table.revision === this.#revision) return;
    this.#revision = table.revision;
    const entries = new Map<string, Entry>();
    const byKind = new Map<string, Entry>();
    for (const definition of table.sorted()) {
      const entry = this.#entryOf(definition);
      if (entry === undefined) continue;
      entries.set(definition.metadata.name, entry);
      const { kind, group } = entry.resource;
      if (!this.#isTaken(kind) && !byKind.has(kind)) byKind.set(kind, entry);
      byKind.set(`${kind}.${group}`, entry);
    }
    this.#entries = entries;
    this.#byKind = byKind;
    this.#all = entries.size === 0 ? NONE : [...entries.values()].map(({ resource }) => resource);
  }

  #entryOf(stored: StoredDefinition): Entry | undefined {
    const known = this.#entries.get(stored.metadata.name);
    if (known?.definition === stored) return known;
    const definition = definitionOf(stored);
    if (!isCondition(definition.status, 'Established')) return undefined;
    const isSameSpec = known?.definition.spec === stored.spec && known?.definition.metadata.uid === stored.metadata.uid;
    if (known !== undefined && isSameSpec) {
      const resource = { ...known.resource, custom: { ...known.resource.custom, definition } };
      (known.shelf as { resource: ResourceKind }).resource = resource;
      return { definition: stored, resource, shelf: known.shelf };
    }
    const resource = describeCustomKind(definition, this.ask);
    if (resource === undefined) return undefined;
    if (known?.definition.metadata.uid !== stored.metadata.uid) {
      const { name } = stored.metadata;
      const shelf = this.#createShelf(resource, this.#hubs.get(name));
      this.#hubs.set(name, shelf.hub);
      return { definition: stored, resource, shelf };
    }
    const { shelf } = known;
    (shelf as { resource: ResourceKind }).resource = resource;
    // Defaults and pruning of the new schema show with the next read.
    for (const object of shelf.table.sorted()) {
      const read = reread(object, resource);
      if (read !== object) shelf.table.put(Object.freeze(read));
    }
    return { definition: stored, resource, shelf };
  }
}
