import { nearestWord } from '../kernel/nearest-word.js';
import { printed, type InputError, type SourcePosition } from './input-error.js';
import type { RawDocument, ValuePath } from './yaml-text.js';

/** Where a mapping stands, for messages, and the kind of error that they come in. */
export interface Place {
  readonly path: ValuePath;
  readonly positionOf: RawDocument['positionOf'];
  readonly ErrorType: new (position: SourcePosition, field: string, problem: string) => InputError;
}

/** A mapping of a configuration, read field by field; fields that were never read are refused at the end. */
export class Fields {
  readonly #mapping: Readonly<Record<string, unknown>>;
  readonly #place: Place;
  readonly #asked = new Set<string>();

  /** @throws InputError when `value` is no mapping */
  constructor(value: unknown, place: Place) {
    this.#place = place;
    if (!isMapping(value)) throw this.refusal(undefined, `must be a mapping, got ${printed(value)}`);
    this.#mapping = value;
  }

  /** `file:line`. */
  get position(): SourcePosition {
    return this.#place.positionOf(this.#place.path);
  }

  /** All of it, as it stands. */
  get whole(): Readonly<Record<string, unknown>> {
    return this.#mapping;
  }

  has(field: string): boolean {
    return this.#read(field) !== undefined;
  }

  /** As it stands. */
  value(field: string): unknown {
    return this.#read(field);
  }

  text(field: string): string {
    return this.optionalText(field) ?? this.#missing(field, 'a text');
  }

  optionalText(field: string): string | undefined {
    const value = this.#read(field);
    if (value === undefined || (typeof value === 'string' && value !== '')) return value;
    throw this.refusal(field, `must be a text, got ${printed(value)}`);
  }

  choice<T extends string>(field: string, allowed: readonly T[], fallback?: T): T {
    const value = this.#read(field) ?? fallback;
    const found = allowed.find((each) => each === value);
    if (found !== undefined) return found;
    throw this.refusal(field, `must be one of ${allowed.join(', ')}, got ${printed(value)}`);
  }

  /** A whole number from 0. */
  count(field: string): number | undefined {
    const value = this.#read(field);
    if (value === undefined || (typeof value === 'number' && Number.isInteger(value) && value >= 0)) return value;
    throw this.refusal(field, `must be an integer >= 0, got ${printed(value)}`);
  }

  flag(field: string): boolean {
    const value = this.#read(field) ?? false;
    if (typeof value === 'boolean') return value;
    throw this.refusal(field, `must be true or false, got ${printed(value)}`);
  }

  texts(field: string): readonly string[] {
    const value = this.#read(field) ?? [];
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
    throw this.refusal(field, `must be a list of texts, got ${printed(value)}`);
  }

  /** A mapping of texts, such as labels. */
  textsByName(field: string): Readonly<Record<string, string>> | undefined {
    return this.#byName(field, 'a text', (value): value is string => typeof value === 'string');
  }

  flagsByName(field: string): Readonly<Record<string, boolean>> | undefined {
    return this.#byName(field, 'true or false', (value): value is boolean => typeof value === 'boolean');
  }

  /** A mapping of anything. */
  mapping(field: string): Readonly<Record<string, unknown>> | undefined {
    return this.#byName(field, 'a value', (value): value is unknown => value !== undefined);
  }

  /** A mapping with fields of its own. */
  fields(field: string): Fields {
    return new Fields(this.#read(field) ?? this.#missing(field, 'a mapping'), this.#below(field));
  }

  /** A list of mappings with fields of their own; at least one. */
  list(field: string): readonly Fields[] {
    const value = this.#read(field) ?? this.#missing(field, 'a list');
    if (!Array.isArray(value) || value.length === 0)
      throw this.refusal(field, `must be a list that is not empty, got ${printed(value)}`);
    const place = this.#below(field);
    return value.map((each: unknown, index) => new Fields(each, { ...place, path: [...place.path, index] }));
  }

  /** Takes note of a field that is known and of no consequence. */
  skip(field: string): void {
    this.#asked.add(field);
  }

  /** @throws InputError for the first field that was never read */
  refuseUnknown(): void {
    this.only([...this.#asked].sort());
  }

  /** @throws InputError for the first field that is not among these */
  only(known: readonly string[]): void {
    const unknown = Object.keys(this.#mapping).find((field) => !known.includes(field));
    if (unknown === undefined) return;
    const nearest = nearestWord(unknown, known);
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    throw this.refusal(unknown, `is not known here; known are ${known.join(', ')}${hint}`);
  }

  /** An error about a field, about a value further below, or about the mapping itself. */
  refusal(field: string | ValuePath | undefined, problem: string): InputError {
    const { path, positionOf, ErrorType } = this.#place;
    const below = typeof field === 'string' ? [field] : (field ?? []);
    const whole = [...path, ...below];
    return new ErrorType(positionOf(whole), fieldPath(whole), problem);
  }

  #read(field: string): unknown {
    this.#asked.add(field);
    return this.#mapping[field] ?? undefined;
  }

  #byName<T>(field: string, allowed: string, isAllowed: (value: unknown) => value is T) {
    const value = this.#read(field);
    if (value === undefined) return undefined;
    if (!isMapping(value)) throw this.refusal(field, `must be a mapping, got ${printed(value)}`);
    const wrong = Object.entries(value).find(([, each]) => !isAllowed(each));
    if (wrong === undefined) return value as Readonly<Record<string, T>>;
    throw this.refusal(field, `must hold ${allowed} under ${wrong[0]}, got ${printed(wrong[1])}`);
  }

  #missing(field: string, wanted: string): never {
    throw this.refusal(field, `is missing, must be ${wanted}`);
  }

  #below(field: string): Place {
    return { ...this.#place, path: [...this.#place.path, field] };
  }
}

/** `[0].workloadTemplate[2].count`. */
function fieldPath(path: ValuePath): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
