/** The shell's patterns: `*`, `?`, `[…]`, with a backslash before what is meant by itself. */

/** A pattern as a regular expression. @param isPath - whether `*` and `?` stop at a slash */
export function patternSource(pattern: string, isPath = false): string {
  const any = isPath ? '[^/]' : '[^]';
  let source = '';
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern.charAt(index);
    if (character === '\\') {
      index += 1;
      source += literal(pattern.charAt(index));
    } else if (character === '*') source += `${any}*`;
    else if (character === '?') source += any;
    else if (character === '[') {
      const end = bracketEnd(pattern, index);
      if (end === undefined) source += '\\[';
      else {
        source += bracketSource(pattern.slice(index + 1, end));
        index = end;
      }
    } else source += literal(character);
  }
  return source;
}

/** Whether a text is all that a pattern means. */
export function matchesPattern(pattern: string, text: string): boolean {
  return new RegExp(`^(?:${patternSource(pattern)})$`).test(text);
}

/** Whether a text has characters that mean more than themselves. */
export function hasPattern(pattern: string): boolean {
  return /(?<!\\)(?:\\\\)*[*?[]/.test(pattern);
}

/** A pattern that means a text and nothing else. */
export function quotePattern(text: string): string {
  return text.replaceAll(/[*?[\]\\]/g, String.raw`\$&`);
}

/** The text that a pattern without special characters means. */
export function unquotePattern(pattern: string): string {
  return pattern.replaceAll(/\\([^])/g, '$1');
}

function literal(character: string): string {
  return character.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

function bracketEnd(pattern: string, start: number): number | undefined {
  let index = start + 1;
  if (/[!^]/.test(pattern.charAt(index))) index += 1;
  if (pattern.charAt(index) === ']') index += 1;
  for (; index < pattern.length; index += 1) {
    if (pattern.startsWith('[:', index)) {
      const end = pattern.indexOf(':]', index);
      if (end > 0) index = end + 1;
    } else if (pattern.charAt(index) === ']') return index;
  }
  return undefined;
}

const CLASSES: Readonly<Record<string, string>> = {
  alpha: 'A-Za-z',
  digit: '0-9',
  alnum: 'A-Za-z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: String.raw`\s`,
  blank: String.raw` \t`,
  punct: String.raw`!-\/:-@\[-\`{-~`,
  xdigit: '0-9A-Fa-f',
};

/** What is between brackets, as a class of a regular expression; also of `tr` and `grep`. */
export function bracketSource(inner: string): string {
  const isNegated = /^[!^]/.test(inner);
  const body = (isNegated ? inner.slice(1) : inner)
    .replaceAll(/[\\\]^]/g, String.raw`\$&`)
    .replaceAll(/\[:(\w+):\\?\]/g, (_all, name: string) => CLASSES[name] ?? '')
    .replaceAll('[', String.raw`\[`);
  return `[${isNegated ? '^' : ''}${body}]`;
}
