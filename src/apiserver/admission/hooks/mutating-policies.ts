/**
 * MutatingAdmissionPolicies: what their bindings change of an object, by expressions over it (apiserver's
 * pkg/admission/plugin/policy/mutating, v1.34). What is stored holds from the next request on; upstream takes policies
 * in the order of a map of Go, here they come in the order of their names.
 */
import type { MutatingPolicySpec, PolicyBindingSpec } from '../../../api/admission/admission-types.js';
import { compiledPolicy, type CompiledMutation } from '../../../api/admission/compiled-policy.js';
import { isCustomKind } from '../../../api/custom/custom-kind.js';
import { ApiError } from '../../../api/errors/api-error.js';
import type { Draft, Kind, KindMap } from '../../../api/objects/objects.js';
import type { PlainObject } from '../../../api/objects/plain-kinds.js';
import { typeKeyOf } from '../../../api/types/type-facts.js';
import { isSameJson } from '../../../api/values/canonical-json.js';
import { resourceDetails } from '../../store/api-errors.js';
import type { AdmissionPlugin } from '../chain/admission-plugin.js';
import type { Attributes } from '../chain/attributes.js';
import type { ServedForm } from '../chain/served-forms.js';
import { boundForm, handlesPolicies, matchedBy, policyVariables, type PolicyMeans } from './bound-policies.js';
import { changedObject } from './changed-object.js';
import { joinedFailures, judgeConditions } from './conditions.js';
import { mutated, MutationError } from './mutations.js';
import { paramKindProblem, paramsOf, type BoundPolicy, type Params } from './params.js';
import { asKnown, keptForm, shownObject } from './request-view.js';

type Bound = BoundPolicy<MutatingPolicySpec>;

/** A policy with a binding and one of the objects that are its parameters, for a request that they mean. */
interface Invocation {
  readonly bound: Bound;
  readonly form: ServedForm;
  readonly params: Params;
  /** Tells it from the others, also when the chain runs again. */
  readonly key: string;
}

/** What a request is refused for. */
interface Failure {
  readonly message: string;
  readonly reason?: 'Invalid';
}

/** What is remembered of a request between the two runs of the chain. */
interface FirstRun {
  /** Those that ran and run again where it is needed. */
  readonly invoked: ReadonlySet<string>;
  /** Whether a change was made, if only one that left all as it was. */
  readonly isChanged: boolean;
  readonly object: KindMap[Kind] | undefined;
}

const firstRuns = new WeakMap<Attributes<Kind>, FirstRun>();

/** The plugin. */
export function mutatingPolicies(means: PolicyMeans): AdmissionPlugin {
  const policies = means.store.shelf('MutatingAdmissionPolicy');
  const bindings = means.store.shelf('MutatingAdmissionPolicyBinding');
  const boundBy = ({ metadata, spec = {} }: PlainObject): readonly Bound[] =>
    bindings.table.sorted().flatMap((binding): readonly Bound[] => {
      const bound = (binding.spec ?? {}) as PolicyBindingSpec;
      if (bound.policyName !== metadata.name) return [];
      return [{ policy: metadata.name, spec, binding: binding.metadata.name, bound }];
    });
  return {
    name: 'MutatingAdmissionPolicy',
    sources: [policies, bindings],
    seesBelow: true,
    handles: (subject) => subject.operation !== 'DELETE' && handlesPolicies(policies.table, subject),
    mutate: (attributes) => {
      const failures: Failure[] = [];
      const invocations = policies.table
        .sorted()
        .flatMap((policy) => invocationsOf(boundBy(policy), attributes, means, failures));
      runAll(invocations, attributes, means, failures);
      const [first] = failures;
      if (first !== undefined) throw refusal(first, failures, attributes);
    },
  };
}

/** @param bindings - of one policy */
function invocationsOf(
  bindings: readonly Bound[],
  attributes: Attributes<Kind>,
  { store }: PolicyMeans,
  failures: Failure[],
): readonly Invocation[] {
  const [first] = bindings;
  if (first === undefined || matchedBy(first.spec.matchConstraints, attributes, store) === undefined) return [];
  const problem = paramKindProblem(first.spec, store);
  if (problem !== undefined) {
    if (first.spec.failurePolicy !== 'Ignore') {
      failures.push({ message: `policy ${JSON.stringify(first.policy)} denied request: ${problem}` });
    }
    return [];
  }
  return bindings.flatMap((bound): readonly Invocation[] => {
    const form = boundForm(bound, attributes, store);
    if (form === undefined) return [];
    const found = paramsOf(bound, attributes, store);
    if ('params' in found) return found.params.map((params) => ({ bound, form, params, key: keyOf(bound, params) }));
    note(bound, failures, found.problem);
    return [];
  });
}

function keyOf({ policy, binding }: Bound, params: Params): string {
  const { metadata } = (params ?? {}) as { readonly metadata?: { readonly namespace?: string; readonly name: string } };
  return [policy, binding, metadata?.namespace ?? '', metadata?.name ?? ''].join('/');
}

function runAll(
  invocations: readonly Invocation[],
  attributes: Attributes<Kind>,
  means: PolicyMeans,
  failures: Failure[],
): void {
  const first = attributes.isReinvoked ? firstRuns.get(attributes) : undefined;
  const isNeeded = first?.isChanged === true || !isSameJson(first?.object, attributes.object);
  const invoked = new Set<string>();
  let isChanged = false;
  for (const invocation of invocations) {
    const { bound, params, form, key } = invocation;
    const policy = compiledPolicy(bound.spec);
    const verdict = judgeConditions(policy.conditions, policyVariables(policy, attributes, form, means, params));
    if ('failures' in verdict) {
      note(bound, failures, joinedFailures(verdict.failures), 'Invalid');
      continue;
    }
    if (!verdict.isMet) continue;
    if (attributes.isReinvoked && !(isNeeded && first?.invoked.has(key) === true)) continue;
    for (const mutation of policy.mutations) {
      if (attributes.object !== undefined && change(invocation, mutation, attributes, means, failures))
        isChanged = true;
    }
    if (bound.spec.reinvocationPolicy === 'IfNeeded') invoked.add(key);
  }
  if (attributes.isReinvoked) return;
  firstRuns.set(attributes, { invoked, isChanged, object: attributes.object });
  if (isChanged) attributes.mustReinvoke = true;
}

/** Makes one change. @returns whether it could be made @throws ApiError for what no failure policy forgives */
function change(
  { bound, params, form }: Invocation,
  mutation: CompiledMutation,
  attributes: Attributes<Kind>,
  means: PolicyMeans,
  failures: Failure[],
): boolean {
  const { object } = attributes;
  if (object === undefined) return false;
  const variables = policyVariables(compiledPolicy(bound.spec), attributes, form, means, params);
  const shown = shownObject(attributes, asKnown(attributes, object), form) as Draft;
  try {
    const next = mutated({ object: shown, ...typeOf(attributes, form) }, mutation, variables);
    if (next === shown) return true;
    const isPatch = mutation.mutation.patchType === 'JSONPatch';
    const changed =
      attributes.below === undefined
        ? changedObject(keptForm(attributes, next, form), object, attributes, isPatch ? 'strict' : 'converted')
        : (next as unknown as KindMap[Kind]);
    // What is the same is left as it is: others look whether it has changed.
    if (!isSameJson(changed, object)) attributes.object = changed;
    return true;
  } catch (error) {
    if (!(error instanceof MutationError)) throw error;
    note(bound, failures, error.message, 'Invalid');
    return false;
  }
}

function typeOf(
  { resource, below }: Attributes<Kind>,
  form: ServedForm,
): { readonly typeKey: string; readonly kindText: string } {
  const { group, kind, version: own } = below?.kind ?? { ...form, kind: resource.kind };
  const custom = isCustomKind(resource) ? resource.custom.versions.find(({ name }) => name === own) : undefined;
  const typeKey = typeKeyOf({ group, version: own, kind, typeKey: below === undefined ? custom?.typeKey : undefined });
  return { typeKey, kindText: `${group}/${own}, Kind=${kind}` };
}

function note({ policy, binding, spec }: Bound, failures: Failure[], why: string, reason?: 'Invalid'): void {
  if (spec.failurePolicy === 'Ignore') return;
  const message = `policy '${policy}' with binding '${binding}' denied request: ${why}`;
  failures.push(reason === undefined ? { message } : { message, reason });
}

function refusal(
  { message, reason }: Failure,
  failures: readonly Failure[],
  { resource, shownName }: Attributes<Kind>,
): ApiError {
  const causes = failures.map((each) => ({ message: each.message }));
  return new ApiError(403, reason ?? 'Forbidden', message, { ...resourceDetails(resource, shownName), causes });
}
