/** Takes definitions of custom resources through their life, in the name of the API server: the write of a step leads to the next. */
import type { CustomKind } from '../../api/custom/custom-kind.js';
import type { Kind, KindMap } from '../../api/objects/objects.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { ApiServer } from '../store/server-types.js';
import { endingDefinition, nextStep, releasedDefinition } from './definition-steps.js';

type StoredDefinition = KindMap['CustomResourceDefinition'];

/** What it stands on. */
export interface DefinitionMeans {
  readonly server: Pick<ApiServer, 'find' | 'list' | 'change' | 'delete' | 'count' | 'customKinds'>;
  readonly kernel: Pick<Kernel, 'clock' | 'timestamps'>;
  /** Writes of the server's own accord. */
  readonly asItself: (write: () => void) => void;
  readonly isClosed: () => boolean;
}

const KIND = 'CustomResourceDefinition';
/** After which the objects of a definition that is told to go are deleted, as observed. */
const EMPTYING_DELAY_MS = 750;

/** See the file header. */
export class DefinitionLife {
  readonly #means: DefinitionMeans;

  constructor(means: DefinitionMeans) {
    this.#means = means;
  }

  /** As its deletion leaves it: it goes once the objects of its kind are gone. */
  ending(stored: StoredDefinition): StoredDefinition {
    return stored.metadata.deletionTimestamp === undefined ? endingDefinition(stored, this.#present) : stored;
  }

  /**
   * Takes a definition a step further.
   *
   * @param isDue - whether the time has come to delete the objects of a definition that is on its way out
   */
  step(definition: StoredDefinition, isDue = false): void {
    const { server, kernel, asItself, isClosed } = this.#means;
    const { name, uid } = definition.metadata;
    const step = nextStep(definition, server.list(KIND).items, this.#present);
    if (step === undefined) return;
    if (step.does === 'empty' && !isDue) {
      kernel.clock.schedule(EMPTYING_DELAY_MS, () => {
        const present = isClosed() ? undefined : server.find(KIND, { name });
        if (present?.metadata.uid === uid) this.step(present, true);
      });
      return;
    }
    asItself(() => {
      if (step.does === 'status') {
        server.change(KIND, { name }, (current) => ({ ...current, status: step.status }), { subresource: 'status' });
        return;
      }
      if (step.does === 'empty' && !this.#isEmptied(definition)) return;
      // What went with its last object has gone already.
      if (server.find(KIND, { name })?.metadata.uid === uid) server.change(KIND, { name }, releasedDefinition);
    });
  }

  /** The last object of a kind is gone: its definition goes as well, where it waits for that. */
  emptied({ custom: { definition } }: CustomKind): void {
    const { name, deletionTimestamp } = definition.metadata;
    const stored = deletionTimestamp === undefined ? undefined : this.#means.server.find(KIND, { name });
    if (stored !== undefined) this.step(stored, true);
  }

  /** Deletes all objects of a definition's kind. @returns whether none is left that waits for something */
  #isEmptied({ metadata }: StoredDefinition): boolean {
    const { server } = this.#means;
    const resource = server.customKinds.find(({ custom }) => custom.definition.metadata.name === metadata.name);
    if (resource === undefined) return true;
    const kind: Kind = resource.storedAs;
    const going = server.list(kind).items.filter((each) => each.metadata.deletionTimestamp === undefined);
    for (const each of going) server.delete(kind, each.metadata, { propagationPolicy: 'Background' });
    return server.customKinds.includes(resource) && server.count(kind) === 0;
  }

  get #present(): string {
    const { clock, timestamps } = this.#means.kernel;
    return timestamps.toTime(clock.now());
  }
}
