/** `printf`: a format that is used again until its arguments are used up. */
import type { Process } from '../processes/process.js';
import { unescape } from './echo-text.js';

export function printf(process: Process, args: readonly string[]): number {
  const given = args.slice(1);
  if (given[0] === '--') given.shift();
  const format = given.shift();
  if (format === undefined) {
    process.complain('printf: usage: printf FORMAT [ARG]...\n');
    return 2;
  }
  const rest = [...given];
  let status = 0;
  do {
    const before = rest.length;
    const part = formatted(format, rest, (problem) => {
      process.complain(`printf: ${problem}\n`);
      status = 1;
    });
    process.print(part.text);
    if (part.isCut || rest.length === before) break;
  } while (rest.length > 0);
  return status;
}

function formatted(
  format: string,
  args: string[],
  complain: (problem: string) => void,
): { readonly text: string; readonly isCut: boolean } {
  let isCut = false;
  const pattern = /%([-+ 0#]*)(\*|\d+)?(?:\.(\*|\d+))?([a-zA-Z%])|((?:[^%\\]|\\[^])+|[^])/g;
  let text = '';
  for (const [, flags = '', width, precision, letter, plain] of format.matchAll(pattern)) {
    if (isCut) break;
    if (plain !== undefined) {
      const part = unescape(plain);
      text += part.text;
      ({ isCut } = part);
      continue;
    }
    if (letter === '%') {
      text += '%';
      continue;
    }
    const size = (given: string | undefined): number | undefined =>
      given === undefined ? undefined : Number(given === '*' ? (args.shift() ?? '0') : given);
    const wide = size(width);
    const exact = size(precision);
    const arg = args.shift() ?? '';
    const value = convert(letter ?? 's', arg, flags, exact, complain);
    isCut = letter === 'b' && unescape(arg).isCut;
    text += padded(value, wide ?? 0, flags, /[diouxX]/.test(letter ?? ''));
  }
  return { text, isCut };
}

function convert(
  letter: string,
  arg: string,
  flags: string,
  precision: number | undefined,
  complain: (problem: string) => void,
): string {
  switch (letter) {
    case 's':
      return precision === undefined ? arg : arg.slice(0, precision);
    case 'b':
      return unescape(arg).text;
    case 'c':
      return arg.slice(0, 1);
    case 'e':
    case 'f':
    case 'g': {
      const number = Number(arg === '' ? 0 : arg);
      return letter === 'f' ? number.toFixed(precision ?? 6) : String(number);
    }
    default: {
      const isCharacter = /^["']/.test(arg);
      const number = isCharacter ? arg.charCodeAt(1) : Number(arg === '' ? 0 : arg);
      if (Number.isNaN(number)) {
        complain(`invalid number '${arg}'`);
        return '0';
      }
      const whole = Math.trunc(number);
      const digits = Math.abs(whole).toString(letter === 'o' ? 8 : /[xX]/.test(letter) ? 16 : 10);
      const sign = whole < 0 ? '-' : flags.includes('+') ? '+' : '';
      return sign + (letter === 'X' ? digits.toUpperCase() : digits).padStart(precision ?? 0, '0');
    }
  }
}

function padded(value: string, width: number, flags: string, isNumber: boolean): string {
  if (value.length >= width) return value;
  if (flags.includes('-')) return value.padEnd(width);
  if (!isNumber || !flags.includes('0')) return value.padStart(width);
  const sign = /^[-+]/.exec(value)?.[0] ?? '';
  return sign + value.slice(sign.length).padStart(width - sign.length, '0');
}
