/** Conditions under which a webhook or a policy is asked (apiserver/pkg/admission/plugin/webhook/matchconditions, v1.34). */
import type { CompiledCondition } from '../../../api/admission/compiled-policy.js';
import type { CelVariables } from '../../../api/cel/evaluator.js';

/** Whether all conditions hold; a condition that does not decides over others that fail. */
export type ConditionsVerdict = { readonly isMet: boolean } | { readonly failures: readonly string[] };

/** What conditions say of a request. */
export function judgeConditions(conditions: readonly CompiledCondition[], variables: CelVariables): ConditionsVerdict {
  const failures: string[] = [];
  for (const { compiled } of conditions) {
    if (compiled.expression === undefined) {
      failures.push(compiled.problem);
      continue;
    }
    const outcome = compiled.expression.evaluate(variables);
    if ('failure' in outcome) {
      failures.push(`expression '${compiled.expression.text}' resulted in error: ${outcome.failure}`);
    } else if (outcome.value === false) return { isMet: false };
  }
  return failures.length === 0 ? { isMet: true } : { failures };
}

/** Failures as one text, as Go joins errors. */
export function joinedFailures(failures: readonly string[]): string {
  const [only = ''] = failures;
  return failures.length === 1 ? only : `[${failures.join(', ')}]`;
}
