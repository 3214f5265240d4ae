/**
 * Paths into objects as kubectl and definitions write them: `.spec.size`, `.spec.ports[*].name`,
 * `.status.conditions[?(@.type=="Ready")].status`. Mirrors what client-go's util/jsonpath takes of them (v1.34).
 */
import { isFields } from '../../api/custom/json-schema.js';

/** Reads the values at a path. */
export type PathReader = (object: unknown) => readonly unknown[];

type Step = (values: readonly unknown[]) => readonly unknown[];

const NAME = /^\.((?:\\.|[^.[\]\\])+)/;
const QUOTED = /^\[(['"])((?:\\.|(?!\1).)*)\1\]/;
const INDEX = /^\[(-?\d+)\]/;
const RANGE = /^\[(-?\d*):(-?\d*)\]/;
/** Brackets without an index are those of all items. */
const ALL = /^(?:\[\*?\]|\.\*)/;
const FILTER = /^\[\?\(\s*@((?:\.[\w-]+)+)\s*(?:(==|!=|<=|>=|<|>)\s*("[^"]*"|'[^']*'|[\w.+-]+)\s*)?\)\]/;

const readers = new Map<string, PathReader>();
const MOST_REMEMBERED = 512;

/** The reader of a path; one that cannot be read finds nothing. */
export function pathReader(path: string): PathReader {
  let reader = readers.get(path);
  if (reader === undefined) {
    if (readers.size >= MOST_REMEMBERED) readers.clear();
    const steps = stepsOf(path.replace(/^\{(.*)\}$/, '$1').replace(/^\$/, ''));
    reader = (object) => steps?.reduce<readonly unknown[]>((values, step) => step(values), [object]) ?? [];
    readers.set(path, reader);
  }
  return reader;
}

function stepsOf(path: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  let rest = path;
  while (rest !== '') {
    const found = nextStep(rest);
    if (found === undefined) return undefined;
    steps.push(found.step);
    rest = rest.slice(found.length);
  }
  return steps;
}

function nextStep(rest: string): { readonly step: Step; readonly length: number } | undefined {
  const all = ALL.exec(rest);
  if (all !== null) return { step: (values) => values.flatMap(membersOf), length: all[0].length };
  const name = NAME.exec(rest) ?? QUOTED.exec(rest);
  if (name !== null) {
    const key = (name[2] ?? name[1] ?? '').replaceAll(/\\(.)/g, '$1');
    return { step: (values) => values.flatMap((value) => memberOf(value, key)), length: name[0].length };
  }
  const index = INDEX.exec(rest);
  if (index !== null) {
    const at = Number(index[1]);
    const pick = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(at).slice(0, 1) : []);
    return { step: (values) => values.flatMap(pick), length: index[0].length };
  }
  const range = RANGE.exec(rest);
  if (range !== null) {
    const [, from = '', to = ''] = range;
    const pick = (value: unknown): readonly unknown[] =>
      Array.isArray(value) ? value.slice(Number(from), to === '' ? undefined : Number(to)) : [];
    return { step: (values) => values.flatMap(pick), length: range[0].length };
  }
  const filter = FILTER.exec(rest);
  if (filter === null) return undefined;
  const [whole, below = '', operator, literal = ''] = filter;
  const read = pathReader(below);
  const keep = (value: unknown): boolean => {
    const [own] = read(value);
    return own !== undefined && (operator === undefined || compare(own, operator, literalOf(literal)));
  };
  return { step: (values) => values.flatMap((value) => membersOf(value).filter(keep)), length: whole.length };
}

function memberOf(value: unknown, key: string): readonly unknown[] {
  return isFields(value) && Object.hasOwn(value, key) ? [value[key]] : [];
}

function membersOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[];
  return isFields(value)
    ? Object.keys(value)
        .toSorted()
        .map((key) => value[key])
    : [];
}

function literalOf(text: string): unknown {
  if (text.startsWith('"') || text.startsWith("'")) return text.slice(1, -1);
  if (text === 'true' || text === 'false') return text === 'true';
  return Number.isNaN(Number(text)) ? text : Number(text);
}

function compare(left: unknown, operator: string, right: unknown): boolean {
  if (operator === '==') return left === right;
  if (operator === '!=') return left !== right;
  if (typeof left !== typeof right || (typeof left !== 'number' && typeof left !== 'string')) return false;
  const [a, b] = [left, right as typeof left];
  if (operator === '<') return a < b;
  if (operator === '<=') return a <= b;
  return operator === '>' ? a > b : a >= b;
}
