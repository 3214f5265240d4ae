/** Queries as kwok asks them: what is null is left out, and an error is no answer at all (pkg/utils/expression). */
import { parseQuery } from './jq-parser.js';
import { JqError } from './jq-tokens.js';
import type { Json } from './jq-values.js';

/** A query that was read. */
export type Query = (value: Json) => readonly Json[] | undefined;

/** @throws JqError */
export function readQuery(text: string): Query {
  const filter = parseQuery(text);
  return (value) => {
    try {
      return [...filter(value, undefined)].filter((each) => each !== null);
    } catch (error) {
      if (error instanceof JqError) return undefined;
      throw error;
    }
  };
}
