/**
 * Kinds as the files of loads name them: those that every cluster has, and those that definitions have brought to this
 * one, perhaps by an earlier step of the load.
 */
import type { CustomKind } from '../../api/custom/custom-kind.js';
import { resolveKind, resolveResource } from '../../api/kinds/registry.js';
import type { Kind } from '../../api/objects/objects.js';
import type { ResourceKind } from '../../api/objects/resource-kind.js';

/** What is asked for kinds. */
interface KindSource {
  /** The same list until one of them changes. */
  readonly customKinds: readonly CustomKind[];
  describe<K extends Kind>(kind: K): ResourceKind<K>;
}

/** See the file header. */
export class LoadKinds {
  readonly #source: KindSource;

  constructor(source: KindSource) {
    this.#source = source;
  }

  /** The kind of objects with these fields; undefined while the cluster has none. */
  resolve(apiVersion: string, kind: string): Kind | undefined {
    const known = resolveKind(apiVersion, kind);
    if (known !== undefined) return known;
    const found = this.#source.customKinds.find(
      (each) => each.kind === kind && each.custom.versions.some(({ name }) => `${each.group}/${name}` === apiVersion),
    );
    return found === undefined ? undefined : nameOf(found);
  }

  /** The kind that `pods`, `deployments.apps` or `widgets.example.com` means. */
  resolveResource(name: string): Kind | undefined {
    const known = resolveResource(name);
    if (known !== undefined) return known;
    const wanted = name.toLowerCase();
    const found = this.#source.customKinds.find(({ plural, singular, group }) =>
      [plural, singular, `${plural}.${group}`].includes(wanted),
    );
    return found === undefined ? undefined : nameOf(found);
  }

  /** @throws ApiError 404 for a custom kind that is gone */
  describe(kind: Kind): ResourceKind {
    return this.#source.describe(kind);
  }
}

function nameOf({ kind, group }: CustomKind): Kind {
  return `${kind}.${group}` as Kind;
}
