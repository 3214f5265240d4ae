/**
 * What is wrong with the literals of an expression: times, spans, patterns and formats that cannot be read, and calls
 * that fail whatever is given (cel-go v0.26 cel/validator.go, ext/formatting.go and the planner's constant folding).
 */
import { goPattern } from '../values/go-pattern.js';
import { evaluate } from './evaluator.js';
import { clauseProblem } from './library/formatting.js';
import { durationOf, timeOf } from './library/number-texts.js';
import { childrenOf, type CallNode, type CelNode, type CelProblem } from './syntax.js';
import { CelError, type CelValue } from './values.js';

function literalOf(node: CelNode | undefined): CelValue | undefined {
  return node?.form === 'literal' ? node.value : undefined;
}

const READABLE: Readonly<Record<string, (text: string) => boolean>> = {
  timestamp: (text) => timeOf(text) !== undefined,
  duration: isDuration,
  matches: (text) => goPattern(text) !== undefined,
};

function isDuration(text: string): boolean {
  try {
    return durationOf(text) !== undefined;
  } catch {
    return false;
  }
}

/** Problems with literals. */
export function literalProblems(node: CelNode): readonly CelProblem[] {
  const below = childrenOf(node).flatMap(literalProblems);
  return node.form === 'call' ? [...below, ...callProblems(node)] : below;
}

function callProblems({ name, target, args, at }: CallNode): readonly CelProblem[] {
  const isReadable = Object.hasOwn(READABLE, name) ? READABLE[name] : undefined;
  const last = args.at(-1);
  const text = literalOf(last);
  if (isReadable !== undefined && last !== undefined && typeof text === 'string' && !isReadable(text)) {
    return [{ at: last.at, message: `invalid ${name} argument` }];
  }
  const template = literalOf(target);
  if (name !== 'format' || typeof template !== 'string' || last?.form !== 'list') return [];
  const problem = clauseProblem(
    template,
    last.items.map(({ value }) => literalOf(value)),
  );
  if (problem === undefined) return [];
  const item = problem.index === undefined ? undefined : last.items[problem.index];
  return [{ at: item?.value.at ?? at, message: problem.message }];
}

/** Calls that are evaluated ahead where all that they are given is literal. */
const FOLDED: ReadonlySet<string> = new Set(
  'bool bytes double duration dyn int string timestamp uint find findAll matches'.split(' '),
);

/** What an expression fails with, whatever it is evaluated over. */
export function foldingFailure(node: CelNode): string | undefined {
  for (const below of childrenOf(node)) {
    const failure = foldingFailure(below);
    if (failure !== undefined) return failure;
  }
  if (node.form !== 'call' || !FOLDED.has(node.name)) return undefined;
  const isPattern = node.name.startsWith('find');
  if (isPattern) return patternFailure(node);
  if (![...node.args, ...(node.target === undefined ? [] : [node.target])].every(isLiteral)) return undefined;
  try {
    evaluate(node, () => undefined);
    return undefined;
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return error.message;
  }
}

function isLiteral(node: CelNode): boolean {
  if (node.form === 'literal') return true;
  return node.form === 'call' && node.name === '-_' && node.args.every(isLiteral);
}

function patternFailure(node: CallNode): string | undefined {
  const pattern = literalOf(node.args[0]);
  if (typeof pattern !== 'string' || goPattern(pattern) !== undefined) return undefined;
  const text: CelNode = { form: 'literal', value: '', at: 0 };
  try {
    evaluate({ ...node, target: text }, () => undefined);
    return undefined;
  } catch (error) {
    return error instanceof CelError ? error.message.replace('Illegal regex: ', '') : undefined;
  }
}
