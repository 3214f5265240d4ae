/**
 * The part of Go's text/template that scheduler_perf's templates are written in: `{{ .Index }}`,
 * `{{ .Count }}`, and calls of functions, with parentheses and pipes. Anything else (conditions, loops,
 * variables) is refused by name when the template is read.
 */
import { printedValue, TEMPLATE_FUNCTIONS, type TemplateValue } from './template-functions.js';

/** What a template knows: which object of how many it is expanded for. */
export interface TemplateValues {
  /** From 0. */
  readonly Index: number;
  readonly Count: number;
}

/** One `{{ … }}`. */
export interface TemplateAction {
  /** Where it begins in the text. */
  readonly offset: number;
  /** Its text. @throws RangeError when a function cannot do what it is asked */
  evaluate(values: TemplateValues): string;
}

/** Text as it is, or an action. */
export type TemplatePart = string | TemplateAction;

/** Makes the error for a fault at an offset of the text. */
export type RefuseAt = (offset: number, problem: string) => Error;

type Expression = (values: TemplateValues) => TemplateValue;

const ACTION = /\{\{(-\s)?((?:"(?:[^"\\]|\\.)*"|`[^`]*`|[^"`])*?)(\s-)?\}\}/g;
const TOKEN = /\s*(?:(\.\w*)|([A-Za-z_]\w*)|(-?\d+(?:\.\d+)?)|("(?:[^"\\]|\\.)*")|(`[^`]*`)|([()|]))/y;

/** Splits a text into what stands and what is computed. @throws what `refuse` makes */
export function parseGoTemplate(text: string, refuse: RefuseAt): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  let isTrimmed = false;
  const addText = (until: number, trimsEnd: boolean): void => {
    let piece = text.slice(end, until);
    if (isTrimmed) piece = piece.trimStart();
    if (trimsEnd) piece = piece.trimEnd();
    const open = piece.indexOf('{{');
    if (open !== -1) throw refuse(end + open, 'has {{ without }}');
    if (piece !== '') parts.push(piece);
  };
  for (const match of text.matchAll(ACTION)) {
    const [whole, trimBefore, source = '', trimAfter] = match;
    addText(match.index, trimBefore !== undefined);
    end = match.index + whole.length;
    isTrimmed = trimAfter !== undefined;
    if (/^\s*\/\*[^]*\*\/\s*$/.test(source)) continue;
    parts.push(actionOf(source, match.index, refuse));
  }
  addText(text.length, false);
  return parts;
}

function actionOf(source: string, offset: number, refuse: RefuseAt): TemplateAction {
  const expression = new ActionParser(source, (problem) =>
    refuse(offset, `{{ ${source.trim()} }}: ${problem}`),
  ).parse();
  return { offset, evaluate: (values) => printedValue(expression(values)) };
}

interface Token {
  readonly kind: 'field' | 'name' | 'number' | 'text' | 'sign';
  readonly text: string;
}

const KINDS = ['field', 'name', 'number', 'text', 'text', 'sign'] as const;

/** One action, by recursive descent. */
class ActionParser {
  readonly #tokens: readonly Token[];
  readonly #refuse: (problem: string) => Error;
  #at = 0;

  constructor(source: string, refuse: (problem: string) => Error) {
    this.#refuse = refuse;
    this.#tokens = this.#tokenize(source.trim());
  }

  parse(): Expression {
    const expression = this.#pipeline();
    const rest = this.#tokens[this.#at];
    if (rest !== undefined) throw this.#refuse(`cannot go on with ${rest.text}`);
    return expression;
  }

  #tokenize(source: string): readonly Token[] {
    const tokens: Token[] = [];
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < source.length) {
      const from = TOKEN.lastIndex;
      const match = TOKEN.exec(source);
      const group = match?.slice(1).findIndex((each) => each !== undefined) ?? -1;
      const kind = KINDS[group];
      const text = match?.[group + 1];
      if (kind === undefined || text === undefined) throw this.#refuse(notSupported(source.slice(from).trim()));
      tokens.push({ kind, text });
    }
    return tokens;
  }

  /** `a | f x` is `f x a`. */
  #pipeline(): Expression {
    let value = this.#command(undefined);
    while (this.#take('|')) value = this.#command(value);
    return value;
  }

  #command(piped: Expression | undefined): Expression {
    const first = this.#tokens[this.#at];
    if (first?.kind === 'name') {
      this.#at += 1;
      const call = TEMPLATE_FUNCTIONS.get(first.text);
      if (call === undefined) throw this.#refuse(notSupported(first.text));
      const values: Expression[] = [];
      for (let next = this.#operand(); next !== undefined; next = this.#operand()) values.push(next);
      if (piped !== undefined) values.push(piped);
      return (given) => call(...values.map((value) => value(given)));
    }
    const operand = this.#operand();
    if (operand === undefined) throw this.#refuse('a value is missing');
    if (piped !== undefined) throw this.#refuse('only a function can come after |');
    return operand;
  }

  #operand(): Expression | undefined {
    const token = this.#tokens[this.#at];
    if (token === undefined || token.text === ')' || token.text === '|') return undefined;
    this.#at += 1;
    switch (token.kind) {
      case 'field':
        return this.#field(token.text);
      case 'number': {
        const value = Number(token.text);
        return () => value;
      }
      case 'text': {
        const value = this.#unquoted(token.text);
        return () => value;
      }
      case 'name':
        throw this.#refuse(`put the call of ${token.text} in parentheses`);
      case 'sign': {
        const inner = this.#pipeline();
        if (!this.#take(')')) throw this.#refuse('a ) is missing');
        return inner;
      }
    }
  }

  #field(name: string): Expression {
    if (name === '.Index') return ({ Index }) => Index;
    if (name === '.Count') return ({ Count }) => Count;
    throw this.#refuse(`${name} is not known; templates know .Index and .Count`);
  }

  #unquoted(text: string): string {
    if (text.startsWith('`')) return text.slice(1, -1);
    try {
      return JSON.parse(text) as string;
    } catch {
      throw this.#refuse(`${text} is no text that can be read`);
    }
  }

  #take(sign: string): boolean {
    if (this.#tokens[this.#at]?.text !== sign) return false;
    this.#at += 1;
    return true;
  }
}

function notSupported(construct: string): string {
  const functions = [...TEMPLATE_FUNCTIONS.keys()].join(', ');
  return `${construct} is not supported; supported are .Index, .Count, parentheses, | and ${functions}`;
}
