/** Functions of templates: their parameters as Go declares them, so that calls are checked as Go checks them. */
import { FunctionError } from './template-error.js';
import { Float, isList, isNil, typeName, type Dict, type Value } from './values.js';

/** What a parameter takes, and what the function gets. */
interface ParameterTypes {
  any: Value;
  string: string;
  int: number;
  bool: boolean;
  list: readonly Value[];
  dict: Dict;
}

export type ParameterType = keyof ParameterTypes;

type Arguments<P extends readonly ParameterType[]> = { [I in keyof P]: ParameterTypes[P[I]] };

/** A function that templates can call. */
export interface TemplateFunction {
  readonly parameters: readonly ParameterType[];
  /** Type of any number of further arguments; absent for none. */
  readonly rest: ParameterType | undefined;
  readonly call: (values: readonly Value[]) => Value;
}

export type FunctionTable = Readonly<Record<string, TemplateFunction>>;

/** A function with a fixed number of arguments. */
export function fixed<const P extends readonly ParameterType[]>(
  parameters: P,
  call: (...values: Arguments<P>) => Value,
): TemplateFunction {
  return { parameters, rest: undefined, call: (values) => call(...(values as unknown as Arguments<P>)) };
}

/** A function with any number of arguments after the fixed ones. */
export function variadic<const P extends readonly ParameterType[], const R extends ParameterType>(
  parameters: P,
  rest: R,
  call: (rest: readonly ParameterTypes[R][], ...values: Arguments<P>) => Value,
): TemplateFunction {
  return {
    parameters,
    rest,
    call: (values) =>
      call(
        values.slice(parameters.length) as unknown as readonly ParameterTypes[R][],
        ...(values.slice(0, parameters.length) as unknown as Arguments<P>),
      ),
  };
}

/** Go's names of the types of parameters. */
const TYPE_NAMES: Readonly<Record<ParameterType, string>> = {
  any: 'interface {}',
  string: 'string',
  int: 'int',
  bool: 'bool',
  list: '[]interface {}',
  dict: 'map[string]interface {}',
};

/** Calls a function with checked arguments. @throws FunctionError for arguments that it does not take */
export function callFunction(name: string, callee: TemplateFunction, values: readonly Value[]): Value {
  const { parameters, rest } = callee;
  if (rest === undefined ? values.length !== parameters.length : values.length < parameters.length) {
    const wanted = rest === undefined ? String(parameters.length) : `at least ${parameters.length}`;
    throw new FunctionError(`wrong number of args for ${name}: want ${wanted} got ${values.length}`);
  }
  return callee.call(values.map((value, index) => argumentOf(value, parameters[index] ?? rest ?? 'any')));
}

function argumentOf(value: Value, type: ParameterType): Value {
  if (type === 'any' || isOf(value, type)) return value;
  if (type === 'int' && value instanceof Float && Number.isInteger(value.value)) return value.value;
  if (isNil(value) && (type === 'list' || type === 'dict')) return type === 'list' ? [] : new Map();
  if (isNil(value)) throw new FunctionError(`invalid value; expected ${TYPE_NAMES[type]}`);
  throw new FunctionError(`wrong type for value; expected ${TYPE_NAMES[type]}; got ${typeName(value)}`);
}

function isOf(value: Value, type: ParameterType): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'int':
      return typeof value === 'number';
    case 'bool':
      return typeof value === 'boolean';
    case 'list':
      return isList(value);
    case 'dict':
      return value instanceof Map;
    case 'any':
      return true;
  }
}
