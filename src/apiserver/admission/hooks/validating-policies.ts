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
import {
  compiledPolicy,
  type Compiled,
  type CompiledCondition,
  type CompiledPolicy,
} from '../../../api/admission/compiled-policy.js';
import type { CelVariables, FieldSource } from '../../../api/cel/evaluator.js';
import { CelError, type CelValue } from '../../../api/cel/values.js';
import type { Kind, KindMap } from '../../../api/objects/objects.js';
import { qualifiedResource, resourceDetails } from '../../store/api-errors.js';
import type { VersionedStore } from '../../store/store.js';
import type { AdmissionPlugin } from '../chain/admission-plugin.js';
import type { Attributes } from '../chain/attributes.js';
import { joinedFailures, judgeConditions } from './conditions.js';
import { isExempt, isSelected, matchedVersion } from './matching.js';
import { paramsOf, type BoundPolicy, type Params } from './params.js';
import { requestVariables, type AuthorizeUser } from './request-view.js';

/** What policies read. */
export interface PolicyMeans {
  readonly store: VersionedStore;
  readonly authorize: AuthorizeUser;
}

type Stored = KindMap['ValidatingAdmissionPolicy'];

/** What a policy holds against a request. */
interface Refusal {
  readonly bound: BoundPolicy<ValidatingPolicySpec>;
  readonly message: string;
  readonly reason: string;
}

/** The plugin. */
export function validatingPolicies(means: PolicyMeans): AdmissionPlugin {
  const policies = means.store.shelf('ValidatingAdmissionPolicy');
  const bindings = means.store.shelf('ValidatingAdmissionPolicyBinding');
  return {
    name: 'ValidatingAdmissionPolicy',
    sources: [policies, bindings],
    seesBelow: true,
    handles: (subject) =>
      !isExempt(subject.resource) &&
      policies.table.size > 0 &&
      policies.table.sorted().some(({ spec }) => {
        const { resourceRules, matchPolicy } = specOf(spec).matchConstraints ?? {};
        return matchedVersion(resourceRules, subject, matchPolicy) !== undefined;
      }),
    validate: (attributes) => {
      const refusals = bindings.table.sorted().flatMap((binding) => {
        const bound = (binding.spec ?? {}) as PolicyBindingSpec;
        const policy = policies.table.get(undefined, bound.policyName ?? '');
        if (policy === undefined) return [];
        return judged({ ...named(policy), binding: binding.metadata.name, bound }, attributes, means);
      });
      for (const { bound, message } of refusals) {
        if (bound.bound.validationActions?.includes('Warn') !== true) continue;
        const where = `ValidatingAdmissionPolicy '${bound.policy}' with binding '${bound.binding}'`;
        attributes.context.warn(`Validation failed for ${where}: ${message}`);
      }
      const denial = refusals.find(({ bound }) => bound.bound.validationActions?.includes('Deny') === true);
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

function denialOf({ bound, message, reason }: Refusal, { resource, name }: Attributes<Kind>): ApiError {
  const text = `ValidatingAdmissionPolicy '${bound.policy}' with binding '${bound.binding}' denied request: ${message}`;
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
  const version = boundVersion(bound, attributes, means.store);
  if (version === undefined) return [];
  const policy = compiledPolicy(bound.spec);
  const failed = (message: string): readonly Refusal[] =>
    bound.spec.failurePolicy === 'Ignore' ? [] : [{ bound, message, reason: 'Invalid' }];
  const found = paramsOf(bound, attributes, means.store);
  if ('problem' in found) return failed(found.problem);
  return found.params.flatMap((params) => {
    const variables = policyVariables(policy, attributes, version, means, params);
    const conditions = judgeConditions(policy.conditions, variables);
    if ('failures' in conditions) return failed(joinedFailures(conditions.failures));
    return conditions.isMet ? broken(bound, policy, variables) : [];
  });
}

/** By which version a binding means a request; undefined if it does not. */
function boundVersion(
  { spec, bound }: BoundPolicy<ValidatingPolicySpec>,
  attributes: Attributes<Kind>,
  store: VersionedStore,
): string | undefined {
  const { matchConstraints = {} } = spec;
  let version: string | undefined;
  for (const match of [matchConstraints, bound.matchResources]) {
    if (match === undefined) continue;
    const { resourceRules, excludeResourceRules, matchPolicy } = match;
    const { name } = attributes;
    if (matchedVersion(excludeResourceRules, attributes, matchPolicy, name) !== undefined) return undefined;
    const isOpen = match !== matchConstraints && (resourceRules ?? []).length === 0;
    const own = isOpen ? version : matchedVersion(resourceRules, attributes, matchPolicy, name);
    if (own === undefined || !isSelected(match, attributes, store)) return undefined;
    version ??= own;
  }
  return version;
}

/** What a policy's expressions may ask for: of its own variables each is worked out once. */
function policyVariables(
  policy: CompiledPolicy,
  attributes: Attributes<Kind>,
  version: string,
  means: PolicyMeans,
  params: Params,
): CelVariables {
  const outer = requestVariables(attributes, version, means, params);
  const values = new Map<string, CelValue>();
  const own: FieldSource = {
    isFieldSource: true,
    field: (name) => {
      const known = values.get(name);
      if (known !== undefined) return known;
      const variable = policy.variables.find((each) => each.name === name);
      if (variable === undefined) return undefined;
      const value = valueOf(variable, variables);
      values.set(name, value);
      return value;
    },
  };
  const variables: CelVariables = (name) => (name === 'variables' ? (own as unknown as CelValue) : outer(name));
  return variables;
}

function valueOf({ name, compiled }: CompiledCondition, variables: CelVariables): CelValue {
  const { expression, problem } = compiled;
  if (expression === undefined)
    throw new CelError(`composited variable ${JSON.stringify(name)} fails to compile: ${problem}`);
  const outcome = expression.evaluate(variables);
  if ('failure' in outcome) {
    throw new CelError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${outcome.failure}`);
  }
  return outcome.value;
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
