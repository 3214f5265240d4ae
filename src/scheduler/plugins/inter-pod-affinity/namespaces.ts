import type { Selector } from '../../../api/selectors/labels.js';
import type { AnyObject, StringMap } from '../../../api/objects/objects.js';
import type { FrameworkHandle } from '../../framework/interface.js';

/** Where namespaces come from. */
export type NamespaceSource = Pick<FrameworkHandle, 'objects'> & {
  /** Finds one object by its key; without it every object of the kind is looked at. */
  readonly object?: ((kind: string, key: string) => AnyObject | undefined) | undefined;
};

/** The namespaces as the scheduler knows them. */
export class Namespaces {
  readonly #source: NamespaceSource;

  constructor(source: NamespaceSource) {
    this.#source = source;
  }

  /** Labels of a namespace; `undefined` for none, and for a namespace that is not known. */
  labelsOf(name: string): StringMap | undefined {
    const { object } = this.#source;
    if (object !== undefined) return object('Namespace', name)?.metadata.labels;
    for (const { metadata } of this.#source.objects('Namespace')) {
      if (metadata.name === name) return metadata.labels;
    }
    return undefined;
  }

  /** Names of the namespaces with labels that a selector matches. */
  select(selector: Selector): string[] {
    const names: string[] = [];
    for (const { metadata } of this.#source.objects('Namespace')) {
      if (selector.matches(metadata.labels)) names.push(metadata.name);
    }
    return names;
  }
}
