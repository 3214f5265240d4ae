/** Expressions of webhooks and policies, read and checked (apiserver/pkg/admission/plugin/cel/compile.go, v1.34). */
import { answers, readExpression, readingProblem, type CelExpression } from '../cel/expression.js';
import type { CelScope } from '../cel/checker.js';
import { DYN, typeText, type CelType } from '../cel/types.js';
import { conditionScope, policyScope, WEBHOOK_SCOPE, withoutAuthorizer } from './expression-scopes.js';
import { MUTATION_SCOPE, OBJECT, PATCH } from './mutation-scope.js';
import type {
  MutatingPolicySpec,
  NamedExpression,
  PolicyMutation,
  PolicyValidation,
  ValidatingPolicySpec,
} from './admission-types.js';

/** An expression, or what is wrong with it. */
export type Compiled =
  | { readonly expression: CelExpression; readonly problem?: undefined }
  | { readonly problem: string; readonly expression?: undefined };

/** Reads an expression that answers one of some types. */
function compileExpression(text: string, scope: CelScope, ...wanted: readonly string[]): Compiled {
  const reading = readExpression(text, scope);
  if ('problem' in reading) return { problem: readingProblem(reading) };
  const { expression } = reading;
  const isDynamic = expression.type.form === 'dyn' && !wanted.includes('dyn');
  if (wanted.length === 0 || (answers(expression, ...wanted) && !isDynamic)) return { expression };
  const found = typeText(expression.type).replace(/\bnull\b/, 'null_type');
  const shown = wanted.length === 1 ? wanted[0] : `one of [${wanted.map(typeShown).join(' ')}]`;
  return { problem: `must evaluate to ${shown} but got ${found}` };
}

function typeShown(name: string): string {
  return name === 'null' ? 'null_type' : name;
}

/** A condition with its name. */
export interface CompiledCondition {
  readonly name: string;
  readonly compiled: Compiled;
}

/** One thing that a policy asks. */
export interface CompiledValidation {
  readonly validation: PolicyValidation;
  readonly compiled: Compiled;
  readonly message: Compiled | undefined;
}

/** A change that a policy makes. */
export interface CompiledMutation {
  readonly mutation: PolicyMutation;
  /** As it is written. */
  readonly expression: string;
  readonly compiled: Compiled;
}

/** A policy that can be evaluated. */
export interface CompiledPolicy {
  readonly conditions: readonly CompiledCondition[];
  readonly variables: readonly CompiledCondition[];
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly { readonly key: string; readonly compiled: Compiled }[];
  readonly mutations: readonly CompiledMutation[];
}

const known = new WeakMap<object, CompiledPolicy>();

/** The expressions of a policy. @param spec - of a policy of either kind */
export function compiledPolicy(spec: ValidatingPolicySpec & MutatingPolicySpec): CompiledPolicy {
  let policy = known.get(spec);
  if (policy === undefined) known.set(spec, (policy = compile(spec)));
  return policy;
}

function compile(spec: ValidatingPolicySpec & MutatingPolicySpec): CompiledPolicy {
  const hasParams = spec.paramKind !== undefined;
  const types = new Map<string, CelType>();
  const variables = (spec.variables ?? []).map(({ name = '', expression = '' }): CompiledCondition => {
    const compiled = compileExpression(expression, policyScope(hasParams, new Map(types)));
    // One that cannot be read may be asked for: its own error says enough.
    types.set(name, compiled.expression?.type ?? DYN);
    return { name, compiled };
  });
  // Where a policy has none, there is nothing of that name.
  const scope = variables.length === 0 ? conditionScope(hasParams) : policyScope(hasParams, types);
  return {
    conditions: conditionsIn(spec.matchConditions, conditionScope(hasParams)),
    variables,
    validations: (spec.validations ?? []).map((validation) => {
      const { expression = '', messageExpression = '' } = validation;
      const isAsked = messageExpression.trim() !== '';
      const message = isAsked ? compileExpression(messageExpression, withoutAuthorizer(scope), 'string') : undefined;
      return { validation, compiled: compileExpression(expression, scope, 'bool'), message };
    }),
    annotations: (spec.auditAnnotations ?? []).map(({ key = '', valueExpression = '' }) => ({
      key,
      compiled: compileExpression(valueExpression, scope, 'string', 'null'),
    })),
    mutations: (spec.mutations ?? []).map((mutation) => {
      const { patchType, applyConfiguration, jsonPatch } = mutation;
      const { expression = '' } = (patchType === 'JSONPatch' ? jsonPatch : applyConfiguration) ?? {};
      const wanted = patchType === 'JSONPatch' ? PATCH : OBJECT;
      const compiled = compileExpression(expression.trim(), policyScope(hasParams, types, MUTATION_SCOPE), wanted);
      return { mutation, expression, compiled };
    }),
  };
}

const conditions = new WeakMap<object, readonly CompiledCondition[]>();

/** The conditions of a webhook. */
export function webhookConditions(stated: readonly NamedExpression[] = NONE): readonly CompiledCondition[] {
  let compiled = conditions.get(stated);
  if (compiled === undefined) conditions.set(stated, (compiled = conditionsIn(stated, WEBHOOK_SCOPE)));
  return compiled;
}

const NONE: readonly NamedExpression[] = [];

function conditionsIn(stated: readonly NamedExpression[] = NONE, scope: CelScope): readonly CompiledCondition[] {
  return stated.map(({ name = '', expression = '' }) => ({
    name,
    compiled: compileExpression(expression, scope, 'bool'),
  }));
}
