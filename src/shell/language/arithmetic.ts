/** Arithmetic as the shell has it: whole numbers of 64 bits. */
import type { ArithmeticExpression } from 'unbash';
import type { Running } from '../processes/process.js';

/** What an expression stands on. */
export interface ArithmeticScope {
  /** The text of a word, with its variables. */
  readonly expand: (word: string) => Running<string>;
  readonly get: (name: string) => string;
  readonly set: (name: string, value: string) => void;
}

/** An expression that cannot be worked out. */
export class ArithmeticError extends Error {
  override readonly name = 'ArithmeticError';
}

const NAME = /^[A-Za-z_]\w*$/;
const MOST_INDIRECTIONS = 20;

/** @throws ArithmeticError */
export function* evaluate(node: ArithmeticExpression | undefined, scope: ArithmeticScope): Running<bigint> {
  if (node === undefined) return 0n;
  switch (node.type) {
    case 'ArithmeticGroup':
      return yield* evaluate(node.expression, scope);
    case 'ArithmeticWord':
      return numberOf(yield* scope.expand(node.value), scope);
    case 'ArithmeticCommandExpansion':
      return numberOf(yield* scope.expand(node.text), scope);
    case 'ArithmeticTernary':
      return (yield* evaluate(node.test, scope)) === 0n
        ? yield* evaluate(node.alternate, scope)
        : yield* evaluate(node.consequent, scope);
    case 'ArithmeticUnary':
      return yield* unary(node, scope);
    case 'ArithmeticBinary':
      return yield* binary(node, scope);
  }
}

function* unary(
  { operator, operand, prefix }: Extract<ArithmeticExpression, { type: 'ArithmeticUnary' }>,
  scope: ArithmeticScope,
): Running<bigint> {
  const value = yield* evaluate(operand, scope);
  switch (operator) {
    case '-':
      return BigInt.asIntN(64, -value);
    case '!':
      return value === 0n ? 1n : 0n;
    case '~':
      return ~value;
    case '++':
    case '--': {
      const next = value + (operator === '++' ? 1n : -1n);
      scope.set(nameOf(operand), String(next));
      return prefix ? next : value;
    }
    default:
      return value;
  }
}

function* binary(
  { operator, left, right }: Extract<ArithmeticExpression, { type: 'ArithmeticBinary' }>,
  scope: ArithmeticScope,
): Running<bigint> {
  if (operator === '&&') {
    if ((yield* evaluate(left, scope)) === 0n) return 0n;
    return (yield* evaluate(right, scope)) === 0n ? 0n : 1n;
  }
  if (operator === '||') {
    if ((yield* evaluate(left, scope)) !== 0n) return 1n;
    return (yield* evaluate(right, scope)) === 0n ? 0n : 1n;
  }
  const isAssignment = /^(?:[-+*/%&|^]|<<|>>)?=$/.test(operator);
  if (!isAssignment) return combine(operator, yield* evaluate(left, scope), yield* evaluate(right, scope));
  const value = yield* evaluate(right, scope);
  const result = operator === '=' ? value : combine(operator.slice(0, -1), yield* evaluate(left, scope), value);
  scope.set(nameOf(left), String(result));
  return result;
}

function truth(is: boolean): bigint {
  return is ? 1n : 0n;
}

function combine(operator: string, a: bigint, b: bigint): bigint {
  switch (operator) {
    case '+':
      return BigInt.asIntN(64, a + b);
    case '-':
      return BigInt.asIntN(64, a - b);
    case '*':
      return BigInt.asIntN(64, a * b);
    case '/':
    case '%':
      if (b === 0n) throw new ArithmeticError('divide by zero');
      return operator === '/' ? BigInt.asIntN(64, a / b) : a % b;
    case '**':
      return power(a, b);
    case '<<':
      return BigInt.asIntN(64, a << (b & 63n));
    case '>>':
      return a >> (b & 63n);
    case '&':
      return a & b;
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case '<':
      return truth(a < b);
    case '<=':
      return truth(a <= b);
    case '>':
      return truth(a > b);
    case '>=':
      return truth(a >= b);
    case '==':
      return truth(a === b);
    case '!=':
      return truth(a !== b);
    case ',':
      return b;
    default:
      throw new ArithmeticError('arithmetic syntax error');
  }
}

function power(base: bigint, exponent: bigint): bigint {
  if (exponent < 0n) throw new ArithmeticError('exponent less than 0');
  let result = 1n;
  let factor = base;
  for (let left = BigInt.asUintN(63, exponent); left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = BigInt.asIntN(64, result * factor);
    factor = BigInt.asIntN(64, factor * factor);
  }
  return result;
}

/** A number, or the variable of that name, which may name another. */
function numberOf(text: string, scope: ArithmeticScope): bigint {
  let value = text.trim();
  for (let count = 0; NAME.test(value) && count < MOST_INDIRECTIONS; count += 1) value = scope.get(value).trim();
  if (value === '') return 0n;
  const match = /^([-+]?)(?:(0[xX][\dA-Fa-f]+)|0([0-7]+)|(?:(\d+)#)?(\d+))$/.exec(value);
  if (match === null) throw new ArithmeticError('arithmetic syntax error');
  const [, sign, hexadecimal, octal, base, digits = ''] = match;
  let number: bigint;
  if (hexadecimal !== undefined) number = BigInt(hexadecimal);
  else if (octal !== undefined) number = BigInt(`0o${octal}`);
  else if (base !== undefined) number = BigInt(Number.parseInt(digits, Number(base)));
  else number = BigInt(digits);
  return BigInt.asIntN(64, sign === '-' ? -number : number);
}

function nameOf(node: ArithmeticExpression): string {
  if (node.type === 'ArithmeticWord' && NAME.test(node.value)) return node.value;
  throw new ArithmeticError('arithmetic syntax error');
}
