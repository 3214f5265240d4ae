import { printed } from '../input-error.js';
import type { Fields } from '../fields.js';

/** The parameters of one workload, and which of them its steps have used. */
export class Parameters {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #used = new Set<string>();

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  /** Those that no step has used, which is a mistake to upstream as well. */
  get unused(): readonly string[] {
    return Object.keys(this.#values).filter((name) => !this.#used.has(name));
  }

  /** The number that stands in `count`, or in the parameter that `countParam` names. */
  count(fields: Fields, fallback?: number): number {
    const given = fields.count('count');
    const reference = fields.optionalText('countParam');
    if (reference === undefined) return given ?? fallback ?? this.#noCount(fields);
    const value = this.#resolve(fields, 'countParam', reference);
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
    throw fields.refusal('countParam', `${reference} must be an integer >= 0, got ${printed(value)}`);
  }

  /** The text that stands in a field, or in the parameter that `<field>Param` names. */
  text(fields: Fields, field: string): string {
    const reference = fields.optionalText(`${field}Param`);
    if (reference === undefined) return fields.text(field);
    fields.skip(field);
    const value = this.#resolve(fields, `${field}Param`, reference);
    if (typeof value === 'string') return value;
    throw fields.refusal(`${field}Param`, `${reference} must be a text, got ${printed(value)}`);
  }

  #resolve(fields: Fields, field: string, reference: string): unknown {
    if (!reference.startsWith('$')) throw fields.refusal(field, `must begin with $, got ${printed(reference)}`);
    const name = reference.slice(1);
    this.#used.add(name);
    if (name in this.#values) return this.#values[name];
    const known = Object.keys(this.#values).join(', ');
    throw fields.refusal(field, `${reference} is not among the params of the workload (${known})`);
  }

  #noCount(fields: Fields): never {
    throw fields.refusal('count', 'is missing, must be an integer >= 0; or name a parameter in countParam');
  }
}
