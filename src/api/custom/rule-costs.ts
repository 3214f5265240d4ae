/** What the rules of a definition may cost (apiextensions-apiserver's apis/apiextensions/validation, v1.34). */
import { forbidden } from '../errors/field-errors.js';
import type { FieldError } from '../objects/resource-kind.js';

const MOST_FOR_RULE = 10_000_000n;
const MOST_FOR_SCHEMA = 100_000_000n;
const MOST_SHOWN = 4;
const LARGEST = 0xffff_ffff_ffff_ffffn;

/** The costs of the rules of a schema so far. */
export class RuleCosts {
  readonly #isUnlimited: boolean;
  #total = 0n;
  #expensive: { readonly path: string; readonly cost: bigint }[] = [];

  /** @param isUnlimited - no rule is refused by itself, as those of a schema that an update leaves as it was */
  constructor(isUnlimited: boolean) {
    this.#isUnlimited = isUnlimited;
  }

  /** What is wrong with the cost of one expression. @param what - such as `estimated rule cost` */
  note(path: string, what: string, cost: bigint): readonly FieldError[] {
    this.#total = this.#total + cost > LARGEST ? LARGEST : this.#total + cost;
    if (cost >= MOST_FOR_SCHEMA / 100n) {
      this.#expensive = [...this.#expensive, { path, cost }]
        .toSorted((a, b) => (a.cost === b.cost ? 0 : a.cost > b.cost ? -1 : 1))
        .slice(0, MOST_SHOWN);
    }
    if (this.#isUnlimited || cost <= MOST_FOR_RULE) return [];
    return [forbidden(path, beyond(what, cost, MOST_FOR_RULE))];
  }

  /** What is wrong with the cost of all of them. */
  errors(path: string): readonly FieldError[] {
    if (this.#total <= MOST_FOR_SCHEMA) return [];
    const share = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...this.#expensive.map((each) => forbidden(each.path, share)),
      forbidden(path, beyond(what, this.#total, MOST_FOR_SCHEMA)),
    ];
  }
}

function beyond(what: string, cost: bigint, limit: bigint): string {
  const times = Number(cost) / Number(limit);
  const factor = times > 100 ? 'more than 100x' : `${times.toFixed(times < 1.5 ? 6 : 1)}x`;
  const advice =
    'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';
  return `${what} exceeds budget by factor of ${factor} (${advice})`;
}
