/**
 * Cuts the text of a template into tokens, as text/template's lexer does: text between actions as it is, trimmed
 * where `{{-` or `-}}` ask for it, comments left out, and what stands in actions word by word.
 */
import { TemplateError } from './template-error.js';

export type TokenKind =
  | 'text'
  | 'open'
  | 'close'
  | 'space'
  | 'field'
  | 'variable'
  | 'identifier'
  | 'keyword'
  | 'boolean'
  | 'nil'
  | 'number'
  | 'character'
  | 'string'
  | 'dot'
  | 'pipe'
  | 'declare'
  | 'assign'
  | 'comma'
  | 'leftParenthesis'
  | 'rightParenthesis'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** As it is written; of a string what is between its quotes, unescaped. */
  readonly text: string;
  readonly offset: number;
}

const KEYWORDS: ReadonlySet<string> = new Set([
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'range',
  'template',
  'with',
]);

const WORD = /[\p{L}\p{Nd}_]+/uy;
const NUMBER = /[+-]?(?:0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*)?\.?\d[\d_]*\.?(?:[eE][+-]?\d+)?)/y;
const CLOSE = /(?:[ \t\r\n]+-)?\}\}/y;
const SPACES = /[ \t\r\n]+/y;
const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
};

/** The line of a place of the text, from 1. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** @throws TemplateError for text that no template may have */
export function tokenize(name: string, text: string): Token[] {
  return new Tokenizer(name, text).tokens();
}

class Tokenizer {
  readonly #name: string;
  readonly #text: string;
  readonly #tokens: Token[] = [];
  #offset = 0;

  constructor(name: string, text: string) {
    this.#name = name;
    this.#text = text;
  }

  tokens(): Token[] {
    let isTrimming = false;
    while (true) {
      const open = this.#text.indexOf('{{', this.#offset);
      const isTrimmedAfter = open !== -1 && /^-[ \t\r\n]/.test(this.#text.slice(open + 2, open + 4));
      this.#textUpTo(open === -1 ? this.#text.length : open, isTrimming, isTrimmedAfter);
      if (open === -1) break;
      this.#offset = open + (isTrimmedAfter ? 3 : 2);
      isTrimming = this.#comment() ?? this.#action(open);
    }
    this.#add('end', '', this.#text.length);
    return this.#tokens;
  }

  #textUpTo(end: number, isTrimmedBefore: boolean, isTrimmedAfter: boolean): void {
    let text = this.#text.slice(this.#offset, end);
    if (isTrimmedBefore) text = text.replace(/^[ \t\r\n]+/, '');
    if (isTrimmedAfter) text = text.replace(/[ \t\r\n]+$/, '');
    if (text !== '') this.#add('text', text, this.#offset);
  }

  /** Skips a comment. @returns whether it trims what follows; `undefined` where there is no comment */
  #comment(): boolean | undefined {
    const start = this.#text.slice(this.#offset).search(/[^ \t\r\n]/) + this.#offset;
    const begin = this.#text.startsWith('/*', this.#offset) ? this.#offset : start;
    if (!this.#text.startsWith('/*', begin) || (begin !== this.#offset && this.#text[this.#offset - 1] !== '-')) {
      return undefined;
    }
    const end = this.#text.indexOf('*/', begin + 2);
    if (end === -1) this.#fail(begin, 'unclosed comment');
    const [close] = /^(?:[ \t\r\n]+-)?\}\}/.exec(this.#text.slice(end + 2)) ?? [];
    if (close === undefined) this.#fail(begin, 'comment ends before closing delimiter');
    this.#offset = end + 2 + close.length;
    return close.length > 2;
  }

  /** Reads up to the end of the action. @returns whether it trims what follows */
  #action(open: number): boolean {
    this.#add('open', '{{', open);
    let depth = 0;
    while (true) {
      const start = this.#offset;
      const rest = this.#text.slice(start, start + 6);
      CLOSE.lastIndex = start;
      const [close] = CLOSE.exec(this.#text) ?? [];
      if (close !== undefined) {
        if (depth > 0) this.#fail(start, 'unclosed left paren');
        this.#offset += close.length;
        this.#add('close', '}}', start);
        return close.length > 2;
      }
      if (rest === '') this.#fail(open, 'unclosed action');
      if (rest.startsWith('(')) depth += 1;
      if (rest.startsWith(')')) depth -= 1;
      if (depth < 0) this.#fail(start, 'unexpected right paren');
      this.#token(rest);
    }
  }

  #token(rest: string): void {
    const [first = '', second = ''] = rest;
    if (/[ \t\r\n]/.test(first)) this.#match(SPACES, 'space');
    else if (rest.startsWith(':=')) this.#take('declare', 2);
    else if (first === '=') this.#take('assign', 1);
    else if (first === '|') this.#take('pipe', 1);
    else if (first === ',') this.#take('comma', 1);
    else if (first === '(') this.#take('leftParenthesis', 1);
    else if (first === ')') this.#take('rightParenthesis', 1);
    else if (first === '"') this.#quoted('"', 'string');
    else if (first === "'") this.#quoted("'", 'character');
    else if (first === '`') this.#raw();
    else if (first === '$') this.#dotted('variable');
    else if (first === '.' && !/\d/.test(second)) this.#dotted('field');
    else if (/[+\-.\d]/.test(first)) this.#number();
    else this.#word(first);
  }

  #word(first: string): void {
    const start = this.#offset;
    const word = this.#wordAt(start);
    if (word === '') this.#fail(start, `unexpected ${JSON.stringify(first)} in command`);
    this.#offset += word.length;
    this.#checkTerminator(word);
    if (KEYWORDS.has(word)) this.#add('keyword', word, start);
    else if (word === 'true' || word === 'false') this.#add('boolean', word, start);
    else this.#add(word === 'nil' ? 'nil' : 'identifier', word, start);
  }

  /** `.Field`, `$name` or a lone `.` or `$`. */
  #dotted(kind: 'field' | 'variable'): void {
    const start = this.#offset;
    const word = this.#wordAt(start + 1);
    this.#offset += 1 + word.length;
    if (word !== '') this.#checkTerminator(word);
    const text = this.#text.slice(start, this.#offset);
    this.#add(text === '.' ? 'dot' : kind, text, start);
  }

  #number(): void {
    const start = this.#offset;
    NUMBER.lastIndex = start;
    const [text] = NUMBER.exec(this.#text) ?? [];
    const after = this.#text[start + (text?.length ?? 0)] ?? '';
    if (text === undefined || /[\p{L}\p{Nd}_]/u.test(after)) {
      this.#fail(
        start,
        `bad number syntax: ${JSON.stringify(this.#text.slice(start, start + (text?.length ?? 0) + 1))}`,
      );
    }
    this.#offset += text.length;
    this.#add('number', text, start);
  }

  #quoted(quote: string, kind: 'string' | 'character'): void {
    const start = this.#offset;
    let value = '';
    let at = start + 1;
    while (this.#text[at] !== quote) {
      const character = this.#text[at];
      if (character === undefined || character === '\n') {
        this.#fail(start, kind === 'string' ? 'unterminated quoted string' : 'unterminated character constant');
      }
      const [read, length] = character === '\\' ? this.#escape(at) : [character, 1];
      value += read;
      at += length;
    }
    this.#offset = at + 1;
    this.#add(kind, value, start);
  }

  #escape(at: number): [string, number] {
    const [code, octal, hexadecimal] = /^\\(?:([0-7]{3})|x([\da-fA-F]{2})|u[\da-fA-F]{4}|U[\da-fA-F]{8})/.exec(
      this.#text.slice(at, at + 10),
    ) ?? [undefined];
    if (octal !== undefined) return [String.fromCharCode(Number.parseInt(octal, 8)), 4];
    if (hexadecimal !== undefined) return [String.fromCharCode(Number.parseInt(hexadecimal, 16)), 4];
    if (code !== undefined) return [String.fromCodePoint(Number.parseInt(code.slice(2), 16)), code.length];
    const plain = ESCAPES[this.#text[at + 1] ?? ''];
    if (plain === undefined) this.#fail(at, 'invalid syntax in quoted string');
    return [plain, 2];
  }

  #raw(): void {
    const start = this.#offset;
    const end = this.#text.indexOf('`', start + 1);
    if (end === -1) this.#fail(start, 'unterminated raw quoted string');
    this.#offset = end + 1;
    this.#add('string', this.#text.slice(start + 1, end).replaceAll('\r', ''), start);
  }

  #wordAt(offset: number): string {
    WORD.lastIndex = offset;
    return WORD.exec(this.#text)?.[0] ?? '';
  }

  /** What may follow a word: `a-b` is a mistake, not three tokens. */
  #checkTerminator(word: string): void {
    const next = this.#text[this.#offset];
    if (next === undefined || ' \t\r\n.,|:()='.includes(next) || this.#text.startsWith('}}', this.#offset)) return;
    this.#fail(this.#offset - word.length, `bad character ${JSON.stringify(next)}`);
  }

  #match(pattern: RegExp, kind: TokenKind): void {
    pattern.lastIndex = this.#offset;
    const [text = ''] = pattern.exec(this.#text) ?? [];
    this.#take(kind, text.length);
  }

  #take(kind: TokenKind, length: number): void {
    this.#add(kind, this.#text.slice(this.#offset, this.#offset + length), this.#offset);
    this.#offset += length;
  }

  #add(kind: TokenKind, text: string, offset: number): void {
    this.#tokens.push({ kind, text, offset });
  }

  #fail(offset: number, problem: string): never {
    throw new TemplateError(`template: ${this.#name}:${lineOf(this.#text, offset)}: ${problem}`);
  }
}
