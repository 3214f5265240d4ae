/** Regular expressions as Go writes them (RE2), read by the engine at hand. */
import { patternFault } from './pattern-faults.js';

const MOST_REMEMBERED = 1024;
const patterns = new Map<string, RegExp | undefined>();

/** The pattern as an expression; undefined for one that cannot be read. */
export function goPattern(pattern: string): RegExp | undefined {
  if (patterns.has(pattern)) return patterns.get(pattern);
  if (patterns.size >= MOST_REMEMBERED) patterns.clear();
  const expression = patternFault(pattern) === undefined ? compiled(pattern) : undefined;
  patterns.set(pattern, expression);
  return expression;
}

const FLAGS = /\(\?([ims]+)\)/g;

const CLASSES: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  digit: '0-9',
  lower: 'a-z',
  upper: 'A-Z',
  space: '\\t\\n\\v\\f\\r ',
  xdigit: '0-9A-Fa-f',
  word: '0-9A-Za-z_',
  punct: '!-\\/:-@\\[-`{-~',
};

function compiled(pattern: string): RegExp | undefined {
  // Flags hold for what follows them, and stand at the beginning of all patterns that are worth one.
  const flags = [...new Set([...pattern.matchAll(FLAGS)].flatMap(([, letters = '']) => Array.from(letters)))].join('');
  const source = pattern
    .replaceAll(/\\Q(.*?)(?:\\E|$)/gs, (_whole, text: string) =>
      text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`),
    )
    .replaceAll(FLAGS, '')
    .replaceAll(/\[:(\w+):\]/g, (whole, name: string) => CLASSES[name] ?? whole)
    .replaceAll('(?P<', '(?<')
    .replaceAll(/\\z/g, '$')
    .replaceAll(/\\A/g, '^');
  // Go reads letters of Unicode whole; what is no escape to a strict reader is a letter to a lenient one.
  for (const mode of ['u', '']) {
    try {
      return new RegExp(source, flags + mode);
    } catch {
      continue;
    }
  }
  return undefined;
}

/** What Go says of a pattern that cannot be read. */
export function patternProblem(pattern: string): string {
  return patternFault(pattern) ?? `invalid character class range: \`${pattern}\``;
}
