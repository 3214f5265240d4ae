/**
 * Reads what a template was rendered to, time after time. Most texts differ from an earlier one of the same template
 * in a few values that stand alone on their lines, such as a name with its number: those are put in the place of the
 * earlier ones, for a twentieth of what reading the text costs. All others are read whole. Both give the same.
 */
import type { RawDocument, ValuePath } from '../../workload/yaml-text.js';
import { isMapping } from '../../options/option-checks.js';
import { documentsOf } from './load-fields.js';

/** Texts that are remembered, by file and number of lines, until all are forgotten. */
const MOST_BASES = 256;
/** Anchors, aliases and tags let a line say something about others. */
const REACHES_OTHERS = /[&*!]/;
/** A value alone on its line, behind its key. */
const ALONE = /^(\s*(?:- )*([\w./-]+):[ ]+)(\S+|"[^"\\]*"|'[^']*')$/;
const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,14})$/;
/** Read as texts without quotes, but for these words. */
const WORD = /^(?:[A-Za-z][\w./-]*|\d+(?:m|k|M|G|Ki|Mi|Gi))$/;
const NOT_WORDS = /^(?:null|true|false)$/i;
const QUOTED = /^(?:"[\w./: -]*"|'[\w./: -]*')$/;

interface Base {
  readonly lines: readonly string[];
  readonly values: readonly unknown[];
  /** Where the value alone on a line belongs, by the index of the line; undefined until a text is compared. */
  places: ReadonlyMap<number, Place> | undefined;
  readonly documents: readonly RawDocument[];
}

/** A value in one of the documents. */
interface Place {
  readonly document: number;
  readonly path: ValuePath;
}

/** See the file header. */
export class RenderedTexts {
  readonly #bases = new Map<string, Base>();

  /**
   * The documents of a text; none when it is empty. They are not to be changed: texts share their parts.
   *
   * @throws LoadError
   */
  valuesOf(text: string, file: string): readonly unknown[] {
    if (REACHES_OTHERS.test(text)) return documentsOf(text, file).map(({ value }) => value);
    const lines = text.split('\n');
    const key = `${lines.length} ${file}`;
    const base = this.#bases.get(key);
    const values = base === undefined ? undefined : likeBase(base, lines);
    if (values !== undefined) return values;
    const documents = documentsOf(text, file);
    const read = documents.map(({ value }) => value);
    if (documents.every(({ duplicates }) => duplicates.length === 0)) {
      if (this.#bases.size >= MOST_BASES) this.#bases.clear();
      this.#bases.set(key, { lines, values: read, places: undefined, documents });
    }
    return read;
  }
}

/** @returns undefined for a text that differs in other things than values alone on their lines */
function likeBase(base: Base, lines: readonly string[]): readonly unknown[] | undefined {
  const values = [...base.values];
  for (const [index, line] of lines.entries()) {
    const before = base.lines[index] ?? '';
    if (line === before) continue;
    base.places ??= placesOf(base);
    const place = base.places.get(index);
    const [, head, , value = ''] = ALONE.exec(line) ?? [];
    if (place === undefined || head === undefined || ALONE.exec(before)?.[1] !== head) return undefined;
    const plain = plainValue(value);
    if (plain === undefined) return undefined;
    values[place.document] = replaced(values[place.document], place.path, 0, plain);
  }
  return values;
}

/** What a value means, where that can be said without its surroundings. */
function plainValue(text: string): string | number | undefined {
  if (WHOLE_NUMBER.test(text)) return Number(text);
  if (QUOTED.test(text)) return text.slice(1, -1);
  return WORD.test(text) && !NOT_WORDS.test(text) ? text : undefined;
}

function placesOf({ lines, documents }: Base): ReadonlyMap<number, Place> {
  const places = new Map<number, Place>();
  const visit = (value: unknown, document: number, path: ValuePath): void => {
    if (Array.isArray(value)) value.forEach((each, index) => visit(each, document, [...path, index]));
    else if (isMapping(value)) for (const [key, each] of Object.entries(value)) visit(each, document, [...path, key]);
    else if (typeof value === 'string' || typeof value === 'number') {
      const index = Number(/:(\d+)$/.exec(documents[document]?.positionOf(path) ?? '')?.[1]) - 1;
      const [, , key, written = ''] = ALONE.exec(lines[index] ?? '') ?? [];
      // A value that goes on in the next line is not the one that is written here.
      if (key === path.at(-1) && plainValue(written) === value) places.set(index, { document, path });
    }
  };
  documents.forEach(({ value }, document) => visit(value, document, []));
  return places;
}

function replaced(value: unknown, path: ValuePath, depth: number, leaf: string | number): unknown {
  const key = path[depth];
  if (key === undefined) return leaf;
  if (Array.isArray(value))
    return value.map((each: unknown, index) => (index === key ? replaced(each, path, depth + 1, leaf) : each));
  if (!isMapping(value)) return value;
  return { ...value, [key]: replaced(value[key], path, depth + 1, leaf) };
}
