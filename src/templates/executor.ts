/**
 * Carries out a template: text/template/exec.go. What is not there prints as `<no value>`, or is an error where
 * the template is asked for that; every error names the file, the line and what was evaluated.
 */
import { printedValue } from './format.js';
import { callFunction, type FunctionTable } from './functions.js';
import type { Command, Operand, Pipeline, Statement, SyntaxTree } from './syntax-tree.js';
import { FunctionError, TemplateError } from './template-error.js';
import { lineOf } from './tokens.js';
import { isList, isNil, isTrue, kindOf, sortedEntries, typeName, type Value } from './values.js';

/** What a key that a map does not have is: `<no value>`, or an error. */
export type MissingKey = 'default' | 'error';

/** What surrounds an execution. */
export interface ExecutionSettings {
  readonly functions: FunctionTable;
  readonly missingKey: MissingKey;
  /** Templates by name, for `{{template}}`. */
  readonly templates: ReadonlyMap<string, { readonly body: readonly Statement[]; readonly tree: SyntaxTree }>;
}

/** Templates that call each other deeper than that are said to have no end. */
const MAX_DEPTH = 1000;
const LONGEST_CONTEXT = 20;
const NO_VALUE = '<no value>';

/** How a list of statements ended. */
type Flow = 'break' | 'continue' | undefined;

interface Variable {
  readonly name: string;
  value: Value;
}

/** @throws TemplateError */
export function execute(tree: SyntaxTree, data: Value, settings: ExecutionSettings): string {
  const output: string[] = [];
  new Execution(tree, tree.name, data, settings, output, 0).run(tree.body);
  return output.join('');
}

class Execution {
  readonly #tree: SyntaxTree;
  /** Name of the template that is carried out. */
  readonly #name: string;
  readonly #data: Value;
  readonly #settings: ExecutionSettings;
  readonly #output: string[];
  readonly #depth: number;
  readonly #variables: Variable[];

  constructor(
    tree: SyntaxTree,
    name: string,
    data: Value,
    settings: ExecutionSettings,
    output: string[],
    depth: number,
  ) {
    this.#tree = tree;
    this.#name = name;
    this.#data = data;
    this.#settings = settings;
    this.#output = output;
    this.#depth = depth;
    this.#variables = [{ name: '$', value: data }];
  }

  run(body: readonly Statement[]): void {
    this.#list(body, this.#data);
  }

  #list(body: readonly Statement[], dot: Value): Flow {
    for (const statement of body) {
      const flow = this.#statement(statement, dot);
      if (flow !== undefined) return flow;
    }
    return undefined;
  }

  #statement(statement: Statement, dot: Value): Flow {
    switch (statement.type) {
      case 'text':
        this.#output.push(statement.text);
        return undefined;
      case 'action': {
        const value = this.#pipeline(statement.pipeline, dot);
        if (statement.pipeline.variables.length === 0) this.#output.push(isNil(value) ? NO_VALUE : printedValue(value));
        return undefined;
      }
      case 'template':
        this.#template(statement, dot);
        return undefined;
      case 'break':
      case 'continue':
        return statement.type;
      default:
        return this.#scoped(() =>
          statement.type === 'range' ? this.#range(statement, dot) : this.#branch(statement, dot),
        );
    }
  }

  #branch(statement: Extract<Statement, { type: 'if' | 'with' | 'range' }>, dot: Value): Flow {
    const value = this.#pipeline(statement.pipeline, dot);
    if (!isTrue(value)) return this.#list(statement.otherwise, dot);
    return this.#list(statement.body, statement.type === 'with' ? value : dot);
  }

  #range({ pipeline, body, otherwise }: Extract<Statement, { type: 'if' | 'with' | 'range' }>, dot: Value): Flow {
    const value = this.#rangeValue(pipeline, dot);
    const items = this.#itemsOf(value, pipeline);
    if (items.length === 0) return this.#list(otherwise, dot);
    const [first, second] = pipeline.variables;
    for (const [key, item] of items) {
      const flow = this.#scoped(() => {
        if (first !== undefined) this.#take(first, second === undefined ? item : key, pipeline.isAssignment);
        if (second !== undefined) this.#take(second, item, pipeline.isAssignment);
        return this.#list(body, item);
      });
      if (flow === 'break') break;
    }
    return undefined;
  }

  /** The variables of a range take its items, not its value. */
  #rangeValue(pipeline: Pipeline, dot: Value): Value {
    return this.#pipeline({ ...pipeline, variables: [] }, dot);
  }

  #itemsOf(value: Value, pipeline: Pipeline): readonly (readonly [Value, Value])[] {
    if (isNil(value)) return [];
    if (isList(value)) return value.map((item, index) => [index, item]);
    if (value instanceof Map) return sortedEntries(value);
    if (typeof value === 'number') return Array.from({ length: Math.max(0, value) }, (_, index) => [index, index]);
    return this.#fail(pipeline, `range can't iterate over ${printedValue(value)}`);
  }

  #template({ name, pipeline, offset }: Extract<Statement, { type: 'template' }>, dot: Value): void {
    const called = this.#settings.templates.get(name);
    const place = { offset, source: `{{template ${JSON.stringify(name)}}}` };
    if (called === undefined) return this.#fail(place, `template ${JSON.stringify(name)} not defined`);
    if (this.#depth >= MAX_DEPTH) return this.#fail(place, `exceeded maximum template depth (${MAX_DEPTH})`);
    const data = pipeline === undefined ? undefined : this.#pipeline(pipeline, dot);
    const { body, tree } = called;
    return new Execution(tree, name, data, this.#settings, this.#output, this.#depth + 1).run(body);
  }

  /** Variables that are declared within are gone afterwards. */
  #scoped(run: () => Flow): Flow {
    const known = this.#variables.length;
    const flow = run();
    this.#variables.length = known;
    return flow;
  }

  #take(name: string, value: Value, isAssignment: boolean): void {
    if (!isAssignment) {
      this.#variables.push({ name, value });
      return;
    }
    const variable = this.#variables.findLast((each) => each.name === name);
    if (variable !== undefined) variable.value = value;
  }

  #pipeline({ commands, variables, isAssignment }: Pipeline, dot: Value): Value {
    let value: Value;
    commands.forEach((command, index) => {
      value = this.#command(command, dot, index === 0 ? [] : [value]) ?? undefined;
    });
    for (const name of variables) this.#take(name, value, isAssignment);
    return value;
  }

  /** @param final - the result of the command before, as the last argument */
  #command(command: Command, dot: Value, final: readonly Value[]): Value {
    const [first, ...others] = command.operands;
    if (first.type === 'function') return this.#call(first.name, command, dot, final);
    if (first.type === 'nil') return this.#fail(first, 'nil is not a command');
    if (first.type === 'field' || first.type === 'chain' || first.type === 'variable') {
      const value = this.#operand(first, dot);
      const last = first.names.at(-1);
      if (others.length + final.length === 0) return value;
      return last === undefined
        ? this.#fail(first, `can't give argument to non-function ${first.source}`)
        : this.#fail(first, `${last} is not a method but has arguments`);
    }
    if (others.length + final.length > 0) this.#fail(first, `can't give argument to non-function ${first.source}`);
    return this.#operand(first, dot);
  }

  #call(name: string, command: Command, dot: Value, final: readonly Value[]): Value {
    const operands = command.operands.slice(1);
    if (name === 'and' || name === 'or') return this.#shortCircuit(name, command, dot, final);
    const values = [...operands.map((operand) => this.#operand(operand, dot)), ...final];
    const callee = this.#settings.functions[name];
    if (callee === undefined) return this.#fail(command, `${JSON.stringify(name)} is not a defined function`);
    try {
      return callFunction(name, callee, values);
    } catch (error) {
      if (!(error instanceof FunctionError)) throw error;
      const isOwn = /^wrong (?:type|number)|^invalid value;/.test(error.message);
      return this.#fail(command, isOwn ? error.message : `error calling ${name}: ${error.message}`);
    }
  }

  /** The first argument that decides; those behind it are not evaluated. */
  #shortCircuit(name: 'and' | 'or', command: Command, dot: Value, final: readonly Value[]): Value {
    const operands = command.operands.slice(1);
    if (operands.length + final.length === 0) {
      this.#fail(command, `wrong number of args for ${name}: want at least 1 got 0`);
    }
    let value: Value;
    for (const operand of operands) {
      value = this.#operand(operand, dot);
      if (isTrue(value) === (name === 'or')) return value;
    }
    return final.length > 0 ? final[0] : value;
  }

  #operand(operand: Operand, dot: Value): Value {
    switch (operand.type) {
      case 'constant':
        return operand.value;
      case 'nil':
        return null;
      case 'dot':
        return dot;
      case 'pipeline':
        return this.#pipeline(operand, dot);
      case 'field':
        return this.#fields(dot, operand.names, operand);
      case 'chain':
        return this.#fields(this.#operand(operand.operand, dot), operand.names, operand);
      case 'variable':
        return this.#fields(this.#variable(operand.name, operand), operand.names, operand);
      case 'function':
        return this.#call(operand.name, { ...operand, operands: [operand] }, dot, []);
    }
  }

  #variable(name: string, place: Operand): Value {
    const variable = this.#variables.findLast((each) => each.name === name);
    return variable === undefined ? this.#fail(place, `undefined variable: ${name}`) : variable.value;
  }

  #fields(receiver: Value, names: readonly string[], place: Operand): Value {
    return names.reduce((value: Value, name) => this.#field(value, name, place), receiver);
  }

  #field(receiver: Value, name: string, place: Operand): Value {
    const isStrict = this.#settings.missingKey === 'error';
    if (receiver === undefined) {
      return isStrict ? this.#fail(place, `nil data; no entry for key ${JSON.stringify(name)}`) : undefined;
    }
    if (receiver === null) return this.#fail(place, `nil pointer evaluating interface {}.${name}`);
    if (!(receiver instanceof Map)) {
      return this.#fail(
        place,
        `can't evaluate field ${name} in type ${kindOf(receiver) === 'slice' ? '[]interface {}' : typeName(receiver)}`,
      );
    }
    const value = receiver.get(name);
    if (value !== undefined || !isStrict) return value;
    return this.#fail(place, `map has no entry for key ${JSON.stringify(name)}`);
  }

  #fail(place: { readonly offset: number; readonly source: string }, problem: string): never {
    const { name, text } = this.#tree;
    const line = lineOf(text, place.offset);
    const column = place.offset - (text.lastIndexOf('\n', place.offset - 1) + 1);
    const source = place.source.replaceAll(/\s+/g, ' ');
    const context = source.length > LONGEST_CONTEXT ? `${source.slice(0, LONGEST_CONTEXT)}...` : source;
    throw new TemplateError(
      `template: ${name}:${line}:${column}: executing ${JSON.stringify(this.#name)} at <${context}>: ${problem}`,
    );
  }
}
