/** Where objects of the kinds that are recorded are served: those that are simulated, and those of definitions. */
import { USUAL_KINDS } from '../../api/kinds/optional-kinds.js';
import { kindRegistry } from '../../api/kinds/registry.js';
import type { Kind } from '../../api/objects/objects.js';
import { isFields } from '../history/history.js';

type Mapping = Readonly<Record<string, unknown>>;

/** How a kind is asked for. */
export interface RecordedResource {
  /** As objects tell it. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

const OWN_GROUP = 'kubeloom.dev';
/** Are told anew by any server, or say what a server serves. */
const SERVERS_OWN: readonly Kind[] = ['Event', 'Lease', 'APIService', 'FlowSchema', 'PriorityLevelConfiguration'];
const DEFINITION: Kind = 'CustomResourceDefinition';

/** See the file header. */
export class RecordedKinds {
  readonly #resources = new Map<Kind, RecordedResource>();

  constructor() {
    for (const kind of USUAL_KINDS) {
      const { group, version, plural } = kindRegistry[kind];
      if (group === OWN_GROUP || SERVERS_OWN.includes(kind)) continue;
      this.#resources.set(kind, { name: kind, group, version, plural });
    }
  }

  /** All that are known by now. */
  get kinds(): readonly Kind[] {
    return [...this.#resources.keys()];
  }

  /** @param kind - one of {@link kinds} */
  resource(kind: Kind): RecordedResource {
    return this.#resources.get(kind) as RecordedResource;
  }

  /** The kind that an object defines; `undefined` where it is no definition, or of a kind that is known. */
  define(kind: Kind, { spec }: Mapping): Kind | undefined {
    if (kind !== DEFINITION || !isFields(spec) || !isFields(spec['names'])) return undefined;
    const { group, names, versions } = spec;
    if (typeof group !== 'string' || !Array.isArray(versions)) return undefined;
    const served = (versions as readonly Mapping[]).filter(({ served: isServed }) => isServed === true);
    const version = (served.find(({ storage }) => storage === true) ?? served[0])?.['name'];
    const { kind: name, plural } = names;
    if (typeof version !== 'string' || typeof name !== 'string' || typeof plural !== 'string') return undefined;
    const custom = `${name}.${group}` as Kind;
    const isKnown = this.#resources.has(custom);
    this.#resources.set(custom, { name, group, version, plural });
    return isKnown ? undefined : custom;
  }
}
