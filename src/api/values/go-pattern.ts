/** Regular expressions as Go writes them (RE2), read by the engine at hand. */

const MOST_REMEMBERED = 1024;
const patterns = new Map<string, RegExp | undefined>();

/** The pattern as an expression; undefined for one that cannot be read. */
export function goPattern(pattern: string): RegExp | undefined {
  if (patterns.has(pattern)) return patterns.get(pattern);
  if (patterns.size >= MOST_REMEMBERED) patterns.clear();
  const expression = compiled(pattern);
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
  const perl = /\(\?(?:[=!]|<[=!])/.exec(pattern);
  if (perl !== null) return `invalid or unsupported Perl syntax: \`${perl[0].slice(0, 3)}\``;
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(pattern)) return 'trailing backslash at end of expression: ``';
  const open = unclosedClass(pattern);
  if (open !== undefined) return `missing closing ]: \`${open}\``;
  const repeated = /(?:^|[(|])([*+?])/.exec(pattern);
  if (repeated !== null) return `missing argument to repetition operator: \`${repeated[1]}\``;
  const escape = /\\([^\w\s.+*?()|[\]{}^$\\/-]|[ceghijklmopquyECFGHIJKLMNOPQRTUVXYZ])/.exec(pattern);
  if (escape !== null) return `invalid escape sequence: \`${escape[0]}\``;
  const plain = pattern.replaceAll(/\\.|\[[^\]]*\]/gs, '');
  const depth = (plain.match(/\(/g) ?? []).length - (plain.match(/\)/g) ?? []).length;
  if (depth < 0) return `unexpected ): \`${pattern}\``;
  if (depth > 0) return `missing closing ): \`${pattern}\``;
  return `invalid character class range: \`${pattern}\``;
}

function unclosedClass(pattern: string): string | undefined {
  let start = -1;
  for (let index = 0; index < pattern.length; index += 1) {
    const letter = pattern.charAt(index);
    if (letter === '\\') index += 1;
    else if (start === -1 && letter === '[') start = index;
    else if (letter === ']' && start !== -1 && index > start + 1) start = -1;
  }
  return start === -1 ? undefined : pattern.slice(start);
}
