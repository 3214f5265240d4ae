import { printedValue } from '../kernel/printed-value.js';

/** A stage that cannot be used: a user's mistake. */
export class StageError extends Error {
  override readonly name = 'StageError';

  constructor(
    /** Keys and indexes to the field, from the top of the stage. */
    readonly path: readonly (string | number)[],
    /** What is allowed there, and what was found. */
    readonly problem: string,
  ) {
    super(`${fieldText(path)} ${problem}`.trim());
  }

  get field(): string {
    return fieldText(this.path);
  }
}

function fieldText(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? key : `${text}.${key}`;
  }, '');
}

/** A value of a stage with the way to it. */
export class StageField {
  constructor(
    readonly value: unknown,
    readonly path: readonly (string | number)[] = [],
  ) {}

  refuse(allowed: string): never {
    const got = this.value === undefined ? 'nothing' : printedValue(this.value, 60);
    throw new StageError(this.path, `must be ${allowed}, got ${got}`);
  }

  get isAbsent(): boolean {
    return this.value === undefined || this.value === null;
  }

  /** The fields of a mapping; fields beyond those that it may have are refused. */
  fields<const Name extends string>(known: readonly Name[]): Readonly<Record<Name, StageField>> {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      this.refuse(`a mapping of ${known.join(', ')}`);
    const mapping = value as Readonly<Record<string, unknown>>;
    const unknown = Object.keys(mapping).find((key) => !known.some((name) => name === key));
    if (unknown !== undefined)
      throw new StageError(
        [...this.path, unknown],
        `must be one of ${known.join(', ')}, got ${JSON.stringify(unknown)}`,
      );
    const entries = known.map((name) => [name, new StageField(mapping[name], [...this.path, name])] as const);
    return Object.fromEntries(entries) as Record<Name, StageField>;
  }

  items(): readonly StageField[] {
    const { value } = this;
    if (this.isAbsent) return [];
    if (!Array.isArray(value)) this.refuse('a list');
    return (value as readonly unknown[]).map((item, index) => new StageField(item, [...this.path, index]));
  }

  text(): string {
    return typeof this.value === 'string' ? this.value : this.refuse('a text');
  }

  textOr(fallback: string): string {
    return this.isAbsent ? fallback : this.text();
  }

  /** A whole number of 0 or more. */
  count(): number | undefined {
    if (this.isAbsent) return undefined;
    const { value } = this;
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
      ? value
      : this.refuse('a whole number of 0 or more');
  }

  flag(): boolean {
    if (this.isAbsent) return false;
    return typeof this.value === 'boolean' ? this.value : this.refuse('true or false');
  }

  texts(): readonly string[] {
    return this.items().map((item) => item.text());
  }

  /** A mapping of texts. */
  textMap(): readonly (readonly [string, string])[] {
    const { value } = this;
    if (this.isAbsent) return [];
    if (typeof value !== 'object' || Array.isArray(value)) this.refuse('a mapping of texts');
    return Object.entries(value as object).map(([key, each]) => [
      key,
      new StageField(each, [...this.path, key]).text(),
    ]);
  }

  oneOf<const Word extends string>(words: readonly Word[]): Word | undefined {
    if (this.isAbsent) return undefined;
    return words.find((word) => word === this.value) ?? this.refuse(`one of ${words.join(', ')}`);
  }
}
