/**
 * Queries in jq's language, read into filters: paths, pipes, alternatives, arithmetic, comparisons, texts with
 * interpolation, lists, objects, conditions, `try`, `reduce`, `foreach`, variables and the functions of jq-functions.ts.
 * Assignments, definitions of functions, labels, formats and modules are refused.
 */
import { IDENTITY, paired, piped, single, type Filter, type JqScope } from './jq-filter.js';
import { jqFunction, recursed } from './jq-functions.js';
import { JqError, jqTokens, type JqToken } from './jq-tokens.js';
import {
  addJson,
  compareJson,
  computeJson,
  isSameValue,
  isTruthy,
  jsonAt,
  jsonItems,
  jsonSlice,
  jsonText,
  type Json,
} from './jq-values.js';

const COMPARISONS: Readonly<Record<string, (a: Json, b: Json) => boolean>> = {
  '==': isSameValue,
  '!=': (a, b) => !isSameValue(a, b),
  '<': (a, b) => compareJson(a, b) < 0,
  '<=': (a, b) => compareJson(a, b) <= 0,
  '>': (a, b) => compareJson(a, b) > 0,
  '>=': (a, b) => compareJson(a, b) >= 0,
};

const CONSTANTS: Readonly<Record<string, Json>> = { true: true, false: false, null: null };

/** @throws JqError for a text that is no query, or asks for what is not here */
export function parseQuery(text: string): Filter {
  return new Parser(text).whole();
}

class Parser {
  readonly #tokens: readonly JqToken[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = jqTokens(text);
  }

  whole(): Filter {
    if (this.#tokens.length === 0) return IDENTITY;
    const filter = this.#pipe();
    const rest = this.#peek();
    if (rest !== undefined) throw new JqError(`unexpected token ${JSON.stringify(printedToken(rest))}`);
    return filter;
  }

  #pipe(): Filter {
    const first = this.#commas();
    if (this.#takes('as')) return this.#binding(first);
    return this.#takesSign('|') ? piped(first, this.#pipe()) : first;
  }

  /** `… as $name | …` */
  #binding(source: Filter): Filter {
    const name = this.#variable();
    this.#needSign('|');
    const body = this.#pipe();
    return function* bind(input, outer) {
      for (const value of source(input, outer)) yield* body(input, { name, value, outer });
    };
  }

  #commas(): Filter {
    const first = this.#alternatives();
    if (!this.#takesSign(',')) return first;
    const rest = this.#commas();
    return function* both(input, scope) {
      yield* first(input, scope);
      yield* rest(input, scope);
    };
  }

  #alternatives(): Filter {
    const first = this.#disjunction();
    if (!this.#takesSign('//')) return first;
    const rest = this.#alternatives();
    return function* alternative(input, scope) {
      const good = truthyOf(first, input, scope);
      if (good.length > 0) yield* good;
      else yield* rest(input, scope);
    };
  }

  #disjunction(): Filter {
    let filter = this.#conjunction();
    while (this.#takes('or')) filter = connected(filter, this.#conjunction(), true);
    return filter;
  }

  #conjunction(): Filter {
    let filter = this.#comparison();
    while (this.#takes('and')) filter = connected(filter, this.#comparison(), false);
    return filter;
  }

  #comparison(): Filter {
    const first = this.#sum();
    for (const [sign, holds] of Object.entries(COMPARISONS)) {
      if (this.#takesSign(sign)) return paired(first, this.#sum(), holds);
    }
    return first;
  }

  #sum(): Filter {
    let filter = this.#product();
    for (;;) {
      if (this.#takesSign('+')) filter = paired(filter, this.#product(), addJson);
      else if (this.#takesSign('-')) filter = paired(filter, this.#product(), (a, b) => computeJson('-', a, b));
      else return filter;
    }
  }

  #product(): Filter {
    let filter = this.#postfix();
    for (;;) {
      const sign = ['*', '/', '%'].find((each) => this.#takesSign(each));
      if (sign === undefined) return filter;
      filter = paired(filter, this.#postfix(), (a, b) => computeJson(sign, a, b));
    }
  }

  #postfix(): Filter {
    if (this.#takesSign('-'))
      return piped(
        this.#postfix(),
        single((value) => computeJson('-', 0, value)),
      );
    let filter = this.#term();
    for (;;) {
      const next = this.#suffix();
      if (next === undefined) return filter;
      filter = next(filter);
    }
  }

  /** What follows a term: `.name`, `[…]`, `?`. */
  #suffix(): ((filter: Filter) => Filter) | undefined {
    const token = this.#peek();
    if (token?.type === 'field') {
      this.#at += 1;
      return (filter) =>
        piped(
          filter,
          single((value) => jsonAt(value, token.text)),
        );
    }
    if (this.#takesSign('?')) return attempted;
    if (this.#takesSign('[')) return this.#brackets();
    if (token?.type === 'sign' && token.text === '.') {
      const after = this.#tokens[this.#at + 1];
      this.#at += 1;
      if (after?.type === 'text') return keyed(this.#text());
      this.#needSign('[');
      return this.#brackets();
    }
    return undefined;
  }

  /** Behind an opening bracket: nothing, a key, or a slice. */
  #brackets(): (filter: Filter) => Filter {
    if (this.#takesSign(']')) return (filter) => piped(filter, jsonItems);
    const from = this.#takesSign(':') ? undefined : this.#pipe();
    if (from !== undefined && this.#takesSign(']')) return keyed(from);
    if (from !== undefined) this.#needSign(':');
    const to = this.#takesSign(']') ? nothing : this.#pipe();
    if (to !== nothing) this.#needSign(']');
    return (filter) =>
      function* slices(input, scope) {
        for (const end of to(input, scope))
          for (const begin of (from ?? nothing)(input, scope))
            for (const value of filter(input, scope)) yield jsonSlice(value, begin, end);
      };
  }

  #term(): Filter {
    const token = this.#peek();
    if (token === undefined) throw new JqError('unexpected EOF');
    this.#at += 1;
    switch (token.type) {
      case 'number':
        return () => [token.value];
      case 'text':
        this.#at -= 1;
        return this.#text();
      case 'field':
        return single((value) => jsonAt(value, token.text));
      case 'variable':
        return variable(token.text);
      case 'word':
        return this.#word(token.text);
      case 'format':
        throw new JqError(`format not supported: ${token.text}`);
      case 'sign':
        return this.#signed(token.text);
    }
  }

  #signed(sign: string): Filter {
    if (sign === '(') return this.#until(')');
    if (sign === '{') return this.#object();
    if (sign === '..') return recursed;
    if (sign === '[') {
      if (this.#takesSign(']')) return () => [[]];
      const items = this.#until(']');
      return (input, scope) => [[...items(input, scope)]];
    }
    if (sign !== '.') throw new JqError(`unexpected token ${JSON.stringify(sign)}`);
    if (this.#peek()?.type === 'text') return keyed(this.#text())(IDENTITY);
    return IDENTITY;
  }

  #word(word: string): Filter {
    if (Object.hasOwn(CONSTANTS, word)) return () => [CONSTANTS[word] ?? null];
    if (word === 'if') return this.#condition();
    if (word === 'try') {
      const body = this.#postfix();
      return this.#takes('catch') ? caught(body, this.#postfix()) : attempted(body);
    }
    if (word === 'reduce' || word === 'foreach') return this.#fold(word === 'foreach');
    if (word === 'def' || word === 'label' || word === 'import' || word === 'include')
      throw new JqError(`${word} is not supported`);
    const values: Filter[] = [];
    if (this.#takesSign('(')) {
      do values.push(this.#pipe());
      while (this.#takesSign(';'));
      this.#needSign(')');
    }
    return jqFunction(word, values);
  }

  #condition(): Filter {
    const test = this.#pipe();
    this.#need('then');
    const yes = this.#pipe();
    let no: Filter = IDENTITY;
    if (this.#takes('elif')) no = this.#condition();
    else {
      if (this.#takes('else')) no = this.#pipe();
      this.#need('end');
    }
    return function* choose(input, scope) {
      for (const value of test(input, scope)) yield* (isTruthy(value) ? yes : no)(input, scope);
    };
  }

  /** `reduce … as $x (…; …)` and `foreach … as $x (…; …; …)` */
  #fold(isForeach: boolean): Filter {
    const source = this.#postfix();
    this.#need('as');
    const name = this.#variable();
    this.#needSign('(');
    const initial = this.#pipe();
    this.#needSign(';');
    const update = this.#pipe();
    const extract = isForeach && this.#takesSign(';') ? this.#pipe() : IDENTITY;
    this.#needSign(')');
    return function* fold(input, outer) {
      for (const first of initial(input, outer)) {
        let state: Json = first;
        for (const value of source(input, outer)) {
          const scope = { name, value, outer };
          state = [...update(state, scope)].at(-1) ?? null;
          if (isForeach) yield* extract(state, scope);
        }
        if (!isForeach) yield state;
      }
    };
  }

  #object(): Filter {
    const fields: { readonly key: Filter; readonly value: Filter }[] = [];
    while (!this.#takesSign('}')) {
      fields.push(this.#field());
      if (!this.#takesSign(',') && !this.#isSign('}')) throw new JqError('unexpected token in an object');
    }
    const made = (place: number, object: Record<string, Json>, input: Json, scope: JqScope | undefined): Json[] => {
      const field = fields[place];
      if (field === undefined) return [{ ...object }];
      return [...field.key(input, scope)].flatMap((key) =>
        [...field.value(input, scope)].flatMap((value) => {
          if (typeof key !== 'string') throw new JqError(`expected a string for object key but got: ${jsonText(key)}`);
          return made(place + 1, { ...object, [key]: value }, input, scope);
        }),
      );
    };
    return (input, scope) => made(0, {}, input, scope);
  }

  #field(): { readonly key: Filter; readonly value: Filter } {
    const token = this.#peek();
    if (token?.type === 'variable') {
      this.#at += 1;
      return { key: () => [token.text], value: variable(token.text) };
    }
    const key = this.#fieldKey();
    if (this.#takesSign(':')) return { key, value: this.#fieldValue() };
    return { key, value: keyed(key)(IDENTITY) };
  }

  #fieldKey(): Filter {
    const token = this.#peek();
    if (token?.type === 'text') return this.#text();
    this.#at += 1;
    if (token?.type === 'word') return () => [token.text];
    if (token?.type === 'sign' && token.text === '(') return this.#until(')');
    throw new JqError('unexpected token in an object');
  }

  /** Values of fields end at a comma, but may be pipes. */
  #fieldValue(): Filter {
    const first = this.#alternatives();
    return this.#takesSign('|') ? piped(first, this.#fieldValue()) : first;
  }

  #text(): Filter {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    if (token?.type !== 'text') throw new JqError('expected a string');
    const parts = token.parts.map((part) => (typeof part === 'string' ? part : parseQuery(part.query)));
    return parts.reduce<Filter>(
      (before, part) =>
        typeof part === 'string'
          ? piped(
              before,
              single((text) => `${jsonText(text)}${part}`),
            )
          : paired(before, part, (text, value) => `${jsonText(text)}${jsonText(value)}`),
      () => [''],
    );
  }

  #until(sign: string): Filter {
    const filter = this.#pipe();
    this.#needSign(sign);
    return filter;
  }

  #variable(): string {
    const token = this.#peek();
    if (token?.type !== 'variable') throw new JqError('expected a variable');
    this.#at += 1;
    return token.text;
  }

  #peek(): JqToken | undefined {
    return this.#tokens[this.#at];
  }

  #isSign(sign: string): boolean {
    const token = this.#peek();
    return token?.type === 'sign' && token.text === sign;
  }

  #takesSign(sign: string): boolean {
    const isNext = this.#isSign(sign);
    if (isNext) this.#at += 1;
    return isNext;
  }

  #takes(word: string): boolean {
    const token = this.#peek();
    const isNext = token?.type === 'word' && token.text === word;
    if (isNext) this.#at += 1;
    return isNext;
  }

  #needSign(sign: string): void {
    if (!this.#takesSign(sign)) throw new JqError(`expected ${JSON.stringify(sign)}`);
  }

  #need(word: string): void {
    if (!this.#takes(word)) throw new JqError(`expected ${JSON.stringify(word)}`);
  }
}

function printedToken(token: JqToken): string {
  if (token.type === 'number') return String(token.value);
  return token.type === 'text' ? '"' : token.text;
}

const nothing: Filter = () => [null];

function keyed(key: Filter): (filter: Filter) => Filter {
  return (filter) =>
    function* keys(input, scope) {
      for (const value of filter(input, scope)) for (const name of key(input, scope)) yield jsonAt(value, name);
    };
}

function variable(name: string): Filter {
  return (_input, scope) => {
    for (let each = scope; each !== undefined; each = each.outer) if (each.name === name) return [each.value];
    throw new JqError(`variable not defined: $${name}`);
  };
}

function connected(first: Filter, second: Filter, ends: boolean): Filter {
  return function* connect(input, scope) {
    for (const a of first(input, scope)) {
      if (isTruthy(a) === ends) yield ends;
      else for (const b of second(input, scope)) yield isTruthy(b);
    }
  };
}

/** The good answers of a filter up to its first error. */
function truthyOf(filter: Filter, input: Json, scope: JqScope | undefined): readonly Json[] {
  return [...attempted(filter)(input, scope)].filter(isTruthy);
}

function attempted(filter: Filter): Filter {
  return caught(filter, () => []);
}

function caught(filter: Filter, handler: Filter): Filter {
  return function* attempt(input, scope) {
    try {
      yield* filter(input, scope);
    } catch (error) {
      if (!(error instanceof JqError)) throw error;
      yield* handler(error.message, scope);
    }
  };
}
