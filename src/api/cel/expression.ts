/** Expressions of the Common Expression Language: read, checked by types, and evaluated. */
import { foldingFailure, literalProblems } from './literals.js';
import { checkedNodes, checkExpression, type CelScope } from './checker.js';
import { costTree } from './cost/cost-tree.js';
import type { SizeOf } from './cost/amounts.js';
import { estimateCost } from './cost/estimate.js';
import { CostLimitError, metered } from './cost/meter.js';
import { evaluate, type CelVariables } from './evaluator.js';
import { parseExpression } from './parser.js';
import { asksFor, CelSyntaxError, problemText, type CelNode } from './syntax.js';
import { typeText, type CelType } from './types.js';
import { CelError, type CelValue } from './values.js';

/** An expression that can be evaluated. */
export interface CelExpression {
  readonly text: string;
  readonly type: CelType;
  /** Whether it asks for a variable. */
  asksFor(name: string): boolean;
  evaluate(variables: CelVariables): CelOutcome;
  /** What an evaluation costs at most. @param sizeOf - of the values that it asks for */
  mostCost(sizeOf: SizeOf): bigint;
}

/** What came of an evaluation, and what it has cost. */
export type CelOutcome = ({ readonly value: CelValue } | { readonly failure: string; readonly isTooDear?: boolean }) & {
  readonly cost: number;
};

/**
 * What came of reading an expression: itself, or what is wrong with it in cel-go's words; `isOfProgram` where that
 * shows only once the parts that never change are evaluated.
 */
export type CelReading =
  | { readonly expression: CelExpression }
  | { readonly problem: string; readonly isOfProgram?: boolean };

/** What came of it in a sentence. @param what - what could not be read, such as `messageExpression ` */
export function readingProblem(
  reading: { readonly problem: string; readonly isOfProgram?: boolean },
  what = '',
): string {
  const step = what === '' && reading.isOfProgram === true ? 'program instantiation' : 'compilation';
  const own = reading.isOfProgram === true && what !== '' ? 'instantiation' : step;
  return `${what}${own} failed: ${reading.problem}`;
}

/** Reads an expression and checks it. @param results - the types that it may answer, by name; anything without */
export function readExpression(text: string, scope: CelScope): CelReading {
  let node: CelNode;
  try {
    node = parseExpression(text, scope.hasBindings);
  } catch (error) {
    if (!(error instanceof CelSyntaxError)) throw error;
    return { problem: problemText([error], text) };
  }
  const { type, problems } = checkExpression(node, scope);
  const found = problems.length > 0 ? problems : literalProblems(node);
  if (found.length > 0) return { problem: problemText(found, text) };
  const failure = foldingFailure(node);
  if (failure !== undefined) return { problem: failure, isOfProgram: true };
  return {
    expression: {
      text,
      type,
      asksFor: (name) => asksFor(node, name),
      evaluate: (variables) => outcomeOf(node, variables),
      mostCost: (sizeOf) => estimateCost(costTree(node, checkedNodes(node, scope)), sizeOf).max,
    },
  };
}

/** Whether an expression answers one of these types, or what may be one. */
export function answers({ type }: CelExpression, ...names: readonly string[]): boolean {
  return type.form === 'dyn' || names.includes(typeText(type));
}

function outcomeOf(node: CelNode, variables: CelVariables): CelOutcome {
  const { result, cost } = metered(() => tried(node, variables));
  return { ...result, cost };
}

function tried(node: CelNode, variables: CelVariables) {
  try {
    return { value: evaluate(node, variables) };
  } catch (error) {
    if (error instanceof CostLimitError) return { failure: error.message, isTooDear: true };
    if (!(error instanceof CelError)) throw error;
    return { failure: error.message };
  }
}
