/** The text form of label selectors, with the messages of apimachinery's pkg/labels (v1.34). */
import { ApiError } from '../errors/api-error.js';
import { parseInt64, type LabelOperator, type LabelRequirement } from './label-requirement.js';
import { labelValue, qualifiedName } from '../values/names.js';

const SYMBOLS: ReadonlySet<string> = new Set(['=', '==', '!=', '!', '(', ')', ',', '>', '<']);
const SYMBOL_LETTER = /[=!(),><]/;
const END = '';

interface Token {
  readonly kind: 'identifier' | 'symbol' | 'end';
  readonly text: string;
}

/** Every requirement of the text. @throws ApiError 400 */
export function parseRequirements(text: string): readonly LabelRequirement[] {
  try {
    return new Parser(tokenize(text)).requirements();
  } catch (error) {
    if (error instanceof SyntaxProblem) throw new ApiError(400, 'BadRequest', error.message);
    throw error;
  }
}

class SyntaxProblem extends Error {}

/** What comes after a NUL is not read, as it is not by upstream's lexer. */
function tokenize(whole: string): readonly Token[] {
  const [text = ''] = whole.split('\0');
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const letter = text.charAt(at);
    if (/[ \t\r\n]/.test(letter)) {
      at += 1;
      continue;
    }
    const start = at;
    if (SYMBOL_LETTER.test(letter)) {
      at += 1;
      if (SYMBOLS.has(text.slice(start, at + 1))) at += 1;
      tokens.push({ kind: 'symbol', text: text.slice(start, at) });
      continue;
    }
    while (at < text.length && !/[ \t\r\n=!(),><]/.test(text.charAt(at))) at += 1;
    tokens.push({ kind: 'identifier', text: text.slice(start, at) });
  }
  return tokens;
}

const ENDING: Token = { kind: 'end', text: END };

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  requirements(): readonly LabelRequirement[] {
    const found: LabelRequirement[] = [];
    for (;;) {
      const { kind, text } = this.#peek();
      if (kind === 'end') return found;
      if (kind !== 'identifier' && text !== '!') {
        throw new SyntaxProblem(`found '${text}', expected: !, identifier, or 'end of string'`);
      }
      found.push(this.#requirement());
      const separator = this.#next();
      if (separator.kind === 'end') return found;
      if (separator.text !== ',')
        throw new SyntaxProblem(`found '${separator.text}', expected: ',' or 'end of string'`);
      const following = this.#peek();
      if (following.kind !== 'identifier' && following.text !== '!') {
        throw new SyntaxProblem(`found '${following.text}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): LabelRequirement {
    const isNegated = this.#peek().text === '!';
    if (isNegated) this.#next();
    const key = this.#next();
    if (key.kind !== 'identifier') throw problem(`found '${key.text}', expected: identifier`);
    checkText('<nil>', key.text, qualifiedName(key.text));
    if (isNegated) return { key: key.text, operator: 'DoesNotExist', values: [] };
    const following = this.#peek();
    if (following.kind === 'end' || following.text === ',') return { key: key.text, operator: 'Exists', values: [] };
    const operator = this.#operator();
    const values = operator.isSet ? this.#values() : [this.#exactValue()];
    checkValues(key.text, operator.name, values);
    return { key: key.text, operator: operator.name, values };
  }

  #operator(): { readonly name: LabelOperator; readonly isSet: boolean } {
    const { text } = this.#next();
    switch (text) {
      case 'in':
        return { name: 'In', isSet: true };
      case 'notin':
        return { name: 'NotIn', isSet: true };
      case '=':
      case '==':
        return { name: 'In', isSet: false };
      case '!=':
        return { name: 'NotIn', isSet: false };
      case '>':
        return { name: 'Gt', isSet: false };
      case '<':
        return { name: 'Lt', isSet: false };
      default:
        throw problem(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #exactValue(): string {
    const { kind, text } = this.#peek();
    if (kind === 'end' || text === ',') return '';
    this.#next();
    if (kind !== 'identifier') throw problem(`found '${text}', expected: identifier`);
    return text;
  }

  /** `(a,b)`, in which empty values count; `()` is the empty value alone. */
  #values(): readonly string[] {
    const opening = this.#next();
    if (opening.text !== '(') throw problem(`found '${opening.text}' expected: '('`);
    const { kind, text } = this.#peek();
    if (text === ')') {
      this.#next();
      return [''];
    }
    if (kind !== 'identifier' && text !== ',') throw problem(`found '${text}', expected: ',', ')' or identifier`);
    const values = this.#listed();
    this.#next();
    return [...values].sort();
  }

  /** Up to the closing parenthesis. */
  #listed(): ReadonlySet<string> {
    const values = new Set<string>();
    for (;;) {
      const { kind, text } = this.#next();
      const following = this.#peek();
      if (kind === 'identifier') {
        values.add(text);
        if (following.text === ')') return values;
        if (following.text !== ',') throw problem(`found '${following.text}', expected: ',' or ')'`);
      } else if (text === ',') {
        if (values.size === 0) values.add('');
        if (following.text === ')') return values.add('');
        if (following.text === ',') {
          this.#next();
          values.add('');
        }
      } else throw problem(`found '${text}', expected: ',', or identifier`);
    }
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? ENDING;
  }

  #next(): Token {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }
}

/** Everything that is wrong with values is told at once. */
function checkValues(key: string, operator: LabelOperator, values: readonly string[]): void {
  const faults: string[] = [];
  if (operator === 'Gt' || operator === 'Lt') {
    const [text = ''] = values;
    if (parseInt64(text) === undefined) {
      faults.push(faultText('values[0]', text, "for 'Gt', 'Lt' operators, the value must be an integer"));
    }
  }
  for (const [index, value] of values.entries()) {
    const messages = labelValue(value);
    if (messages.length > 0) faults.push(faultText(`values[${index}][${key}]`, value, messages.join('; ')));
  }
  if (faults.length > 0) throw problem(faults.length === 1 ? faults.join('') : `[${faults.join(', ')}]`);
}

function checkText(path: string, text: string, messages: readonly string[]): void {
  if (messages.length > 0) throw problem(faultText(path, text, messages.join('; ')));
}

function faultText(path: string, text: string, why: string): string {
  return `${path}: Invalid value: ${JSON.stringify(text)}: ${why}`;
}

function problem(text: string): SyntaxProblem {
  return new SyntaxProblem(`unable to parse requirement: ${text}`);
}
