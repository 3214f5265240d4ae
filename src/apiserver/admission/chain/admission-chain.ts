/**
 * The plugins of admission in their order: the first phase of all of them, then, once the object is valid, the second
 * of all of them (staging/src/k8s.io/apiserver/pkg/admission/chain.go, v1.34). Which plugins see a subject is looked up
 * once: a request that none of them sees costs that lookup.
 */
import type { Kind } from '../../../api/objects/objects.js';
import type { ResourceKind } from '../../../api/objects/resource-kind.js';
import type { AdmissionPlugin } from './admission-plugin.js';
import type { AdmissionOperation, Attributes } from './attributes.js';

type Plugins = readonly AdmissionPlugin[];

/** See the file header. */
export class AdmissionChain {
  readonly #plugins: Plugins;
  readonly #sources: NonNullable<AdmissionPlugin['sources']>;
  #seen = new WeakMap<object, Map<string, Map<AdmissionOperation, Plugins>>>();
  #revision = 0;
  readonly #waiting: Plugins;

  constructor(plugins: Plugins) {
    this.#plugins = plugins;
    this.#sources = [...new Set(plugins.flatMap(({ sources = [] }) => sources))];
    this.#waiting = plugins.filter(({ mayWait }) => mayWait === true);
  }

  /** Whether a plugin may have requests wait: one that has ever had something to ask for. */
  get mayWait(): boolean {
    return this.#waiting.some(({ sources = [] }) => sources.some(({ table }) => table.revision > 0));
  }

  /** The plugins that see such a request. */
  seeing<K extends Kind>(operation: AdmissionOperation, resource: ResourceKind<K>, subresource: string): Plugins {
    this.#refresh();
    const known = this.#seen.get(resource)?.get(subresource)?.get(operation);
    if (known !== undefined) return known;
    const subject = { operation, resource: resource as unknown as ResourceKind, subresource };
    const plugins = this.#plugins.filter((each) => each.handles(subject));
    const ofResource = this.#seen.get(resource) ?? new Map<string, Map<AdmissionOperation, Plugins>>();
    const ofPart = ofResource.get(subresource) ?? new Map<AdmissionOperation, Plugins>();
    this.#seen.set(resource, ofResource.set(subresource, ofPart.set(operation, plugins)));
    return plugins;
  }

  /** The first phase; the outcome is `attributes.object`. @throws ApiError, AdmissionPending */
  static mutate<K extends Kind>(plugins: Plugins, attributes: Attributes<K>): void {
    const seen = attributes as unknown as Attributes<Kind>;
    for (const { mutate } of plugins) mutate?.(seen);
    if (!seen.mustReinvoke) return;
    seen.mustReinvoke = false;
    seen.isReinvoked = true;
    for (const { mutate } of plugins) mutate?.(seen);
  }

  /** The second phase. @throws ApiError, AdmissionPending */
  static validate<K extends Kind>(plugins: Plugins, attributes: Attributes<K>): void {
    const seen = attributes as unknown as Attributes<Kind>;
    seen.isFinal = true;
    for (const { validate } of plugins) validate?.(seen);
  }

  #refresh(): void {
    let revision = 0;
    for (const { table } of this.#sources) revision += table.revision;
    if (revision === this.#revision) return;
    this.#revision = revision;
    this.#seen = new WeakMap();
  }
}
