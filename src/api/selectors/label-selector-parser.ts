/** The text form of label selectors, with the messages of apimachinery's pkg/labels (v1.34). */
import { ApiError } from '../errors/api-error.js';
import type { LabelOperator, LabelRequirement } from './label-requirement.js';
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

function tokenize(text: string): readonly Token[] {
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

  #values(): readonly string[] {
    const opening = this.#next();
    if (opening.text !== '(') throw problem(`found '${opening.text}' expected: '('`);
    const values = new Set<string>();
    let isValueDue = true;
    for (;;) {
      const { kind, text } = this.#next();
      if (text === ')' && (values.size === 0 || isValueDue)) {
        if (values.size > 0) values.add('');
        break;
      }
      if (text === ')') break;
      if (text === ',') {
        if (isValueDue) values.add('');
        isValueDue = true;
        continue;
      }
      if (kind !== 'identifier') throw problem(`found '${text}', expected: ',', or identifier`);
      if (!isValueDue) throw problem(`found '${text}', expected: ',' or ')'`);
      values.add(text);
      isValueDue = false;
    }
    return [...values].sort();
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

function checkValues(key: string, operator: LabelOperator, values: readonly string[]): void {
  if (values.length === 0)
    throw problem("values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty");
  if (operator === 'Gt' || operator === 'Lt') {
    const [text = ''] = values;
    if (!/^[-+]?\d+$/.test(text)) {
      throw problem(`values[0]: Invalid value: "${text}": for 'Gt', 'Lt' operators, the value must be an integer`);
    }
  }
  for (const [index, value] of values.entries()) checkText(`values[${index}][${key}]`, value, labelValue(value));
}

function checkText(path: string, text: string, messages: readonly string[]): void {
  if (messages.length > 0) throw problem(`${path}: Invalid value: ${JSON.stringify(text)}: ${messages.join('; ')}`);
}

function problem(text: string): SyntaxProblem {
  return new SyntaxProblem(`unable to parse requirement: ${text}`);
}
