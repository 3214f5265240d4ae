/** The words of a query in jq's language. */

/** A query that cannot be read, or that has no answer for an input. */
export class JqError extends Error {
  override readonly name = 'JqError';
}

/** A piece of a text with `\(…)`: text, or the query in between. */
export type TextPart = string | { readonly query: string };

export type JqToken =
  | { readonly type: 'number'; readonly value: number }
  | { readonly type: 'text'; readonly parts: readonly TextPart[] }
  | { readonly type: 'field' | 'variable' | 'word' | 'format' | 'sign'; readonly text: string };

const BLANK = /(?:\s+|#[^\n]*)+/y;
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const FIELD = /\.([A-Za-z_]\w*)/y;
const VARIABLE = /\$([A-Za-z_]\w*)/y;
const WORD = /[A-Za-z_]\w*/y;
const FORMAT = /@\w+/y;
const SIGN = /\/\/=|\?\/\/|\/\/|\|=|==|!=|<=|>=|\.\.|[-+*/%|,:;=<>()[\]{}.?]/y;

/** @throws JqError */
export function jqTokens(query: string): readonly JqToken[] {
  const tokens: JqToken[] = [];
  let at = 0;
  const taken = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(query);
    if (match === null) return undefined;
    at = pattern.lastIndex;
    return match;
  };
  while (at < query.length) {
    if (taken(BLANK) !== undefined) continue;
    if (query[at] === '"') {
      const { parts, end } = textAt(query, at + 1);
      tokens.push({ type: 'text', parts });
      at = end;
      continue;
    }
    const token = tokenOf(taken);
    if (token === undefined) throw new JqError(`unexpected token ${JSON.stringify(query[at])}`);
    tokens.push(token);
  }
  return tokens;
}

function tokenOf(taken: (pattern: RegExp) => RegExpExecArray | undefined): JqToken | undefined {
  const number = taken(NUMBER);
  if (number !== undefined) return { type: 'number', value: Number(number[0]) };
  const field = taken(FIELD);
  if (field !== undefined) return { type: 'field', text: field[1] ?? '' };
  const variable = taken(VARIABLE);
  if (variable !== undefined) return { type: 'variable', text: variable[1] ?? '' };
  const word = taken(WORD);
  if (word !== undefined) return { type: 'word', text: word[0] };
  const format = taken(FORMAT);
  if (format !== undefined) return { type: 'format', text: format[0] };
  const sign = taken(SIGN);
  return sign === undefined ? undefined : { type: 'sign', text: sign[0] };
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** A text from behind its first quote. */
function textAt(query: string, start: number): { readonly parts: readonly TextPart[]; readonly end: number } {
  const parts: TextPart[] = [];
  let text = '';
  for (let at = start; at < query.length; at += 1) {
    const character = query[at] ?? '';
    if (character === '"') return { parts: [...parts, text], end: at + 1 };
    if (character !== '\\') {
      text += character;
      continue;
    }
    at += 1;
    const escaped = query[at] ?? '';
    if (escaped === '(') {
      const end = closingOf(query, at + 1);
      parts.push(text, { query: query.slice(at + 1, end) });
      text = '';
      at = end;
    } else if (escaped === 'u') {
      text += String.fromCharCode(Number.parseInt(query.slice(at + 1, at + 5), 16));
      at += 4;
    } else {
      const meant = ESCAPES[escaped];
      if (meant === undefined) throw new JqError(`invalid escape sequence "\\${escaped}" in string literal`);
      text += meant;
    }
  }
  throw new JqError('unterminated string literal');
}

/** Where the parenthesis of an interpolation closes. */
function closingOf(query: string, start: number): number {
  let depth = 1;
  for (let at = start; at < query.length; at += 1) {
    const character = query[at];
    if (character === '"') at = textAt(query, at + 1).end - 1;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    if (depth === 0) return at;
  }
  throw new JqError('unterminated string literal');
}
