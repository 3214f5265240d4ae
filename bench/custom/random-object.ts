/** Random objects by the schema of their kind: what it allows, and then, now and then, something that it does not. */
import { isFields, valuesSchema, type JsonSchema } from '../../src/api/custom/json-schema.js';
import type { RandomStream } from '../../src/kernel/random.js';

/** How an object is drawn. */
export interface Drawing {
  readonly random: RandomStream;
  /** How likely each value is one that its schema does not allow. 0..1 */
  readonly fault: number;
}

const DEEPEST = 7;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789-._/:';
/** Texts that fit the patterns that definitions use for durations, sizes, names and versions, or nearly. */
const TEXTS: readonly string[] = [
  '',
  'a',
  '30s',
  '1h30m',
  '5m0s',
  '10',
  '1Gi',
  '100m',
  '-1',
  '1.2.3',
  'http://example.com/x',
  'web',
  'Web App',
  '10.0.0.1',
  '2024-01-01T00:00:00Z',
  'a_b',
  'ä€',
  '50%',
  '0s',
  'Web',
  '/',
  '/a/b',
  '*.example.com',
  'example.com/web',
  'example.com',
  '10.0.0.0/8',
  '2001:db8::1',
  '80',
  '200',
  '<=5',
];
const STRAYS: readonly unknown[] = [null, 'text', 3, -1.5, true, [], {}, ['a', 'a'], { a: null }, 1e21];

/** A value of a schema. */
export function randomValue(schema: JsonSchema, drawing: Drawing, depth = 0): unknown {
  const { random, fault } = drawing;
  if (random.unit() < fault) return pick(STRAYS, random);
  if (schema.nullable === true && random.unit() < 0.1) return null;
  if (schema.enum !== undefined && random.unit() > fault) return pick(schema.enum, random);
  if (schema['x-kubernetes-int-or-string'] === true) return random.unit() < 0.5 ? 7 : pick(TEXTS, random);
  switch (schema.type) {
    case 'string':
      return randomText(schema, random);
    case 'integer':
      return randomNumber(schema, random, true);
    case 'number':
      return randomNumber(schema, random, false);
    case 'boolean':
      return random.unit() < 0.5;
    case 'array':
      return randomList(schema, drawing, depth);
    default:
      return randomFields(schema, drawing, depth);
  }
}

function pick<T>(list: readonly T[], random: RandomStream): T {
  return list[Math.floor(random.unit() * list.length)] as T;
}

function below(most: number, random: RandomStream): number {
  return Math.floor(random.unit() * most);
}

/** Those of the texts that a pattern allows. */
const fitting = new Map<string, readonly string[]>();

function textsOf(pattern: string): readonly string[] {
  let texts = fitting.get(pattern);
  if (texts === undefined) {
    texts = TEXTS;
    try {
      const compiled = new RegExp(pattern, 'u');
      texts = TEXTS.filter((text) => compiled.test(text));
    } catch {
      // Go reads it, and JavaScript does not.
    }
    fitting.set(pattern, texts);
  }
  return texts;
}

function randomText({ minLength = 0, maxLength, format, pattern }: JsonSchema, random: RandomStream): string {
  if (format === 'date-time' && random.unit() < 0.8) return '2024-02-29T12:00:00Z';
  const texts = pattern === undefined || random.unit() < 0.15 ? [] : textsOf(pattern);
  if (texts.length > 0) return pick(texts, random);
  if (pattern !== undefined || random.unit() < 0.7) return pick(TEXTS, random);
  const length = Math.max(minLength, below((maxLength ?? 12) + 2, random));
  return Array.from({ length: Math.min(length, 300) }, () => LETTERS.charAt(below(LETTERS.length, random))).join('');
}

function randomNumber({ minimum, maximum }: JsonSchema, random: RandomStream, isWhole: boolean): number {
  const low = minimum ?? -3;
  const high = maximum ?? low + 100;
  const reach = Math.min(high - low, 1e6);
  const value = random.unit() < 0.1 ? low - 1 : random.unit() < 0.1 ? high + 1 : low + random.unit() * reach;
  return isWhole ? Math.round(value) : Math.round(value * 4) / 4;
}

function randomList(schema: JsonSchema, drawing: Drawing, depth: number): unknown {
  const { random } = drawing;
  if (schema.items === undefined || depth > DEEPEST) return [];
  const { items, maxItems = 3 } = schema;
  const list = Array.from({ length: below(Math.min(maxItems, 3) + 2, random) }, () =>
    randomValue(items, drawing, depth + 1),
  );
  // The same one twice, for sets and for lists with keys.
  if (list.length > 1 && random.unit() < 0.15) list[1] = list[0];
  return list;
}

function randomFields(schema: JsonSchema, drawing: Drawing, depth: number): unknown {
  const { random, fault } = drawing;
  const values = valuesSchema(schema);
  const entries: (readonly [string, unknown])[] = [];
  if (values !== undefined) {
    for (let count = below(3, random); count > 0; count -= 1) {
      entries.push([pick(['a', 'b-c', 'd.e', 'app'], random), randomValue(values, drawing, depth + 1)]);
    }
  }
  const { properties = {}, required = [] } = schema;
  const likely = depth > 3 ? 0.08 : 0.25;
  for (const [name, own] of Object.entries(properties)) {
    const isNeeded = required.includes(name) && random.unit() > fault;
    if (depth > DEEPEST && !isNeeded) continue;
    if (isNeeded || random.unit() < likely) entries.push([name, randomValue(own, drawing, depth + 1)]);
  }
  if (random.unit() < fault) entries.push(['notKnown', pick(STRAYS, random)]);
  return Object.fromEntries(entries);
}

/** The schema without what every object has. */
export function specSchema(schema: JsonSchema): JsonSchema {
  const { apiVersion: _version, kind: _kind, metadata: _meta, status: _status, ...own } = schema.properties ?? {};
  return { ...schema, properties: own };
}

/** An object's fields, where a fault has not made it something else. */
export function fieldsOr(value: unknown): Readonly<Record<string, unknown>> {
  return isFields(value) ? value : {};
}
