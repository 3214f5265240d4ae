/** What policies of both kinds have in common: whom they mean, and what their expressions may ask for. */
import type { MutatingPolicySpec, RequestMatch, ValidatingPolicySpec } from '../../../api/admission/admission-types.js';
import type { CompiledCondition, CompiledPolicy } from '../../../api/admission/compiled-policy.js';
import type { CelVariables, FieldSource } from '../../../api/cel/evaluator.js';
import { CelError, type CelValue } from '../../../api/cel/values.js';
import type { Kind } from '../../../api/objects/objects.js';
import type { PlainObject } from '../../../api/objects/plain-kinds.js';
import type { VersionedStore } from '../../store/store.js';
import type { AdmissionSubject } from '../chain/admission-plugin.js';
import type { Attributes } from '../chain/attributes.js';
import { askedForm, type ServedForm } from '../chain/served-forms.js';
import { isExempt, isSelected, matchedForm, mayMean } from './matching.js';
import type { BoundPolicy, Params } from './params.js';
import { requestVariables, type AuthorizeUser } from './request-view.js';

/** What policies read. */
export interface PolicyMeans {
  readonly store: VersionedStore;
  readonly authorize: AuthorizeUser;
}

type PolicySpec = Pick<ValidatingPolicySpec & MutatingPolicySpec, 'matchConstraints'>;

/** Whether a policy may mean such requests. */
export function handlesPolicies(
  table: { readonly size: number; sorted(): readonly PlainObject[] },
  subject: AdmissionSubject,
): boolean {
  if (table.size === 0 || isExempt(subject.resource)) return false;
  return table.sorted().some(({ spec }) => {
    const { resourceRules } = ((spec ?? {}) as PolicySpec).matchConstraints ?? {};
    return mayMean(resourceRules, subject);
  });
}

/** By which form a policy means a request; undefined if it does not. @param isOpen - without a rule all are meant */
export function matchedBy(
  match: RequestMatch = {},
  attributes: Attributes<Kind>,
  store: VersionedStore,
  isOpen = false,
): ServedForm | undefined {
  const { resourceRules = [], excludeResourceRules, matchPolicy } = match;
  const { name, resource, context } = attributes;
  if (matchedForm(excludeResourceRules, attributes, matchPolicy, name) !== undefined) return undefined;
  const isAny = isOpen && resourceRules.length === 0;
  const form = isAny ? askedForm(resource, context) : matchedForm(resourceRules, attributes, matchPolicy, name);
  return form === undefined || !isSelected(match, attributes, store) ? undefined : form;
}

/** By which form a policy means a request that its binding means as well; undefined if one of them does not. */
export function boundForm(
  { spec, bound }: BoundPolicy<PolicySpec>,
  attributes: Attributes<Kind>,
  store: VersionedStore,
): ServedForm | undefined {
  const form = matchedBy(spec.matchConstraints, attributes, store);
  if (form === undefined || bound.matchResources === undefined) return form;
  return matchedBy(bound.matchResources, attributes, store, true) === undefined ? undefined : form;
}

/** What a policy's expressions may ask for: of its own variables each is worked out once. */
export function policyVariables(
  policy: Pick<CompiledPolicy, 'variables'>,
  attributes: Attributes<Kind>,
  form: ServedForm,
  means: PolicyMeans,
  params: Params,
): CelVariables {
  const outer = requestVariables(attributes, form, means, params);
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
