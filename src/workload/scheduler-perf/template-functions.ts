/**
 * What may be called in a template: the functions that scheduler_perf v1.34 registers (getTemplateFuncs
 * in create.go), and Go's `printf`. As there, numbers may be given as texts, and the integer forms cut
 * off what is behind the point.
 */

/** What an expression of a template is worth. */
export type TemplateValue = number | string;

type TemplateFunction = (...values: readonly TemplateValue[]) => TemplateValue;

const sum = (...values: readonly TemplateValue[]): number =>
  values.reduce<number>((all, value) => all + number(value), 0);
const product = (...values: readonly TemplateValue[]): number =>
  values.reduce<number>((all, value) => all * number(value), 1);

/** By name; `Mod` was `mod`, and `DivideInt` was `div`, in earlier versions. */
export const TEMPLATE_FUNCTIONS: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  ['AddFloat', sum],
  ['AddInt', (...values) => Math.trunc(sum(...values))],
  ['DivideFloat', two('DivideFloat', quotient)],
  ['DivideInt', two('DivideInt', (a, b) => Math.trunc(quotient(a, b)))],
  ['Mod', two('Mod', remainder)],
  ['MultiplyFloat', product],
  ['MultiplyInt', (...values) => Math.trunc(product(...values))],
  ['SubtractFloat', two('SubtractFloat', (a, b) => a - b)],
  ['SubtractInt', two('SubtractInt', (a, b) => Math.trunc(a - b))],
  ['div', two('div', (a, b) => Math.trunc(quotient(a, b)))],
  ['mod', two('mod', remainder)],
  ['printf', printf],
]);

/** A value as Go prints it in a template. */
export function printedValue(value: TemplateValue): string {
  if (typeof value === 'string') return value;
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-4 && size < 1e21)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

function two(name: string, compute: (a: number, b: number) => number): TemplateFunction {
  return (...values) => {
    const [a, b] = values;
    if (a === undefined || b === undefined || values.length > 2)
      throw new RangeError(`${name} needs two numbers, got ${values.length}`);
    return compute(number(a), number(b));
  };
}

function number(value: TemplateValue): number {
  const parsed = typeof value === 'number' ? value : Number(value);
  if (value === '' || !Number.isFinite(parsed)) throw new RangeError(`${JSON.stringify(value)} is no number`);
  return parsed;
}

function quotient(a: number, b: number): number {
  if (b === 0) throw new RangeError('division by zero');
  return a / b;
}

function remainder(a: number, b: number): number {
  if (Math.trunc(b) === 0) throw new RangeError('division by zero');
  // Never the negative zero of JavaScript.
  return (Math.trunc(a) % Math.trunc(b)) + 0;
}

/** Go's, with the verbs that make sense here: %d, %s and %v, with a width. */
function printf(...values: readonly TemplateValue[]): string {
  const [format, ...rest] = values;
  if (typeof format !== 'string') throw new RangeError('printf needs a format');
  const left = [...rest];
  const text = format.replaceAll(/%(0?)(\d*)(.?)/g, (all, zero: string, width: string, verb: string) => {
    if (all === '%%') return '%';
    const value = left.shift();
    if (value === undefined) throw new RangeError(`printf lacks a value for ${all}`);
    if (!['d', 's', 'v'].includes(verb)) throw new RangeError(`printf cannot do ${all}; it can do %d, %s and %v`);
    const isInteger = typeof value === 'number' && Number.isInteger(value);
    if (verb === 'd' && !isInteger)
      throw new RangeError(`printf needs an integer for ${all}, got ${JSON.stringify(value)}`);
    const printed = printedValue(value);
    if (zero === '' || typeof value !== 'number') return printed.padStart(Number(width));
    return value < 0 ? `-${printed.slice(1).padStart(Number(width) - 1, '0')}` : printed.padStart(Number(width), '0');
  });
  if (left.length > 0) throw new RangeError(`printf has ${left.length} values too many`);
  return text;
}
