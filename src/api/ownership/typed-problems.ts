/**
 * What is wrong with an applied body by the types of its fields: a field that is not declared, a value of another type,
 * an item of a list without its keys, or with those of another item. Mirrors the validation of
 * structured-merge-diff's typed objects (v6), in its words.
 */
import { shownNumber } from '../cel/library/number-texts.js';
import { schemaDefault, structFact, type FieldFact, type TypeRef } from '../types/type-facts.js';

type Fields = Readonly<Record<string, unknown>>;

/** The problems of a body, each with the path to where it is. */
export function typedProblems(body: object, key: string): readonly string[] {
  const problems: string[] = [];
  inStruct(body as Fields, key, '', problems);
  return problems;
}

/** The problems of an object that is live, in which items of lists may be there twice. */
export function liveProblems(object: object, key: string): readonly string[] {
  return typedProblems(object, key).filter((problem) => !problem.includes(DUPLICATE));
}

/** Whether a live object is of its type. */
export function isTyped(object: object, key: string): boolean {
  return liveProblems(object, key).length === 0;
}

/** A value that JSON does not have, as Go prints it. */
export class GoValue {
  constructor(
    /** By `%v`. */
    readonly plain: string,
    /** By `%#v`. */
    readonly syntax: string,
    readonly typeName: string,
  ) {}
}

const DUPLICATE = ': duplicate entries for key ';

function inStruct(value: Fields, key: string, path: string, problems: string[]): void {
  const { fields, isOpen = false } = structFact(key) ?? {};
  // One that declares nothing is any object.
  if (fields === undefined || fields.size === 0) return;
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    const fact = fields.get(name);
    const own = `${path}.${name}`;
    if (fact !== undefined) inValue(field, fact.type, own, problems, fact);
    else if (!isOpen) {
      problems.push(`${own}: field not declared in schema`);
      // What comes after it in its map is not looked at.
      return;
    }
  }
}

function inValue(value: unknown, type: TypeRef, path: string, problems: string[], fact?: FieldFact): void {
  if (value === null || value === undefined) return;
  switch (type.form) {
    case 'pointer':
      return inValue(value, type.of, path, problems, fact);
    case 'struct':
      // Types that read themselves have no schema: what is of them is deduced.
      if (type.key.startsWith('apiextensions/v1.JSONSchemaPropsOr')) return;
      if (!isFields(value)) problems.push(`${path}: expected map, got ${plainText(value)}`);
      else inStruct(value, type.key, path, problems);
      return;
    case 'map':
      if (!isFields(value)) problems.push(`${path}: expected map, got ${plainText(value)}`);
      else for (const [name, item] of Object.entries(value)) inValue(item, type.of, `${path}.${name}`, problems);
      return;
    case 'list':
      if (Array.isArray(value)) inList(value, type.of, path, problems, fact);
      else problems.push(`${path}: expected list, got ${plainText(value)}`);
      return;
    default: {
      const problem = scalarProblem(value, type.code);
      if (problem !== undefined) problems.push(`${path}: ${problem}`);
    }
  }
}

function inList(items: readonly unknown[], of: TypeRef, path: string, problems: string[], fact?: FieldFact): void {
  const { listKeys, isSet = false } = fact ?? {};
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const why = listKeys === undefined ? (isSet ? setProblem(item) : undefined) : keyProblem(item, listKeys, of);
    if (why !== undefined) {
      problems.push(`${path}: element ${index}: ${why}`);
      // Nor is what comes after an item that cannot be told from others.
      return;
    }
    const step =
      listKeys === undefined ? (isSet ? setStep(item) : `[${index}]`) : keyStep(item as Fields, listKeys, of);
    if ((listKeys !== undefined || isSet) && seen.has(step)) problems.push(`${path}${DUPLICATE}${step}`);
    seen.add(step);
    inValue(item, of, `${path}${step}`, problems);
  }
}

function setStep(item: unknown): string {
  return `[=${JSON.stringify(item)}]`;
}

function setProblem(item: unknown): string | undefined {
  if (isFields(item)) return "associative list without keys has an element that's a map type";
  if (Array.isArray(item)) return 'not supported: associative list with lists as elements';
  return item === null ? "associative list without keys has an element that's an explicit null" : undefined;
}

function keyProblem(item: unknown, keys: readonly string[], of: TypeRef): string | undefined {
  if (item === null) return 'associative list with keys may not have a null element';
  if (!isFields(item)) return 'associative list with keys may not have non-map elements';
  if (keyTexts(item, keys, of).length > 0) return undefined;
  const names = keys.map((name) => JSON.stringify(name)).join(' ');
  return (
    `associative list with keys has an element that omits all key fields [${names}] ` +
    "(and doesn't have default values for any key fields)"
  );
}

/** `[port=80,protocol="TCP"]`, with what is defaulted. */
function keyStep(item: Fields, keys: readonly string[], of: TypeRef): string {
  return `[${keyTexts(item, keys, of).join(',')}]`;
}

function keyTexts(item: Fields, keys: readonly string[], of: TypeRef): readonly string[] {
  const fields = of.form === 'struct' ? structFact(of.key)?.fields : undefined;
  return [...keys].sort().flatMap((name) => {
    const field = fields?.get(name);
    const value = item[name] === undefined && field !== undefined ? schemaDefault(field) : item[name];
    return value === undefined ? [] : [`${name}=${JSON.stringify(value)}`];
  });
}

const NUMBERS: ReadonlySet<string> = new Set(['i', 'l', 'd']);
/** Scalars that may be numbers or texts. */
const UNTYPED: ReadonlySet<string> = new Set(['q', 'x', 't', 'u']);

function scalarProblem(value: unknown, code: string): string | undefined {
  if (NUMBERS.has(code))
    return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goType(value)}`;
  if (code === 'b') return typeof value === 'boolean' ? undefined : `expected boolean, got ${plainText(value)}`;
  if (UNTYPED.has(code)) {
    const isScalar = ['string', 'number', 'boolean'].includes(typeof value);
    return isScalar ? undefined : `expected any scalar, got ${plainText(value)}`;
  }
  if (code === 'r') return undefined;
  return typeof value === 'string'
    ? undefined
    : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
}

function goType(value: unknown): string {
  if (value instanceof GoValue) return value.typeName;
  if (Array.isArray(value)) return '[]interface {}';
  if (isFields(value)) return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** A value within its wrapper, as Go's `%v` prints it. */
function plainText(value: unknown): string {
  return `&{${plainValue(value)}}`;
}

function plainValue(value: unknown): string {
  if (value instanceof GoValue) return value.plain;
  if (Array.isArray(value)) return `[${value.map(plainValue).join(' ')}]`;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return shownNumber(value);
  if (!isFields(value)) return value === null ? '<nil>' : JSON.stringify(value);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([name, item]) => `${name}:${plainValue(item)}`).join(' ')}]`;
}

/** As Go's `%#v` prints it. */
function goSyntax(value: unknown): string {
  if (value instanceof GoValue) return value.syntax;
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (typeof value === 'number') return shownNumber(value);
  if (!isFields(value)) return value === null ? 'interface {}(nil)' : JSON.stringify(value);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `map[string]interface {}{${entries.map(([name, item]) => `${JSON.stringify(name)}:${goSyntax(item)}`).join(', ')}}`;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof GoValue);
}
