/**
 * Faults of a JSON text that parsers pass over, in the order of the text: fields that a type does not know, whatever
 * is in them, and fields that stand twice in one object, of which the last one counts. Mirrors the strict decoder of
 * sigs.k8s.io/json.
 */
import { structFact, type TypeRef } from '../types/type-facts.js';
import { fieldPathText, unknownFieldText } from './decode.js';

/** A text, or what JSON has between values; numbers and words are passed over. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]/gs;

interface Level {
  /** Names of an object's fields so far; absent in a list. */
  readonly names: Set<string> | undefined;
  /** What the object or list is of; absent where nothing is looked at. */
  readonly type: TypeRef | undefined;
  /** The field, or the index, at which the text is. */
  at: string | number;
  isAtName: boolean;
}

/** What may have any fields. */
interface Anything {
  readonly form: 'map';
  readonly of: TypeRef;
}

const ANYTHING: Anything = {
  form: 'map',
  get of() {
    return ANYTHING;
  },
};

/** Texts such as `duplicate field "spec.replicas"`, each once, of JSON whose type is not known. */
export function duplicateFields(text: string): readonly string[] {
  return faultsOf(text, ANYTHING);
}

/**
 * Texts such as `unknown field "spec.foo"` and `duplicate field "spec.replicas"`, each once.
 *
 * @param text - JSON
 * @param typeKey - of the type of the whole
 */
export function textFaults(text: string, typeKey: string): readonly string[] {
  return faultsOf(text, { form: 'struct', key: typeKey });
}

function faultsOf(text: string, whole: TypeRef): readonly string[] {
  const found = new Set<string>();
  const levels: Level[] = [];
  for (const [token] of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[') {
      const type = level === undefined ? whole : typeAt(level);
      const isList = token === '[';
      levels.push({ names: isList ? undefined : new Set(), type, at: isList ? 0 : '', isAtName: !isList });
    } else if (token === '}' || token === ']') levels.pop();
    else if (level !== undefined && token === ',') {
      if (typeof level.at === 'number') level.at += 1;
      else level.isAtName = true;
    } else if (level?.names !== undefined && level.isAtName) {
      level.isAtName = false;
      level.at = JSON.parse(token) as string;
      const fault = faultOf(level, level.at, levels);
      if (fault !== undefined) found.add(fault);
      level.names.add(level.at);
    }
  }
  return [...found];
}

function faultOf({ names, type }: Level, name: string, levels: readonly Level[]): string | undefined {
  if (type === undefined) return undefined;
  const path = (): (string | number)[] => levels.map(({ at }) => at);
  if (type.form === 'struct' && structFact(type.key)?.fields.has(name) === false) return unknownFieldText(path());
  return names?.has(name) === true ? `duplicate field "${fieldPathText(path())}"` : undefined;
}

/** Of the value at which a level is. */
function typeAt({ type, at }: Level): TypeRef | undefined {
  if (type?.form === 'struct') {
    const field = typeof at === 'string' ? structFact(type.key)?.fields.get(at)?.type : undefined;
    return reached(field);
  }
  return type?.form === 'list' || type?.form === 'map' ? reached(type.of) : undefined;
}

/** The type behind pointers; nothing for what is kept as it is written. */
function reached(type: TypeRef | undefined): TypeRef | undefined {
  if (type?.form === 'pointer') return reached(type.of);
  return type?.form === 'scalar' ? undefined : type;
}
