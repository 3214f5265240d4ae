/**
 * A phase of a test (pkg/test/simple_test_executor.go): brings objects of its bundle to so many replicas in each of
 * its namespaces. Fewer than there are: the last ones are deleted. As many: all are patched with what their template
 * says now. More: new ones are created. One replica of a whole bundle is one action of the tuning set.
 */
import type { Draft, Kind } from '../../api/objects/objects.js';
import type { LoadPlayer } from '../player/load-player.js';
import type { Action } from '../player/pacing.js';
import { dictOf, type Dict } from '../../templates/values.js';
import type { ObjectTemplate, Phase } from './load-config.js';
import type { TemplateFiles } from './template-files.js';
import type { TuningSets } from './tuning-sets.js';

/** What phases work with. */
export interface PhaseMeans {
  readonly player: LoadPlayer;
  readonly files: TemplateFiles;
  readonly values: Dict;
  readonly tuningSets: TuningSets;
  readonly namespacePrefix: string;
  /** Told of a kind that is not simulated. */
  readonly onIgnored: (apiVersion: string, kind: string) => void;
}

/** See the file header. */
export class LoadPhases {
  readonly #means: PhaseMeans;
  /** Replicas by namespace, basename, kind and group. */
  readonly #replicas = new Map<string, number>();

  constructor(means: PhaseMeans) {
    this.#means = means;
  }

  /** @returns what went wrong */
  async execute(phase: Phase): Promise<readonly string[]> {
    const errors: string[] = [];
    const actions: Action[] = [];
    const after: (() => void)[] = [];
    for (const namespace of this.#namespacesOf(phase)) {
      const problem = await this.#plan(phase, namespace, actions, after, errors);
      if (problem !== undefined) return [problem];
    }
    await this.#means.tuningSets.execute(phase.tuningSet, actions);
    for (const note of after) note();
    return errors;
  }

  #namespacesOf({ namespaceList, namespaceRange }: Phase): readonly string[] {
    if (namespaceList !== undefined) return namespaceList;
    if (namespaceRange === undefined) return [''];
    const { min, max, basename = this.#means.namespacePrefix } = namespaceRange;
    return Array.from({ length: max - min + 1 }, (_, index) => `${basename}-${min + index}`);
  }

  async #plan(
    { objectBundle, replicasPerNamespace: wanted }: Phase,
    namespace: string,
    actions: Action[],
    after: (() => void)[],
    errors: string[],
  ): Promise<string | undefined> {
    const keys = objectBundle.map((object) => this.#keyOf(namespace, object));
    const present = await Promise.all(
      objectBundle.map((object, index) => this.#present(namespace, object, keys[index] ?? '')),
    );
    const [first] = present;
    if (first === undefined) return undefined;
    const uneven = present.findIndex((count) => count !== first);
    if (uneven !== -1) {
      const [name, before] = [objectBundle[uneven]?.basename, objectBundle[uneven - 1]?.basename];
      return `bundle error: ${name} has ${present[uneven]} replicas while ${before} has ${present[uneven - 1]}`;
    }
    const add = (index: number, objects: readonly ObjectTemplate[], verb: Verb): void => {
      const { progress } = this.#means.player;
      progress.total += objects.length;
      actions.push(() =>
        this.#act(verb, objects, namespace, index, errors).finally(() => (progress.done += objects.length)),
      );
    };
    const reversed = [...objectBundle].reverse();
    for (let index = wanted; index < first; index += 1) add(index, reversed, 'delete');
    if (first === wanted) for (let index = 0; index < wanted; index += 1) add(index, objectBundle, 'patch');
    for (let index = first; index < wanted; index += 1) add(index, objectBundle, 'create');
    after.push(() => keys.forEach((key) => this.#replicas.set(key, wanted)));
    return undefined;
  }

  #keyOf(namespace: string, { basename, objectTemplatePath }: ObjectTemplate): string {
    const [kind] = this.#means.files.kindsOf(objectTemplatePath);
    return `${namespace}|${basename}|${kind?.kind ?? ''}|${kind?.apiVersion ?? ''}`;
  }

  /** Of objects that the test did not make itself, those that match. */
  async #present(
    namespace: string,
    { objectTemplatePath, unknownObjects }: ObjectTemplate,
    key: string,
  ): Promise<number> {
    const known = this.#replicas.get(key);
    if (known !== undefined || unknownObjects === undefined) return known ?? 0;
    const [template] = this.#means.files.kindsOf(objectTemplatePath);
    const { kinds } = this.#means.player;
    const kind = template === undefined ? undefined : kinds.resolve(template.apiVersion, template.kind);
    if (kind === undefined) return 0;
    const found = await this.#means.player.requests.list(kind, { namespace, labelSelector: unknownObjects });
    return found.length;
  }

  /** Of a bundle that fails the rest is left out, unless it is deleted. */
  async #act(
    verb: Verb,
    objects: readonly ObjectTemplate[],
    namespace: string,
    index: number,
    errors: string[],
  ): Promise<void> {
    for (const object of objects) {
      const name = `${object.basename}-${index}`;
      try {
        if (verb === 'delete') await this.#delete(object, namespace, name);
        else await this.#write(verb, object, namespace, index);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        const doing = { create: 'creation', patch: 'updating', delete: 'deletion' }[verb];
        errors.push(`namespace ${namespace} object ${name} ${doing} error: ${error.message}`);
        if (verb !== 'delete') return;
      }
    }
  }

  async #write(verb: 'create' | 'patch', object: ObjectTemplate, namespace: string, index: number): Promise<void> {
    const { files, player } = this.#means;
    const name = `${object.basename}-${index}`;
    for (const value of files.documents(
      object.objectTemplatePath,
      objectMapping(this.#means.values, object, namespace, index),
    )) {
      const draft = withoutNulls(value) as Draft;
      const kind = this.#kindOf(draft.apiVersion ?? '', draft.kind ?? '');
      if (kind === undefined) continue;
      const place = player.kinds.describe(kind).isNamespaced ? { namespace } : {};
      const named = { ...draft, metadata: { ...draft.metadata, name, ...place } };
      if (verb === 'create') {
        await player.requests.create(kind, named);
        continue;
      }
      const target = { name, ...place };
      if ((await player.requests.get(kind, target)) === undefined) {
        throw new Error(`${player.kinds.describe(kind).plural} "${name}" not found`);
      }
      await player.requests.patch(kind, target, { type: 'merge', body: named });
    }
  }

  async #delete({ objectTemplatePath }: ObjectTemplate, namespace: string, name: string): Promise<void> {
    const { files, player } = this.#means;
    for (const template of files.kindsOf(objectTemplatePath)) {
      const kind = this.#kindOf(template.apiVersion, template.kind);
      if (kind === undefined) continue;
      const place = player.kinds.describe(kind).isNamespaced ? { namespace } : {};
      await player.requests.delete(kind, { name, ...place });
    }
  }

  #kindOf(apiVersion: string, kind: string): Kind | undefined {
    const found = this.#means.player.kinds.resolve(apiVersion, kind);
    if (found === undefined) this.#means.onIgnored(apiVersion, kind);
    return found;
  }
}

/** What a template of an object is rendered with. */
export function objectMapping(
  values: Dict,
  { basename, templateFillMap }: ObjectTemplate,
  namespace: string,
  index: number,
): Dict {
  return new Map([
    ...values,
    ...dictOf(templateFillMap, 'json'),
    ['BaseName', basename],
    ['Index', index],
    ['Name', `${basename}-${index}`],
    ['Namespace', namespace],
  ]);
}

type Verb = 'create' | 'patch' | 'delete';

/** A field that is null is one that is not there. What has none is handed back as it is. */
function withoutNulls(value: unknown): unknown {
  if (!hasNull(value)) return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  return Object.fromEntries(
    Object.entries(value as object)
      .filter(([, each]) => each !== null && each !== undefined)
      .map(([key, each]) => [key, withoutNulls(each)]),
  );
}

function hasNull(value: unknown): boolean {
  if (typeof value !== 'object') return value === undefined;
  if (value === null) return true;
  if (Array.isArray(value)) return value.some((each) => each !== null && hasNull(each));
  for (const key in value) if (hasNull((value as Readonly<Record<string, unknown>>)[key])) return true;
  return false;
}
