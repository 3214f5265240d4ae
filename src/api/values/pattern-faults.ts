/** Why Go does not read a regular expression (regexp/syntax/parse.go of Go 1.24): the first fault from the left. */

/** What is wrong with a pattern, in Go's words; undefined for one that can be read. */
export function patternFault(pattern: string): string | undefined {
  const scan = new Scan(pattern);
  while (scan.at < pattern.length) {
    const fault = step(scan);
    if (fault !== undefined) return fault;
  }
  return scan.depth > 0 ? `missing closing ): \`${pattern}\`` : undefined;
}

class Scan {
  at = 0;
  depth = 0;
  /** Whether there is something to repeat. */
  hasOperand = false;
  /** Where the operator before begins, if one has just been read. */
  repeatedAt: number | undefined;

  constructor(readonly pattern: string) {}

  get rest(): string {
    return this.pattern.slice(this.at);
  }

  /** Goes on behind something that may be repeated, or not. */
  pass(letters: number, isOperand: boolean): undefined {
    this.at += letters;
    this.hasOperand = isOperand;
    this.repeatedAt = undefined;
    return undefined;
  }
}

function step(scan: Scan): string | undefined {
  const letter = scan.pattern.charAt(scan.at);
  switch (letter) {
    case '\\':
      return escape(scan);
    case '[':
      return letterClass(scan);
    case '(':
      return opening(scan);
    case ')':
      if (scan.depth === 0) return `unexpected ): \`${scan.pattern}\``;
      scan.depth -= 1;
      return scan.pass(1, true);
    case '|':
      return scan.pass(1, false);
    case '*':
    case '+':
    case '?':
      return repeated(scan, letter);
    case '{': {
      const [count, least = '', , most = least] = /^\{(\d+)(,(\d*))?\}/.exec(scan.rest) ?? [];
      if (count === undefined) return scan.pass(1, true);
      const [low, high] = [Number(least), most === '' ? Number(least) : Number(most)];
      if (low > MOST_REPEATS || high > MOST_REPEATS || low > high) return `invalid repeat count: \`${count}\``;
      return repeated(scan, count);
    }
    default:
      return scan.pass(1, true);
  }
}

const MOST_REPEATS = 1000;

function repeated(scan: Scan, operator: string): string | undefined {
  const { at, pattern, repeatedAt } = scan;
  const isLazy = pattern.charAt(at + operator.length) === '?';
  const end = at + operator.length + (isLazy ? 1 : 0);
  if (!scan.hasOperand) return `missing argument to repetition operator: \`${pattern.slice(at, end)}\``;
  if (repeatedAt !== undefined) return `invalid nested repetition operator: \`${pattern.slice(repeatedAt, end)}\``;
  scan.at = end;
  scan.repeatedAt = at;
  return undefined;
}

/** Letters and digits that may stand behind a backslash; of other letters of ASCII all may. */
const ESCAPED =
  /^\\(?:[aftnrvAbBzdDsSwWQ]|[pP](?:\{\^?\w+\}|\w)|0|[1-7][0-7]|x(?:[\dA-Fa-f]{2}|\{[\dA-Fa-f]+\})|[^\dA-Za-z\u0080-\uffff])/;

function escape(scan: Scan): string | undefined {
  const { rest } = scan;
  if (rest.length === 1) return 'trailing backslash at end of expression: ``';
  const [found] = ESCAPED.exec(rest) ?? [];
  if (found === undefined) return `invalid escape sequence: \`${rest.slice(0, 2)}\``;
  if (found !== String.raw`\Q`) return scan.pass(found.length, true);
  const end = rest.indexOf(String.raw`\E`);
  return scan.pass(end === -1 ? rest.length : end + 2, true);
}

function opening(scan: Scan): string | undefined {
  const { rest } = scan;
  scan.depth += 1;
  if (!rest.startsWith('(?')) return scan.pass(1, false);
  const [named] = /^\(\?P?<(?![=!])/.exec(rest) ?? [];
  if (named !== undefined) {
    const [whole, name = ''] = /^\(\?P?<([^>]*)>/.exec(rest) ?? [rest];
    if (!/^\w+$/.test(name)) return `invalid named capture: \`${whole}\``;
    return scan.pass(whole.length, false);
  }
  const [flags] = /^\(\?[imsU]*(?:-[imsU]+)?[:)]/.exec(rest) ?? [];
  if (flags === undefined)
    return `invalid or unsupported Perl syntax: \`${/^\(\?[imsU-]*.?/.exec(rest)?.[0] ?? rest}\``;
  if (flags.endsWith(')')) scan.depth -= 1;
  return scan.pass(flags.length, false);
}

/** Letters in brackets: one that closes them may be the first. */
function letterClass(scan: Scan): string | undefined {
  const { rest } = scan;
  const start = rest.startsWith('[^') ? 2 : 1;
  let at = start;
  for (; at < rest.length && (rest.charAt(at) !== ']' || at === start);) {
    const [named] = /^\[:\^?\w+:\]/.exec(rest.slice(at)) ?? [];
    if (named !== undefined) {
      at += named.length;
      continue;
    }
    const low = letterAt(rest, at);
    if (low === undefined) return `invalid escape sequence: \`${rest.slice(at, at + 2)}\``;
    at += low.length;
    if (rest.charAt(at) !== '-' || rest.charAt(at + 1) === ']' || rest.charAt(at + 1) === '') continue;
    const high = letterAt(rest, at + 1);
    const isRange = low.length === 1 && high?.length === 1;
    if (isRange && high < low) return `invalid character class range: \`${low}-${high}\``;
    at += 1 + (high?.length ?? 1);
  }
  if (at >= rest.length) return `missing closing ]: \`${rest}\``;
  return scan.pass(at + 1, true);
}

/** A letter of a class as it is written; undefined for an escape that there is not. */
function letterAt(rest: string, at: number): string | undefined {
  if (rest.charAt(at) !== '\\') return String.fromCodePoint(rest.codePointAt(at) ?? 0);
  return ESCAPED.exec(rest.slice(at))?.[0];
}
