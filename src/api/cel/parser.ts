/** Reads an expression: the grammar of cel-go v0.26 with optional syntax, two-variable loops and quoted field names. */
import {
  CelSyntaxError,
  type CelNode,
  type LoopForm,
  type StructField,
  qualifiedName,
  RESERVED_WORDS,
  type MapNode,
  type ListNode,
} from './syntax.js';
import { tokensOf, type Token } from './tokens.js';
import { CelUint, LARGEST_INT, LARGEST_UINT } from './values.js';

/** The tree of an expression. @throws CelSyntaxError */
export function parseExpression(text: string, hasBindings = false): CelNode {
  return new Parser(tokensOf(text), hasBindings).whole();
}

const UNSUPPORTED_QUOTES = "unsupported syntax: '`'";
const PRIMARY =
  "'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";
/** cel-go's maxRecursionDepth. */
const DEEPEST = 250;
const BINARY: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['<', '<=', '>=', '>', '==', '!=', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
];

class Parser {
  readonly #tokens: readonly Token[];
  readonly #hasBindings: boolean;
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], hasBindings: boolean) {
    this.#tokens = tokens;
    this.#hasBindings = hasBindings;
  }

  whole(): CelNode {
    const node = this.#expression();
    const found = this.#peek();
    if (found.form === 'end') return node;
    throw this.#unexpected(found, '<EOF>', this.#ahead(1)?.form === 'end');
  }

  #peek(): Token {
    return this.#tokens[this.#next] as Token;
  }

  #take(): Token {
    const token = this.#peek();
    if (token.form !== 'end') this.#next += 1;
    return token;
  }

  #isAt(mark: string): boolean {
    const { form, text } = this.#peek();
    return form === 'mark' && text === mark;
  }

  #accept(mark: string): Token | undefined {
    return this.#isAt(mark) ? this.#take() : undefined;
  }

  #expect(mark: string): Token {
    const found = this.#accept(mark);
    if (found !== undefined) return found;
    const wrong = this.#peek();
    if (isMarkOf(this.#ahead(1), mark)) throw this.#unexpected(wrong, `'${mark}'`, true);
    if (mark === ':' && !isBeginning(wrong)) throw this.#unexpected(wrong, `'${mark}'`, false);
    throw new CelSyntaxError(`Syntax error: missing '${mark}' at '${wrong.text}'`, wrong.at);
  }

  /** The end of items, of which another one could follow. */
  #expectEnd(mark: string): void {
    if (this.#accept(mark) !== undefined) return;
    const next = this.#ahead(1);
    throw this.#unexpected(this.#peek(), `{'${mark}', ','}`, isMarkOf(next, mark) || isMarkOf(next, ','));
  }

  #ahead(count: number): Token | undefined {
    return this.#tokens[this.#next + count];
  }

  /** As ANTLR tells it: what is expected comes after the token, which is then too much, or does not come at all. */
  #unexpected({ text, at }: Token, expecting: string, isTooMuch: boolean): CelSyntaxError {
    const how = isTooMuch ? 'extraneous' : 'mismatched';
    return new CelSyntaxError(`Syntax error: ${how} input '${text}' expecting ${expecting}`, at);
  }

  #expression(): CelNode {
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw new CelSyntaxError(`expression recursion limit exceeded: ${DEEPEST}`, 0);
    const condition = this.#binary(0);
    const mark = this.#accept('?');
    if (mark !== undefined) {
      const yes = this.#binary(0);
      this.#expect(':');
      const no = this.#expression();
      this.#depth -= 1;
      return { form: 'call', name: '_?_:_', target: undefined, args: [condition, yes, no], at: mark.at };
    }
    this.#depth -= 1;
    return condition;
  }

  #binary(level: number): CelNode {
    const marks = BINARY[level];
    if (marks === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const { form, text, at } = this.#peek();
      const isMark = form === 'mark' || (form === 'name' && text === 'in');
      if (!isMark || !marks.includes(text)) return left;
      this.#take();
      const right = this.#binary(level + 1);
      const name = text === 'in' ? '@in' : `_${text}_`;
      left = { form: 'call', name, target: undefined, args: [left, right], at };
    }
  }

  #unary(): CelNode {
    const { form, text, at } = this.#peek();
    if (form !== 'mark' || (text !== '!' && text !== '-')) return this.#member();
    this.#take();
    const { form: next, text: digits } = this.#peek();
    if (text === '-' && (next === 'int' || next === 'double')) {
      this.#take();
      const value = next === 'double' ? -Number(digits) : wholeNumber(`-${digits}`, at);
      return this.#memberOf({ form: 'literal', value, at });
    }
    let times = 1;
    while (this.#accept(text) !== undefined) times += 1;
    const operand = this.#member();
    if (times % 2 === 0) return operand;
    return { form: 'call', name: `${text}_`, target: undefined, args: [operand], at };
  }

  #member(): CelNode {
    return this.#memberOf(this.#primary());
  }

  #memberOf(first: CelNode): CelNode {
    let node = first;
    for (;;) {
      const dot = this.#accept('.');
      if (dot !== undefined) {
        node = this.#field(node, dot);
        continue;
      }
      const bracket = this.#accept('[');
      if (bracket === undefined) return node;
      const isOptional = this.#accept('?') !== undefined;
      const index = this.#expression();
      this.#expect(']');
      const name = isOptional ? '_[?_]' : '_[_]';
      node = { form: 'call', name, target: undefined, args: [node, index], at: bracket.at };
    }
  }

  #field(operand: CelNode, { at }: Token): CelNode {
    const isOptional = this.#accept('?') !== undefined;
    const { form, text, at: nameAt } = this.#take();
    if (form === 'quoted') throw new CelSyntaxError(UNSUPPORTED_QUOTES, nameAt);
    if (form !== 'name') {
      throw new CelSyntaxError(`Syntax error: no viable alternative at input '.${form === 'end' ? '' : text}'`, nameAt);
    }
    const open = form === 'name' && !isOptional ? this.#accept('(') : undefined;
    if (open === undefined) return { form: 'select', operand, field: text, isTest: false, isOptional, at };
    const args = this.#args(')');
    if (this.#hasBindings && text === 'bind' && operand.form === 'ident' && operand.name === 'cel') {
      const [variable, value, body] = args;
      if (value !== undefined && body !== undefined && args.length === 3) {
        return { form: 'bind', variable: boundName(variable), value, body, at: open.at };
      }
    }
    return macro(operand, text, args, open.at) ?? { form: 'call', name: text, target: operand, args, at: open.at };
  }

  #args(end: string): readonly CelNode[] {
    const args: CelNode[] = [];
    if (this.#accept(end) !== undefined) return args;
    do args.push(this.#expression());
    while (this.#accept(',') !== undefined);
    this.#expect(end);
    return args;
  }

  #primary(): CelNode {
    const token = this.#take();
    const { form, text, at } = token;
    switch (form) {
      case 'int':
        return { form: 'literal', value: wholeNumber(text, at), at };
      case 'uint':
        return { form: 'literal', value: wholeUint(text, at), at };
      case 'double':
        return { form: 'literal', value: Number(text), at };
      case 'string':
        return { form: 'literal', value: text, at };
      case 'bytes':
        return { form: 'literal', value: new Uint8Array(Buffer.from(text, isLatin(text) ? 'latin1' : 'utf8')), at };
      case 'name':
        return this.#named(token);
      case 'mark':
        return this.#marked(token);
      default:
        throw this.#unexpected(token, `{${PRIMARY}}`, false);
    }
  }

  #marked(token: Token): CelNode {
    const { text, at } = token;
    if (text === '(') {
      const node = this.#expression();
      this.#expect(')');
      return node;
    }
    if (text === '[') return this.#list(at);
    if (text === '{') return this.#map(at);
    if (text === '.') {
      const name = this.#take();
      if (name.form === 'name') return this.#named(name);
      throw new CelSyntaxError(`Syntax error: mismatched input '${name.text}' expecting IDENTIFIER`, name.at);
    }
    throw this.#unexpected(token, `{${PRIMARY}}`, isBeginning(this.#peek()));
  }

  #list(at: number): CelNode {
    const items: ListNode['items'][number][] = [];
    while (!this.#isAt(']')) {
      const isOptional = this.#accept('?') !== undefined;
      items.push({ value: this.#expression(), isOptional });
      if (this.#accept(',') === undefined) break;
    }
    if (items.length === 0) this.#expect(']');
    else this.#expectEnd(']');
    return { form: 'list', items, at };
  }

  #map(at: number): CelNode {
    const entries: MapNode['entries'][number][] = [];
    while (!this.#isAt('}')) {
      const isOptional = this.#accept('?') !== undefined;
      const key = this.#expression();
      this.#expect(':');
      entries.push({ key, value: this.#expression(), isOptional });
      if (this.#accept(',') === undefined) break;
    }
    if (entries.length === 0) this.#expect('}');
    else this.#expectEnd('}');
    return { form: 'map', entries, at };
  }

  #named({ text, at }: Token): CelNode {
    if (text === 'true' || text === 'false') return { form: 'literal', value: text === 'true', at };
    if (text === 'null') return { form: 'literal', value: null, at };
    if (text === 'in') throw new CelSyntaxError(`Syntax error: mismatched input 'in' expecting {${PRIMARY}}`, at);
    const struct = this.#struct();
    if (struct !== undefined) return { ...struct, typeName: `${text}${struct.typeName}` };
    if (RESERVED_WORDS.has(text)) throw new CelSyntaxError(`reserved identifier: ${text}`, at);
    const open = this.#accept('(');
    if (open === undefined) return { form: 'ident', name: text, at };
    const args = this.#args(')');
    const [only] = args;
    if (text === 'has' && args.length === 1 && only !== undefined) {
      if (only.form !== 'select' || only.isTest) throw new CelSyntaxError('invalid argument to has() macro', only.at);
      return { ...only, isTest: true, at: open.at };
    }
    return { form: 'call', name: text, target: undefined, args, at: open.at };
  }

  /** What follows the first name of `a.b{…}`; undefined where no such thing follows. */
  #struct(): (CelNode & { readonly form: 'struct' }) | undefined {
    let ahead = this.#next;
    let typeName = '';
    while (this.#tokens[ahead]?.text === '.' && this.#tokens[ahead + 1]?.form === 'name') {
      typeName += `.${this.#tokens[ahead + 1]?.text}`;
      ahead += 2;
    }
    const open = this.#tokens[ahead];
    if (open?.form !== 'mark' || open.text !== '{') return undefined;
    this.#next = ahead + 1;
    const fields: StructField[] = [];
    while (!this.#isAt('}')) {
      const isOptional = this.#accept('?') !== undefined;
      const { form, text: name, at } = this.#take();
      if (form === 'quoted') throw new CelSyntaxError(UNSUPPORTED_QUOTES, at);
      if (form !== 'name') {
        throw new CelSyntaxError(`Syntax error: mismatched input '${name}' expecting '}'`, at);
      }
      const colon = this.#expect(':');
      fields.push({ name, value: this.#expression(), isOptional, at: colon.at });
      if (this.#accept(',') === undefined) break;
    }
    this.#expect('}');
    return { form: 'struct', typeName, fields, at: open.at };
  }
}

function isMarkOf(token: Token | undefined, text: string): boolean {
  return token?.form === 'mark' && token.text === text;
}

const BEGINNINGS: ReadonlySet<string> = new Set(['[', '{', '(', '.', '-', '!']);

/** Whether an expression can begin with a token. */
function isBeginning({ form, text }: Token): boolean {
  if (form === 'mark') return BEGINNINGS.has(text);
  return form !== 'end' && form !== 'quoted' && text !== 'in';
}

function isLatin(text: string): boolean {
  return Array.from(text).every((letter) => (letter.codePointAt(0) ?? 0) <= 0xff) && /[\u0080-\u00ff]/.test(text);
}

function wholeNumber(digits: string, at: number): bigint {
  const isNegative = digits.startsWith('-');
  const size = BigInt(isNegative ? digits.slice(1) : digits);
  if (size > LARGEST_INT + (isNegative ? 1n : 0n)) throw new CelSyntaxError('invalid int literal', at);
  return isNegative ? -size : size;
}

function wholeUint(digits: string, at: number): CelUint {
  const size = BigInt(digits);
  if (size > LARGEST_UINT) throw new CelSyntaxError('invalid uint literal', at);
  return new CelUint(size);
}

/** Macros by the number of their arguments: those of one variable, and those of two. */
const LOOPS: Readonly<Record<string, readonly (readonly [args: number, loop: LoopForm, variables: 1 | 2])[]>> = {
  all: [
    [2, 'all', 1],
    [3, 'all', 2],
  ],
  exists: [
    [2, 'exists', 1],
    [3, 'exists', 2],
  ],
  exists_one: [[2, 'existsOne', 1]],
  existsOne: [
    [2, 'existsOne', 1],
    [3, 'existsOne', 2],
  ],
  map: [
    [2, 'map', 1],
    [3, 'map', 1],
  ],
  filter: [[2, 'filter', 1]],
  transformList: [
    [3, 'transformList', 2],
    [4, 'transformList', 2],
  ],
  transformMap: [
    [3, 'transformMap', 2],
    [4, 'transformMap', 2],
  ],
  transformMapEntry: [
    [3, 'transformMapEntry', 2],
    [4, 'transformMapEntry', 2],
  ],
};

function macro(target: CelNode, name: string, args: readonly CelNode[], at: number): CelNode | undefined {
  const [first] = args;
  if ((name === 'optMap' || name === 'optFlatMap') && args.length === 2) {
    const body = args[1] as CelNode;
    return { form: 'optionalMap', target, variable: variableOf(first), body, isFlat: name === 'optFlatMap', at };
  }
  const found = Object.hasOwn(LOOPS, name) ? LOOPS[name]?.find(([count]) => count === args.length) : undefined;
  if (found === undefined) return undefined;
  const [, loop, variables] = found;
  const second = variables === 2 ? variableOf(args[1]) : undefined;
  const rest = args.slice(variables);
  const filter = rest.length === 2 ? rest[0] : undefined;
  return {
    form: 'loop',
    loop,
    range: target,
    variable: variableOf(first),
    second,
    filter,
    body: rest.at(-1) as CelNode,
    at,
  };
}

function boundName(node: CelNode | undefined): string {
  if (node?.form === 'ident') return node.name;
  throw new CelSyntaxError('cel.bind() variable names must be simple identifiers', node?.at ?? 0);
}

function variableOf(node: CelNode | undefined): string {
  const name = node?.form === 'ident' ? qualifiedName(node) : undefined;
  if (name === undefined) throw new CelSyntaxError('argument must be a simple name', node?.at ?? 0);
  return name;
}
