/** Rules of schemas, read and checked (apiextensions-apiserver's schema/cel/compilation.go, v1.34). */
import { answers, readExpression, readingProblem, type CelExpression } from '../cel/expression.js';
import { optionalOf, type CelType } from '../cel/types.js';
import type { JsonSchema, ValidationRule } from './json-schema.js';
import { schemaType } from './schema-values.js';

/** A rule that has been read. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Undefined for one that cannot be read. */
  readonly expression: CelExpression | undefined;
  readonly message: CelExpression | undefined;
  readonly usesOldSelf: boolean;
  /** What is wrong with the rule, and with the expression of its message. */
  readonly problem: string | undefined;
  readonly messageProblem: string | undefined;
}

const known = new WeakMap<JsonSchema, readonly CompiledRule[]>();

/** The rules of one node of a schema. */
export function compiledRules(schema: JsonSchema): readonly CompiledRule[] {
  let rules = known.get(schema);
  if (rules === undefined) {
    const self = schemaType(schema);
    rules = (schema['x-kubernetes-validations'] ?? []).map((rule) => compiledRule(rule, self));
    known.set(schema, rules);
  }
  return rules;
}

function compiledRule(rule: ValidationRule, self: CelType | undefined): CompiledRule {
  const nothing = {
    rule,
    expression: undefined,
    message: undefined,
    usesOldSelf: false,
    problem: undefined,
    messageProblem: undefined,
  };
  if (self === undefined) return { ...nothing, problem: 'failed to convert to declType for CEL validation rules' };
  const old = rule.optionalOldSelf === true ? optionalOf(self) : self;
  const scope = {
    variables: new Map([
      ['self', self],
      ['oldSelf', old],
    ]),
  };
  const reading = readExpression(rule.rule, scope);
  if ('problem' in reading) return { ...nothing, problem: readingProblem(reading) };
  const { expression } = reading;
  if (!answers(expression, 'bool') || expression.type.form === 'dyn') {
    return { ...nothing, problem: 'cel expression must evaluate to a bool' };
  }
  const usesOldSelf = expression.asksFor('oldSelf');
  const { messageExpression = '' } = rule;
  if (messageExpression === '') return { ...nothing, expression, usesOldSelf };
  const message = readExpression(messageExpression, scope);
  if ('problem' in message) {
    return { ...nothing, expression, usesOldSelf, messageProblem: readingProblem(message, 'messageExpression ') };
  }
  if (!answers(message.expression, 'string') || message.expression.type.form === 'dyn') {
    return { ...nothing, expression, usesOldSelf, messageProblem: 'messageExpression must evaluate to a string' };
  }
  return { ...nothing, expression, usesOldSelf, message: message.expression };
}
