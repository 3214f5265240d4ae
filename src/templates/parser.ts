/**
 * Reads a template: Go's text/template/parse. What it refuses it refuses before anything is carried out, in Go's
 * words and with the file and line: functions and variables that there are not, actions without an end.
 */
import { TemplateError } from './template-error.js';
import { lineOf, tokenize, type Token, type TokenKind } from './tokens.js';
import { Float } from './values.js';
import type { Command, Operand, Pipeline, Statement, SyntaxTree } from './syntax-tree.js';

/** What ends a list of statements. */
type Ending = 'end' | 'else' | 'text';

/** @throws TemplateError */
export function parseSyntax(name: string, text: string, isFunction: (name: string) => boolean): SyntaxTree {
  return new Parser(name, text, isFunction).tree();
}

class Parser {
  readonly #name: string;
  readonly #text: string;
  readonly #isFunction: (name: string) => boolean;
  readonly #tokens: readonly Token[];
  readonly #definitions = new Map<string, readonly Statement[]>();
  #variables: string[] = ['$'];
  #at = 0;
  #rangeDepth = 0;

  constructor(name: string, text: string, isFunction: (name: string) => boolean) {
    this.#name = name;
    this.#text = text;
    this.#isFunction = isFunction;
    this.#tokens = tokenize(name, text);
  }

  tree(): SyntaxTree {
    const { body, ending } = this.#statements();
    if (ending !== 'text') this.#fail(`unexpected {{${ending}}}`);
    return { name: this.#name, text: this.#text, body, definitions: this.#definitions };
  }

  /** Statements up to `{{end}}`, `{{else` or the end of the text; of `else` the rest of its action stays. */
  #statements(): { body: Statement[]; ending: Ending } {
    const body: Statement[] = [];
    while (true) {
      const token = this.#next();
      if (token.kind === 'end') return { body, ending: 'text' };
      if (token.kind === 'text') {
        body.push({ type: 'text', text: token.text, offset: token.offset });
        continue;
      }
      const word = this.#peekNonSpace();
      if (word.kind === 'keyword' && (word.text === 'end' || word.text === 'else')) {
        this.#nextNonSpace();
        if (word.text === 'end') this.#expect('close', 'end');
        return { body, ending: word.text };
      }
      const statement = this.#action(word);
      if (statement !== undefined) body.push(statement);
    }
  }

  #action(word: Token): Statement | undefined {
    const { offset } = word;
    if (word.kind !== 'keyword') {
      const pipeline = this.#pipeline('command', 'close');
      return { type: 'action', pipeline, offset };
    }
    this.#nextNonSpace();
    switch (word.text) {
      case 'if':
      case 'with':
      case 'range':
        return this.#control(word.text, offset);
      case 'template':
        return this.#template();
      case 'define':
        this.#define();
        return undefined;
      case 'block':
        return this.#block();
      default:
        return this.#leaving(word.text as 'break' | 'continue', offset);
    }
  }

  #leaving(type: 'break' | 'continue', offset: number): Statement {
    if (this.#rangeDepth === 0) this.#fail(`{{${type}}} outside {{range}}`);
    this.#expect('close', type);
    return { type, offset };
  }

  #control(type: 'if' | 'with' | 'range', offset: number): Statement {
    const known = this.#variables.length;
    const pipeline = this.#pipeline(type, 'close');
    if (type === 'range') this.#rangeDepth += 1;
    const { body, ending } = this.#statements();
    if (type === 'range') this.#rangeDepth -= 1;
    const otherwise = ending === 'else' ? this.#otherwise(type) : [];
    if (ending === 'text') this.#fail('unexpected EOF');
    this.#variables.length = known;
    return { type, pipeline, body, otherwise, offset };
  }

  /** What follows `else`: another condition, or a list of its own. */
  #otherwise(type: 'if' | 'with' | 'range'): Statement[] {
    const word = this.#peekNonSpace();
    if (type !== 'range' && word.kind === 'keyword' && word.text === type) {
      this.#nextNonSpace();
      return [this.#control(type, word.offset)];
    }
    this.#expect('close', 'else');
    const { body, ending } = this.#statements();
    if (ending === 'else') this.#fail('expected end; found {{else}}');
    if (ending === 'text') this.#fail('unexpected EOF');
    return body;
  }

  #template(): Statement {
    const { offset } = this.#peekNonSpace();
    const name = this.#templateName('template clause');
    const isAlone = this.#peekNonSpace().kind === 'close';
    if (isAlone) this.#nextNonSpace();
    const pipeline = isAlone ? undefined : this.#pipeline('template clause', 'close');
    return { type: 'template', name, pipeline, offset };
  }

  #define(): void {
    const name = this.#templateName('define clause');
    this.#expect('close', 'define clause');
    this.#definitions.set(name, this.#definition());
  }

  #block(): Statement {
    const { offset } = this.#peekNonSpace();
    const name = this.#templateName('block clause');
    const pipeline = this.#pipeline('block clause', 'close');
    const body = this.#definition();
    if (!this.#definitions.has(name)) this.#definitions.set(name, body);
    return { type: 'template', name, pipeline, offset };
  }

  /** A template within the text knows no variables but its own. */
  #definition(): Statement[] {
    const outer = this.#variables;
    const depth = this.#rangeDepth;
    this.#variables = ['$'];
    this.#rangeDepth = 0;
    const { body, ending } = this.#statements();
    if (ending !== 'end') this.#fail(ending === 'else' ? 'unexpected {{else}} in define clause' : 'unexpected EOF');
    this.#variables = outer;
    this.#rangeDepth = depth;
    return body;
  }

  #templateName(context: string): string {
    const token = this.#nextNonSpace();
    if (token.kind !== 'string') this.#unexpected(token, context);
    return token.text;
  }

  #pipeline(context: string, end: TokenKind): Pipeline {
    const { offset } = this.#peekNonSpace();
    const { variables, isAssignment } = this.#declarations(context);
    const commands: Command[] = [];
    while (true) {
      const token = this.#nextNonSpace();
      if (token.kind === end) break;
      if (token.kind === 'close' || token.kind === 'rightParenthesis') this.#unexpected(token, context);
      this.#at -= 1;
      commands.push(this.#command());
    }
    this.#checkPipeline(commands, context);
    if (!isAssignment) this.#variables.push(...variables);
    const source = this.#text.slice(offset, this.#at > 0 ? this.#tokens[this.#at - 1]?.offset : offset).trim();
    return { type: 'pipeline', variables, isAssignment, commands, offset, source };
  }

  #checkPipeline(commands: readonly Command[], context: string): void {
    if (commands.length === 0) this.#fail(`missing value for ${context}`);
    commands.slice(1).forEach(({ operands: [first] }, index) => {
      if (first.type === 'constant' || first.type === 'nil' || first.type === 'dot') {
        this.#fail(`non executable command in pipeline stage ${index + 2}`);
      }
    });
  }

  /** `$a :=`, `$a =`, and of a range `$a, $b :=`. */
  #declarations(context: string): { variables: string[]; isAssignment: boolean } {
    const start = this.#at;
    const variables: string[] = [];
    while (this.#peekNonSpace().kind === 'variable') {
      variables.push(this.#nextNonSpace().text);
      const sign = this.#nextNonSpace();
      if (sign.kind === 'declare' || sign.kind === 'assign') {
        const isAssignment = sign.kind === 'assign';
        if (isAssignment) for (const variable of variables) this.#checkVariable(variable);
        return { variables, isAssignment };
      }
      if (sign.kind !== 'comma') break;
      if (context !== 'range' || variables.length > 1) this.#fail(`too many declarations in ${context}`);
    }
    this.#at = start;
    return { variables: [], isAssignment: false };
  }

  #command(): Command {
    const operands: Operand[] = [];
    const { offset } = this.#peekNonSpace();
    while (true) {
      this.#peekNonSpace();
      const operand = this.#operand();
      if (operand !== undefined) operands.push(operand);
      const token = this.#next();
      if (token.kind === 'space') continue;
      if (token.kind === 'pipe') break;
      if (token.kind === 'close' || token.kind === 'rightParenthesis') {
        this.#at -= 1;
        break;
      }
      this.#unexpected(token, 'operand');
    }
    const [first, ...others] = operands;
    if (first === undefined) this.#fail('empty command');
    const source = this.#text.slice(offset, this.#tokens[this.#at]?.offset).replace(/[\s|]+$/, '');
    return { operands: [first, ...others], offset, source };
  }

  #operand(): Operand | undefined {
    const term = this.#term();
    if (term === undefined) return undefined;
    const names: string[] = [];
    while (this.#peek().kind === 'field') names.push(this.#next().text.slice(1));
    if (names.length === 0) return term;
    if (term.type === 'field') return { ...term, names: [...term.names, ...names], source: this.#since(term.offset) };
    if (term.type === 'variable') return { ...term, names, source: this.#since(term.offset) };
    if (term.type === 'constant' || term.type === 'nil' || term.type === 'dot') {
      this.#fail(`unexpected . after term ${JSON.stringify(term.source)}`);
    }
    return { type: 'chain', operand: term, names, offset: term.offset, source: this.#since(term.offset) };
  }

  #term(): Operand | undefined {
    const token = this.#next();
    const { kind, text, offset } = token;
    const source = this.#text.slice(offset, this.#peek().offset);
    switch (kind) {
      case 'identifier':
        if (!this.#isFunction(text)) this.#fail(`function ${JSON.stringify(text)} not defined`);
        return { type: 'function', name: text, offset, source };
      case 'dot':
      case 'nil':
        return { type: kind, offset, source };
      case 'variable':
        this.#checkVariable(text);
        return { type: 'variable', name: text, names: [], offset, source };
      case 'field':
        return { type: 'field', names: [text.slice(1)], offset, source };
      case 'boolean':
        return { type: 'constant', value: text === 'true', offset, source };
      case 'character':
        return { type: 'constant', value: text.codePointAt(0) ?? 0, offset, source };
      case 'number':
        return { type: 'constant', value: this.#number(text), offset, source };
      case 'string':
        return { type: 'constant', value: text, offset, source };
      case 'leftParenthesis':
        return this.#pipeline('parenthesized pipeline', 'rightParenthesis');
      default:
        this.#at -= 1;
        return undefined;
    }
  }

  #number(text: string): number | Float {
    const digits = text.replaceAll('_', '').replace(/^\+/, '');
    const isFloat = /[.eE]/.test(digits) && !/^-?0[xX]/.test(digits);
    if (isFloat) return new Float(Number(digits));
    const isNegative = digits.startsWith('-');
    const magnitude = isNegative ? digits.slice(1) : digits;
    const value = Number(/^0\d/.test(magnitude) ? `0o${magnitude.slice(1)}` : magnitude);
    if (!Number.isSafeInteger(value)) this.#fail(`illegal number syntax: ${JSON.stringify(text)}`);
    return isNegative ? -value : value;
  }

  #checkVariable(name: string): void {
    if (!this.#variables.includes(name)) this.#fail(`undefined variable ${JSON.stringify(name)}`);
  }

  #since(offset: number): string {
    return this.#text.slice(offset, this.#peek().offset);
  }

  #next(): Token {
    const token = this.#peek();
    if (token.kind !== 'end') this.#at += 1;
    return token;
  }

  #peek(): Token {
    const token = this.#tokens[this.#at] ?? this.#tokens.at(-1);
    return token ?? { kind: 'end', text: '', offset: this.#text.length };
  }

  #nextNonSpace(): Token {
    this.#peekNonSpace();
    return this.#next();
  }

  #peekNonSpace(): Token {
    while (this.#peek().kind === 'space') this.#at += 1;
    return this.#peek();
  }

  #expect(kind: TokenKind, context: string): void {
    const token = this.#nextNonSpace();
    if (token.kind !== kind) this.#unexpected(token, context);
  }

  #unexpected(token: Token, context: string): never {
    const found = token.kind === 'end' ? 'EOF' : JSON.stringify(token.text);
    this.#fail(`unexpected ${found} in ${context}`, token.offset);
  }

  #fail(problem: string, offset = this.#tokens[Math.max(0, this.#at - 1)]?.offset ?? 0): never {
    throw new TemplateError(`template: ${this.#name}:${lineOf(this.#text, offset)}: ${problem}`);
  }
}
