/** What JSON schemas are put together from. Draft 7, which every editor's YAML support reads. */

/** A schema, or a part of one. */
export type Shape = Readonly<Record<string, unknown>>;
export type Shapes = Readonly<Record<string, Shape>>;

export const TEXT: Shape = { type: 'string', minLength: 1 };
export const FLAG: Shape = { type: 'boolean' };
export const ANYTHING: Shape = {};
export const MAPPING: Shape = { type: 'object' };
export const TEXTS: Shape = { type: 'array', items: { type: 'string' } };
export const TEXTS_BY_NAME: Shape = { type: 'object', additionalProperties: { type: 'string' } };

const DURATION_PATTERN = '^\\s*(?:0|(?:\\d+(?:\\.\\d+)?(?:ms|s|m|h|d))+)\\s*$';
export const DURATION_TEXT: Shape = { type: 'string', pattern: DURATION_PATTERN, examples: ['30s', '10m', '1h30m'] };
const MILLISECONDS: Shape = { type: 'number', minimum: 0 };

/** Milliseconds, or the text of a duration. */
export const DURATION: Shape = anyOf(DURATION_TEXT, MILLISECONDS);

/** As scenario files have it: 0, or the text of a duration. */
export const MOMENT: Shape = anyOf(DURATION_TEXT, { const: 0 });

const CALL: Shape = {
  type: 'string',
  pattern: '^\\s*(?:uniform|exponential|lognormal|choice)\\s*\\([^)]*\\)\\s*$',
  examples: ['uniform(1s, 5s)', 'exponential(10s)', 'lognormal(10s, 0.5)', 'choice(1s, 1m)'],
};

/** Milliseconds, or a text that may be drawn. */
export const DRAWN_TEXT: Shape = anyOf(DURATION_TEXT, CALL, MILLISECONDS);

/** A duration that may be drawn, as plain data. */
export const DISTRIBUTION: Shape = anyOf(
  MILLISECONDS,
  fields({ uniform: { type: 'array', items: MILLISECONDS, minItems: 2, maxItems: 2 } }, ['uniform']),
  fields({ exponential: { type: 'object', properties: { meanMs: MILLISECONDS }, required: ['meanMs'] } }, [
    'exponential',
  ]),
  fields(
    {
      lognormal: {
        type: 'object',
        properties: { medianMs: MILLISECONDS, sigma: MILLISECONDS },
        required: ['medianMs', 'sigma'],
      },
    },
    ['lognormal'],
  ),
  fields({ choice: { type: 'array', items: MILLISECONDS, minItems: 1 } }, ['choice']),
);

/** The same, or a text. */
export const DRAWN: Shape = anyOf(DURATION_TEXT, CALL, DISTRIBUTION);

export function integer(minimum?: number, maximum?: number): Shape {
  return {
    type: 'integer',
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
  };
}

export function number(minimum: number, maximum?: number): Shape {
  return { type: 'number', minimum, ...(maximum === undefined ? {} : { maximum }) };
}

export function oneWord(...words: readonly string[]): Shape {
  return { enum: words };
}

export function listOf(items: Shape, minItems = 0): Shape {
  return { type: 'array', items, ...(minItems === 0 ? {} : { minItems }) };
}

export function anyOf(...shapes: readonly Shape[]): Shape {
  return { anyOf: shapes };
}

/** A mapping with these fields and no others. */
export function fields(properties: Shapes, required: readonly string[] = [], besides: Shape = {}): Shape {
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...besides,
  };
}

/** That one of these fields is there, and one alone. */
export function exactlyOne(names: readonly string[]): Shape {
  return { oneOf: names.map((name) => ({ required: [name] })) };
}

/** That none of these fields is there. */
export function without(...names: readonly string[]): Shape {
  return { not: { anyOf: names.map((name) => ({ required: [name] })) } };
}

export function ref(name: string): Shape {
  return { $ref: `#/definitions/${name}` };
}
