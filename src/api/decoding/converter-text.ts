/** What apimachinery's converter of unstructured objects says of wrong types (runtime/converter.go, v1.34). */
import { typeKeys } from '../types/type-facts.js';

/** Go's kinds of what JSON holds. */
const KINDS: Readonly<Record<string, string>> = { number: 'int64', object: 'map', array: 'slice' };
let structs: ReadonlySet<string> | undefined;

/** Go's names of the structs, such as `v1.Container`; any other named type is of texts. */
function structNames(): ReadonlySet<string> {
  structs ??= new Set(typeKeys().map((key) => `v${key.slice(key.lastIndexOf('/v') + 2)}`));
  return structs;
}

const SIMPLE_TYPES: ReadonlySet<string> = new Set(['string', 'bool', 'int32', 'int64', 'float64']);

/** A wrong type as the converter of unstructured objects tells it, which does not say where. */
export function converterText(problem: string): string {
  const [, got = '', type = ''] =
    /^json: cannot unmarshal (.+) into Go struct field \S+ of type (\S+)$/.exec(problem) ?? [];
  if (type === '') return problem;
  const kind = /^number .*[.e]|^number \d{19}/.test(got) ? 'float64' : (KINDS[got.split(' ')[0] ?? ''] ?? got);
  if (SIMPLE_TYPES.has(type)) {
    // Go converts whole numbers to texts, in principle, and fractions to numbers alone.
    const isConvertible = kind === 'int64' ? type !== 'bool' : kind === 'float64' && !/^(?:bool|string)$/.test(type);
    return isConvertible ? `cannot convert ${kind} to ${type}` : `unrecognized type: ${type}`;
  }
  if (type.startsWith('[]')) return `cannot restore slice from ${kind}`;
  if (type.startsWith('map[') || type === 'v1.ResourceList') return `cannot restore map from ${kind}`;
  if (type === 'v1.ObjectMeta' || structNames().has(type)) return `cannot restore struct from: ${kind}`;
  if (!/^v\d/.test(type)) return problem;
  return kind === 'int64' ? `cannot convert ${kind} to ${type}` : 'unrecognized type: string';
}

/** What the decoder said, without what it was about; undefined for another refusal. */
export function decodingProblem(message: string): string | undefined {
  return /cannot be handled as a \w+: (.*)$/s.exec(message)?.[1];
}
