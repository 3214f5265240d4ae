/** `[[ … ]]` and `(( … ))`, which the shells of some images know. */
import type { ArithmeticExpression, TestExpression } from 'unbash';
import type { Running } from '../processes/process.js';
import { evaluate } from './arithmetic.js';
import { expandPattern, expandText, type ExpansionScope } from './expansion.js';
import { matchesPattern } from './pattern.js';
import { testBinary, testUnary } from './test-expression.js';

export function* evaluateTest(node: TestExpression, scope: ExpansionScope): Running<boolean> {
  switch (node.type) {
    case 'TestGroup':
      return yield* evaluateTest(node.expression, scope);
    case 'TestNot':
      return (yield* evaluateTest(node.operand, scope)) !== (node.negations.length % 2 === 1);
    case 'TestLogical':
      for (const operand of node.operands) {
        const isTrue = yield* evaluateTest(operand, scope);
        if (isTrue === (node.operator === '||')) return isTrue;
      }
      return node.operator === '&&';
    case 'TestUnary':
      return testUnary(node.operator, yield* expandText(node.operand, scope), scope.process);
    case 'TestBinary': {
      const left = yield* expandText(node.left, scope);
      if (/^(?:==?|!=)$/.test(node.operator)) {
        return matchesPattern(yield* expandPattern(node.right, scope), left) === (node.operator !== '!=');
      }
      return testBinary(left, node.operator, yield* expandText(node.right, scope), scope.process);
    }
  }
}

export function* evaluateAlone(expression: ArithmeticExpression | undefined, scope: ExpansionScope): Running<bigint> {
  const { state } = scope;
  return yield* evaluate(expression, {
    *expand(word) {
      return word.replaceAll(/\$\{?(\w+)\}?/g, (_all, name: string) => state.get(name) ?? '');
    },
    get: (name) => state.get(name) ?? '',
    set: (name, value) => void state.set(name, value),
  });
}
