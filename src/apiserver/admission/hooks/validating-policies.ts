/**
 * ValidatingAdmissionPolicies: what their bindings say of a request, by expressions over its objects (apiserver's
 * pkg/admission/plugin/policy/validating, v1.34). What is stored holds from the next request on; upstream's informers
 * take about a second.
 */
import { ApiError, type StatusReason } from '../../../api/errors/api-error.js';
import type {
  PolicyBindingSpec,
  PolicyValidation,
  ValidatingPolicySpec,
} from '../../../api/admission/admission-types.js';
import { compiledPolicy, type Compiled, type CompiledPolicy } from '../../../api/admission/compiled-policy.js';
import type { CelVariables } from '../../../api/cel/evaluator.js';
import type { Kind, KindMap } from '../../../api/objects/objects.js';
import { qualifiedResource, resourceDetails } from '../../store/api-errors.js';
import type { AdmissionPlugin } from '../chain/admission-plugin.js';
import { boundForm, handlesPolicies, matchedBy, policyVariables, type PolicyMeans } from './bound-policies.js';
import type { Attributes } from '../chain/attributes.js';
import { joinedFailures, judgeConditions } from './conditions.js';
import { paramKindProblem, paramsOf, type BoundPolicy } from './params.js';

type Stored = KindMap['ValidatingAdmissionPolicy'];

/** What a policy holds against a request. */
interface Refusal {
  readonly bound: BoundPolicy<ValidatingPolicySpec>;
  readonly message: string;
  readonly reason: string;
  /** What is not configured well, where that is why. */
  readonly misconfigured?: 'policy' | 'binding';
}

/** The plugin. */
export function validatingPolicies(means: PolicyMeans): AdmissionPlugin {
  const policies = means.store.shelf('ValidatingAdmissionPolicy');
  const bindings = means.store.shelf('ValidatingAdmissionPolicyBinding');
  return {
    name: 'ValidatingAdmissionPolicy',
    sources: [policies, bindings],
    seesBelow: true,
    handles: (subject) => handlesPolicies(policies.table, subject),
    validate: (attributes) => {
      const refusals = bindings.table.sorted().flatMap((binding) => {
        const bound = (binding.spec ?? {}) as PolicyBindingSpec;
        const policy = policies.table.get(undefined, bound.policyName ?? '');
        if (policy === undefined) return [];
        return judged({ ...named(policy), binding: binding.metadata.name, bound }, attributes, means);
      });
      for (const refusal of refusals) {
        if (!asksFor(refusal, 'Warn') || refusal.misconfigured !== undefined) continue;
        attributes.context.warn(`Validation failed for ${sourceOf(refusal)}: ${refusal.message}`);
      }
      // What is not configured well is refused, whatever is to be done otherwise.
      const denial = refusals.find((each) => each.misconfigured !== undefined || asksFor(each, 'Deny'));
      if (denial !== undefined) throw denialOf(denial, attributes);
    },
  };
}

function specOf(spec: object | undefined): ValidatingPolicySpec {
  return spec ?? {};
}

function named({ metadata, spec }: Stored): Pick<BoundPolicy<ValidatingPolicySpec>, 'policy' | 'spec'> {
  return { policy: metadata.name, spec: specOf(spec) };
}

const CODES: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

function asksFor({ bound: { bound } }: Refusal, action: string): boolean {
  return bound.validationActions?.includes(action) === true;
}

function sourceOf({ bound: { policy, binding }, misconfigured }: Refusal): string {
  const own = `ValidatingAdmissionPolicy '${policy}'`;
  return misconfigured === 'policy' ? own : `${own} with binding '${binding}'`;
}

function denialOf(refusal: Refusal, { resource, shownName: name }: Attributes<Kind>): ApiError {
  const { message, reason } = refusal;
  const text = `${sourceOf(refusal)} denied request: ${message}`;
  const whole = `${qualifiedResource(resource)} ${JSON.stringify(name)} is forbidden: ${text}`;
  const details = { ...resourceDetails(resource, name), causes: [{ message: text }] };
  return new ApiError(CODES[reason] ?? 422, reason as StatusReason, whole, details);
}

/** What a binding's policy holds against a request, once for each object that its parameters are. */
function judged(
  bound: BoundPolicy<ValidatingPolicySpec>,
  attributes: Attributes<Kind>,
  means: PolicyMeans,
): readonly Refusal[] {
  const { store } = means;
  if (matchedBy(bound.spec.matchConstraints, attributes, store) === undefined) return [];
  const policy = compiledPolicy(bound.spec);
  const failed = (message: string, misconfigured?: Refusal['misconfigured']): readonly Refusal[] =>
    bound.spec.failurePolicy === 'Ignore'
      ? []
      : [{ bound, message, reason: 'Invalid', ...(misconfigured === undefined ? {} : { misconfigured }) }];
  const problem = paramKindProblem(bound.spec, store);
  if (problem !== undefined) return failed(problem, 'policy');
  const form = boundForm(bound, attributes, store);
  if (form === undefined) return [];
  const found = paramsOf(bound, attributes, store);
  if ('problem' in found) return failed(found.problem, 'binding');
  return found.params.flatMap((params) => {
    const variables = policyVariables(policy, attributes, form, means, params);
    const conditions = judgeConditions(policy.conditions, variables);
    if ('failures' in conditions) return failed(joinedFailures(conditions.failures));
    return conditions.isMet ? broken(bound, policy, variables) : [];
  });
}

function broken(
  bound: BoundPolicy<ValidatingPolicySpec>,
  { validations }: CompiledPolicy,
  variables: CelVariables,
): readonly Refusal[] {
  return validations.flatMap(({ validation, compiled, message }): readonly Refusal[] => {
    const failed = (text: string): readonly Refusal[] =>
      bound.spec.failurePolicy === 'Ignore' ? [] : [{ bound, message: text, reason: 'Invalid' }];
    if (compiled.expression === undefined) return failed(`compilation error: ${compiled.problem}`);
    const outcome = compiled.expression.evaluate(variables);
    const { expression = '', reason = 'Invalid' } = validation;
    if ('failure' in outcome) {
      return failed(`expression '${expression}' resulted in error: ${outcome.failure}`);
    }
    if (outcome.value === true) return [];
    return [{ bound, message: messageOf(validation, message, variables), reason }];
  });
}

const LONGEST_MESSAGE = 5120;

function messageOf(
  { expression = '', message = '' }: PolicyValidation,
  asked: Compiled | undefined,
  variables: CelVariables,
): string {
  const outcome = asked?.expression?.evaluate(variables);
  const text =
    outcome !== undefined && 'value' in outcome && typeof outcome.value === 'string' ? outcome.value.trim() : '';
  if (text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= LONGEST_MESSAGE) return text;
  return message.trim() === '' ? `failed expression: ${expression.trim()}` : message.trim();
}
