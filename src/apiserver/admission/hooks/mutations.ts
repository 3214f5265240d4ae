/**
 * The changes of a policy, evaluated for one object: an apply configuration merged as server-side apply does, without
 * owners, or a JSON patch (apiserver/pkg/admission/plugin/policy/mutating/patch, v1.34).
 */
import { OBJECT } from '../../../api/admission/mutation-scope.js';
import type { CompiledMutation } from '../../../api/admission/compiled-policy.js';
import type { CelVariables } from '../../../api/cel/evaluator.js';
import { CelStruct, plainValue, type CelMap, type CelValue } from '../../../api/cel/values.js';
import { ApiError } from '../../../api/errors/api-error.js';
import type { Draft } from '../../../api/objects/objects.js';
import { atomicPaths } from '../../../api/ownership/atomic-fields.js';
import { schemaOf } from '../../../api/ownership/schema.js';
import { typedProblems } from '../../../api/ownership/typed-problems.js';
import { mergeApplied } from '../../../api/ownership/walks.js';
import { applyPatch } from '../../../api/patches/patch.js';
import { goEncoded } from '../../../api/types/go-encoding.js';
import { structFact } from '../../../api/types/type-facts.js';
import { nativeValue } from './native-values.js';
import { isTestFailure, patchProblem } from './patch-problem.js';

/** What a change is made to. */
export interface MutatedObject {
  readonly object: Draft;
  readonly typeKey: string;
  /** As Go prints its version and kind: `apps/v1, Kind=Deployment`. */
  readonly kindText: string;
}

/** A policy's change cannot be made: what becomes of the request its failure policy says. */
export class MutationError extends Error {}

/** The object with a change. @throws MutationError */
export function mutated(target: MutatedObject, mutation: CompiledMutation, variables: CelVariables): Draft {
  const { compiled, expression } = mutation;
  if (compiled.expression === undefined) throw new MutationError(compiled.problem);
  const outcome = compiled.expression.evaluate(variables);
  if ('failure' in outcome) {
    throw new MutationError(`expression '${expression}' resulted in error: ${outcome.failure}`);
  }
  if (mutation.mutation.patchType === 'JSONPatch') return patched(target, outcome.value as readonly CelMap[]);
  return merged(target, outcome.value);
}

function merged({ object, typeKey, kindText }: MutatedObject, value: CelValue): Draft {
  checkTypeNames(value);
  const { apiVersion, kind } = object;
  const { apiVersion: _version, kind: _kind, ...stated } = nativeValue(value) as Draft;
  const configuration = { ...stated, apiVersion, kind };
  if (structFact(typeKey) === undefined) {
    throw unapplied(`failed to convert patch object to typed object: no corresponding type for ${kindText}`);
  }
  const problems = typedProblems(configuration, typeKey);
  if (problems.length > 0) {
    throw unapplied(`failed to convert patch object to typed object: ${problemsText(problems)}`);
  }
  const whole = atomicPaths(configuration, typeKey);
  if (whole.length > 0) {
    throw unapplied(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${whole.join(', ')}`);
  }
  return mergeApplied(goEncoded(object, typeKey), configuration, schemaOf(typeKey)) as Draft;
}

function unapplied(why: string): MutationError {
  return new MutationError(`error applying patch: ${why}`);
}

function problemsText(problems: readonly string[]): string {
  const [only = ''] = problems;
  return problems.length === 1 ? only : `errors:\n${problems.map((each) => `  ${each}`).join('\n')}`;
}

function patched({ object }: MutatedObject, operations: readonly CelMap[]): Draft {
  const body = operations.map((operation) => {
    const value = operation.get('value');
    if (value instanceof CelStruct) checkTypeNames(value, value.typeName);
    const from = textOf(operation.get('from'));
    return {
      op: textOf(operation.get('op')),
      path: textOf(operation.get('path')),
      ...(from === '' ? {} : { from }),
      ...(value === undefined ? {} : { value: plainValue(value) }),
    };
  });
  try {
    return applyPatch(object, { type: 'json', body });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const problem = patchProblem(object, body);
    // A test that fails leaves the object as it is.
    if (isTestFailure(problem)) return object;
    throw new MutationError(`JSON Patch: ${problem}`);
  }
}

function textOf(value: CelValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Objects must be of the types that their places have. @throws MutationError that names all others */
function checkTypeNames(value: CelValue, root = OBJECT): void {
  const wrong = wrongNames(value, root);
  if (wrong.length > 0) throw new MutationError(`type mismatch: ${wrong.join('\n')}`);
}

function wrongNames(value: CelValue, place: string): readonly string[] {
  if (Array.isArray(value)) return (value as readonly CelValue[]).flatMap((each) => wrongNames(each, place));
  if (!(value instanceof Map)) return [];
  const fields = [...(value as CelMap)] as readonly (readonly [string, CelValue])[];
  if (!(value instanceof CelStruct)) return fields.flatMap(([, each]) => wrongNames(each, place));
  const own = value.typeName;
  const expected = `expected ${JSON.stringify(place)}, which matches field name path from root Object type`;
  const wrong = own === place ? [] : [`unexpected type name ${JSON.stringify(own)}, ${expected}`];
  return [...wrong, ...fields.flatMap(([name, each]) => wrongNames(each, `${place}.${name}`))];
}
