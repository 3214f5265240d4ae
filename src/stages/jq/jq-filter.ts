/** What a query is made of: a filter takes a value and gives any number of them, one after the other. */
import type { Json } from './jq-values.js';

/** Variables by their names, the innermost first. */
export interface JqScope {
  readonly name: string;
  readonly value: Json;
  readonly outer: JqScope | undefined;
}

export type Filter = (input: Json, scope: JqScope | undefined) => Iterable<Json>;

/** A filter with one answer. */
export function single(answer: (input: Json) => Json): Filter {
  return (input) => [answer(input)];
}

export const IDENTITY: Filter = (input) => [input];

/** Every answer of the second to every answer of the first. */
export function piped(first: Filter, second: Filter): Filter {
  return function* pipe(input, scope) {
    for (const value of first(input, scope)) yield* second(value, scope);
  };
}

/** An answer for each pair of answers; those of the second change last, as jq has it. */
export function paired(first: Filter, second: Filter, answer: (a: Json, b: Json) => Json): Filter {
  return function* pairs(input, scope) {
    for (const b of second(input, scope)) for (const a of first(input, scope)) yield answer(a, b);
  };
}
