/**
 * A mapping of a load test's file, read field by field. Names are found whatever their case, as Go's JSON decoder
 * finds them, and fields that are not known pass, as there. What is wrong is told with file, line and field.
 */
import { nearestWord } from '../../kernel/nearest-word.js';
import { LONGEST_DURATION_MS, LONGEST_TEXT } from '../../kernel/time-units.js';
import { durationOf } from '../../options/durations.js';
import { printed } from '../../workload/input-error.js';
import { readLenientYaml, type RawDocument, type ValuePath } from '../../workload/yaml-text.js';
import { LoadError } from './load-error.js';

/** Plain data by name. */
export type Params = Readonly<Record<string, unknown>>;

/** See the file header. */
export class LoadFields {
  readonly #mapping: Params;
  readonly #path: ValuePath;
  readonly #positionOf: RawDocument['positionOf'];

  /** @throws LoadError when `value` is no mapping */
  constructor(value: unknown, path: ValuePath, positionOf: RawDocument['positionOf']) {
    this.#path = path;
    this.#positionOf = positionOf;
    if (!isMapping(value))
      throw new LoadError(positionOf(path), pathText(path), `must be a mapping, got ${printed(value)}`);
    this.#mapping = value;
  }

  /** The first document of a text; an empty one is an empty mapping. @throws LoadError */
  static ofText(text: string, file: string): LoadFields {
    const [document] = documentsOf(text, file);
    return document === undefined
      ? new LoadFields({}, [], () => file)
      : new LoadFields(document.value, [], document.positionOf);
  }

  /** As it was written. */
  get plain(): Params {
    return this.#mapping;
  }

  has(field: string): boolean {
    return this.value(field) !== undefined;
  }

  value(field: string): unknown {
    return this.#mapping[this.#keyOf(field)] ?? undefined;
  }

  text(field: string): string | undefined;
  text(field: string, standard: string): string;
  text(field: string, standard?: string): string | undefined {
    const value = this.value(field);
    if (value === undefined) return standard;
    if (typeof value === 'string') return value;
    throw this.refusal(field, `must be a text, got ${printed(value)}`);
  }

  requiredText(field: string): string {
    const text = this.text(field, '');
    if (text !== '') return text;
    throw this.refusal(field, 'is missing, must be a text');
  }

  choice<T extends string>(field: string, allowed: readonly T[], standard: T): T {
    const value = this.value(field) ?? standard;
    const found = allowed.find((each) => each === value);
    if (found !== undefined) return found;
    throw this.refusal(field, `must be one of ${allowed.join(', ')}, got ${printed(value)}`);
  }

  integer(field: string, standard: number, least: number): number {
    const value = this.value(field) ?? standard;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least) return value;
    throw this.refusal(field, `must be an integer >= ${least}, got ${printed(value)}`);
  }

  /** A number that is more than 0. */
  positive(field: string, standard?: number): number {
    const value = this.value(field) ?? standard;
    if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
    throw this.refusal(
      field,
      value === undefined ? 'is missing, must be a number > 0' : `must be a number > 0, got ${printed(value)}`,
    );
  }

  flag(field: string, standard: boolean): boolean {
    const value = this.value(field) ?? standard;
    if (typeof value === 'boolean') return value;
    throw this.refusal(field, `must be true or false, got ${printed(value)}`);
  }

  durationMs(field: string, standardMs: number): number {
    const value = this.value(field);
    if (value === undefined) return standardMs;
    const ms = value === 0 ? 0 : durationOf(typeof value === 'string' ? value : undefined);
    if (ms !== undefined && ms <= LONGEST_DURATION_MS) return ms;
    const allowed = ms === undefined ? 'a duration such as 90s, 10m or 1h30m' : LONGEST_TEXT;
    throw this.refusal(field, `must be ${allowed}, got ${printed(value)}`);
  }

  texts(field: string): readonly string[] | undefined {
    const value = this.value(field);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
    throw this.refusal(field, `must be a list of texts, got ${printed(value)}`);
  }

  /** A mapping of anything; empty when it is absent. */
  params(field: string): Params {
    const value = this.value(field) ?? {};
    if (isMapping(value)) return value;
    throw this.refusal(field, `must be a mapping, got ${printed(value)}`);
  }

  /** A mapping with fields of its own. */
  fields(field: string): LoadFields | undefined {
    const value = this.value(field);
    return value === undefined ? undefined : new LoadFields(value, this.#below(field), this.#positionOf);
  }

  /** @throws LoadError for the first field that is not among these */
  only(known: readonly string[]): void {
    const unknown = Object.keys(this.#mapping).find((field) => !known.includes(field));
    if (unknown === undefined) return;
    const nearest = nearestWord(unknown, known);
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    throw this.refusal(unknown, `is not known here; known are ${known.join(', ')}${hint}`);
  }

  /** A mapping without fields in the place of one that is absent. */
  empty(field: string): LoadFields {
    return new LoadFields({}, this.#below(field), this.#positionOf);
  }

  /** These fields, and those of another mapping that are absent here. */
  over(other: LoadFields): LoadFields {
    return new LoadFields({ ...other.#mapping, ...this.#mapping }, this.#path, this.#positionOf);
  }

  /** A list of mappings; empty when it is absent. */
  list(field: string): readonly LoadFields[] {
    const value = this.value(field) ?? [];
    if (!Array.isArray(value)) throw this.refusal(field, `must be a list, got ${printed(value)}`);
    return value.map((each: unknown, index) => new LoadFields(each, [...this.#below(field), index], this.#positionOf));
  }

  refusal(field: string | undefined, problem: string): LoadError {
    const path = field === undefined ? this.#path : this.#below(field);
    return new LoadError(this.#positionOf(path), pathText(path), problem);
  }

  #below(field: string): ValuePath {
    return [...this.#path, this.#keyOf(field)];
  }

  #keyOf(field: string): string {
    if (Object.hasOwn(this.#mapping, field)) return field;
    const lower = field.toLowerCase();
    return Object.keys(this.#mapping).find((key) => key.toLowerCase() === lower) ?? field;
  }
}

/** All documents of a text; the last of keys that stand twice counts. @throws LoadError */
export function documentsOf(text: string, file: string): RawDocument[] {
  return readLenientYaml(text, file, (position, problem) => new LoadError(position, '', problem));
}

function pathText(path: ValuePath): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

function isMapping(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
