/** The words of an expression. */
import { CelSyntaxError } from './syntax.js';

export type TokenForm = 'name' | 'quoted' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'mark' | 'end';

/** A word of an expression. */
export interface Token {
  readonly form: TokenForm;
  /** What it says: of texts without their quotes and escapes, of bytes in Latin 1. */
  readonly text: string;
  readonly at: number;
}

const SPACE = /(?:[ \t\r\n\f]|\/\/[^\n]*)*/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const QUOTED_NAME = /`([A-Za-z0-9_.\-/ ]+)`/y;
const DOUBLE = /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y;
const WHOLE = /(?:0x[0-9a-fA-F]+|\d+)([uU]?)/y;
const TEXT = /((?:[rR][bB]?|[bB][rR]?)?)("""|'''|"|')/y;
const MARK = /(?:==|!=|<=|>=|&&|\|\||[-+*/%<>!?:.,()[\]{}])/y;

/** The words of a text, the last of which is its end. @throws CelSyntaxError */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at += matched(SPACE, text, at)?.[0].length ?? 0;
    if (at >= text.length) break;
    const { token, length } = tokenAt(text, at);
    tokens.push(token);
    at += length;
  }
  return [...tokens, { form: 'end', text: '<EOF>', at: text.length }];
}

function matched(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

interface Read {
  readonly token: Token;
  readonly length: number;
}

function tokenAt(text: string, at: number): Read {
  const opening = matched(TEXT, text, at);
  if (opening !== undefined) return quotedText(text, at, opening);
  const forms: readonly (readonly [TokenForm, RegExp])[] = [
    ['name', NAME],
    ['quoted', QUOTED_NAME],
    ['double', DOUBLE],
    ['int', WHOLE],
    ['mark', MARK],
  ];
  for (const [form, pattern] of forms) {
    const found = matched(pattern, text, at);
    if (found === undefined) continue;
    const [whole, part = ''] = found;
    if (form === 'int' && part !== '') return read('uint', whole.slice(0, -1), at, whole.length);
    return read(form, form === 'quoted' ? part : whole, at, whole.length);
  }
  throw new CelSyntaxError(`Syntax error: token recognition error at: '${text.charAt(at)}'`, at);
}

function read(form: TokenForm, text: string, at: number, length: number): Read {
  return { token: { form, text, at }, length };
}

function quotedText(text: string, at: number, [opening, prefix = '', quote = '']: RegExpExecArray): Read {
  const isRaw = /r/i.test(prefix);
  const isBytes = /b/i.test(prefix);
  let end = at + opening.length;
  const from = end;
  while (!text.startsWith(quote, end)) {
    if (end >= text.length || (quote.length === 1 && text.charAt(end) === '\n')) {
      throw new CelSyntaxError(`Syntax error: token recognition error at: '${text.slice(at)}'`, at);
    }
    end += text.charAt(end) === '\\' ? 2 : 1;
  }
  const body = text.slice(from, end);
  const said = isRaw ? body : unescaped(body, isBytes, at);
  return read(isBytes ? 'bytes' : 'string', said, at, end + quote.length - at);
}

const ESCAPE =
  /\\(?:([abfnrtv\\'"`?])|[xX]([0-9a-fA-F]{2})|([0-3][0-7]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([^]|$))/g;
const ESCAPED: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

function unescaped(body: string, isBytes: boolean, at: number): string {
  return body.replace(ESCAPE, (_whole, letter?: string, hex?: string, octal?: string, ...wide: string[]) => {
    if (letter !== undefined) return ESCAPED[letter] ?? letter;
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
    const [short, long] = wide;
    const code = Number.parseInt(short ?? long ?? 'x', 16);
    if (Number.isNaN(code) || code > 0x10_ffff || isBytes) throw new CelSyntaxError('unable to unescape string', at);
    return String.fromCodePoint(code);
  });
}
