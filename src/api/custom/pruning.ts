/**
 * Pruning: what the schema of a custom resource does not know is dropped. Mirrors apiextensions-apiserver's
 * schema/pruning (v1.34).
 */
import { fieldPathText } from '../decoding/decode.js';
import { setOwnField } from '../values/own-fields.js';
import { isFields, propertySchema, valuesSchema, type Fields, type JsonSchema } from './json-schema.js';

const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);
const ROOT = { 'x-kubernetes-embedded-resource': true } as const;

/** What is left of an object, itself where that is everything, and the paths of what was dropped, sorted. */
export interface Pruned {
  readonly object: Fields;
  readonly unknown: readonly string[];
}

/** Prunes a whole custom resource; its kind, version and metadata stay. */
export function pruned(object: Fields, schema: JsonSchema): Pruned {
  const pruner = new Pruner();
  return { object: pruner.prune(object, { ...schema, ...ROOT }) as Fields, unknown: pruner.paths.toSorted() };
}

class Pruner {
  readonly paths: string[] = [];
  readonly #path: (string | number)[] = [];

  /** @param schema - undefined where nothing is known, and so nothing stays */
  prune(value: unknown, schema: JsonSchema | undefined): unknown {
    const keepsUnknown = schema?.['x-kubernetes-preserve-unknown-fields'] === true;
    if (Array.isArray(value)) return this.#list(value, schema, keepsUnknown);
    return isFields(value) ? this.#object(value, schema, keepsUnknown) : value;
  }

  #object(value: Fields, schema: JsonSchema | undefined, keepsUnknown: boolean): Fields {
    let result: Record<string, unknown> | undefined;
    for (const name of Object.keys(value)) {
      if (schema?.['x-kubernetes-embedded-resource'] === true && META_FIELDS.has(name)) continue;
      const below = schema === undefined ? undefined : propertySchema(schema, name);
      const isKnown = below !== undefined || schema?.additionalProperties !== undefined;
      if (isKnown) {
        this.#path.push(name);
        const left = this.prune(value[name], below ?? valuesSchema(schema ?? {}));
        this.#path.pop();
        if (left === value[name]) continue;
        result ??= { ...value };
        setOwnField(result, name, left);
      } else if (!keepsUnknown) {
        if (!META_FIELDS.has(name) || this.#path.length > 0) this.paths.push(fieldPathText([...this.#path, name]));
        result ??= { ...value };
        delete result[name];
      }
    }
    return result ?? value;
  }

  #list(value: readonly unknown[], schema: JsonSchema | undefined, keepsUnknown: boolean): readonly unknown[] {
    const items = schema?.items;
    if (keepsUnknown && items === undefined) return value;
    let result: unknown[] | undefined;
    for (const [index, item] of value.entries()) {
      this.#path.push(index);
      const of = keepsUnknown ? { ...items, 'x-kubernetes-preserve-unknown-fields': true } : items;
      const left = this.prune(item, of);
      this.#path.pop();
      if (left === item) continue;
      result ??= [...value];
      result[index] = left;
    }
    return result ?? value;
  }
}
