/** What policies of admission, their bindings and conditions may say (pkg/apis/admissionregistration/validation, v1.34). */
import { duplicate, forbidden, invalid, invalidEach, notSupported, required, tooMany } from '../errors/field-errors.js';
import type { LabelSelector } from '../objects/objects.js';
import type { FieldError } from '../objects/resource-kind.js';
import type { PlainObject } from '../objects/plain-kinds.js';
import { dns1035Label, dns1123Subdomain, pathSegmentName, qualifiedName } from '../values/names.js';
import { RESERVED_WORDS } from '../cel/syntax.js';
import type {
  MutatingPolicySpec,
  NamedExpression,
  ParamRef,
  PolicyBindingSpec,
  RequestMatch,
  ValidatingPolicySpec,
} from './admission-types.js';
import {
  compiledPolicy,
  type Compiled,
  type CompiledCondition,
  type CompiledMutation,
  webhookConditions,
} from './compiled-policy.js';

const MOST_CONDITIONS = 64;
const ACTIONS = ['Audit', 'Deny', 'Warn'];
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const FAILURE_POLICIES = ['Fail', 'Ignore'];
const REINVOCATIONS = ['IfNeeded', 'Never'];
const MUTATED_OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE'];
/** By the type of a patch: the field that says it. */
const PATCH_FIELDS = { ApplyConfiguration: 'applyConfiguration', JSONPatch: 'jsonPatch' } as const;
const PATCH_TYPES = Object.keys(PATCH_FIELDS);

/** Judges what policies say as other configurations do. */
export interface MatchValidators {
  /** What requests are meant. */
  readonly match: (match: RequestMatch, field: string) => readonly FieldError[];
  readonly selector: (selector: LabelSelector | undefined, field: string) => readonly FieldError[];
}

/** What is wrong with the conditions of a webhook. */
export function webhookConditionErrors(
  conditions: readonly NamedExpression[] | undefined,
  field: string,
): readonly FieldError[] {
  return conditionErrors(conditions, webhookConditions(conditions), field);
}

function conditionErrors(
  stated: readonly NamedExpression[] = [],
  compiled: readonly CompiledCondition[],
  field: string,
): readonly FieldError[] {
  if (stated.length > MOST_CONDITIONS) return [tooMany(field, stated.length, MOST_CONDITIONS)];
  const names = new Set<string>();
  return stated.flatMap(({ name = '', expression = '' }, index) => {
    const own = `${field}[${index}]`;
    const errors: FieldError[] = [];
    if (expression.trim() === '') errors.push(required(`${own}.expression`));
    else errors.push(...expressionErrors(compiled[index]?.compiled, expression, `${own}.expression`));
    if (name === '') errors.push(required(`${own}.name`));
    else {
      errors.push(...invalidEach(`${own}.name`, name, qualifiedName(name)));
      if (names.has(name)) errors.push(duplicate(`${own}.name`, name));
      names.add(name);
    }
    return errors;
  });
}

function expressionErrors(compiled: Compiled | undefined, text: string, field: string): readonly FieldError[] {
  return compiled?.problem === undefined ? [] : [invalid(field, text, compiled.problem)];
}

/** What is wrong with a ValidatingAdmissionPolicy. */
export function validatingPolicyErrors(object: PlainObject, validators: MatchValidators): FieldError[] {
  const spec = (object.spec ?? {}) as ValidatingPolicySpec;
  const { validations = [], auditAnnotations = [] } = spec;
  const errors = [...commonErrors(spec, validators)];
  const compiled = compiledPolicy(spec);
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const why = 'validations or auditAnnotations must contain at least one item';
    return [...errors, required('spec.validations', why), required('spec.auditAnnotations', why)];
  }
  for (const [index, { validation, compiled: own, message: shown }] of compiled.validations.entries()) {
    const field = `spec.validations[${index}]`;
    const { expression = '', message = '', messageExpression = '', reason } = validation;
    if (expression.trim() === '') errors.push(required(`${field}.expression`, 'expression is not specified'));
    else errors.push(...expressionErrors(own, expression, `${field}.expression`));
    if (messageExpression !== '' && messageExpression.trim() === '') {
      errors.push(invalid(`${field}.messageExpression`, messageExpression, 'must be non-empty if specified'));
    } else errors.push(...expressionErrors(shown, messageExpression, `${field}.messageExpression`));
    if (message !== '' && message.trim() === '') {
      errors.push(invalid(`${field}.message`, message, 'must be non-empty if specified'));
    } else if (message.trim().includes('\n')) {
      errors.push(invalid(`${field}.message`, message, 'must not contain line breaks'));
    } else if (expression.trim().includes('\n') && message.trim() === '') {
      errors.push(required(`${field}.message`, 'message must be specified if expression contains line breaks'));
    }
    if (reason !== undefined && !REASONS.includes(reason)) {
      errors.push(notSupported(`${field}.reason`, reason, REASONS));
    }
  }
  const keys = new Set<string>();
  for (const [index, { key = '', valueExpression = '' }] of auditAnnotations.entries()) {
    const field = `spec.auditAnnotations[${index}]`;
    const qualified = `${object.metadata.name}/${key}`;
    if (object.metadata.name === '') errors.push(invalid(`${field}.key`, key, 'requires metadata.name be non-empty'));
    else errors.push(...invalidEach(`${field}.key`, qualified, qualifiedName(qualified)));
    if (valueExpression.trim() === '') {
      errors.push(required(`${field}.valueExpression`, 'valueExpression is not specified'));
    } else {
      const { compiled: own } = compiled.annotations[index] ?? {};
      errors.push(...expressionErrors(own, valueExpression, `${field}.valueExpression`));
    }
    if (keys.has(key)) errors.push(duplicate(`${field}.key`, key));
    keys.add(key);
  }
  return errors;
}

/** What is wrong with a MutatingAdmissionPolicy. */
export function mutatingPolicyErrors(object: PlainObject, validators: MatchValidators): FieldError[] {
  const spec = (object.spec ?? {}) as MutatingPolicySpec;
  const { mutations = [], reinvocationPolicy = '' } = spec;
  const errors = [...commonErrors(spec, mutatingMatch(validators))];
  if (mutations.length === 0) {
    errors.push(required('spec.mutations', 'mutations must contain at least one item'));
  }
  errors.push(
    ...compiledPolicy(spec).mutations.flatMap((mutation, index) =>
      mutationErrors(mutation, `spec.mutations[${index}]`),
    ),
  );
  if (reinvocationPolicy === '') errors.push(required('spec.reinvocationPolicy'));
  else if (!REINVOCATIONS.includes(reinvocationPolicy)) {
    errors.push(notSupported('spec.reinvocationPolicy', reinvocationPolicy, REINVOCATIONS));
  }
  return errors;
}

/** Requests without an object to change are none of a policy that changes objects. */
function mutatingMatch({ match: matchErrors, selector }: MatchValidators): MatchValidators {
  const match: MatchValidators['match'] = (stated, field) => [
    ...matchErrors(stated, field),
    ...(stated.resourceRules ?? [])
      .flatMap(({ operations = [] }) => operations)
      .filter((operation) => !MUTATED_OPERATIONS.includes(operation))
      .map((operation) => notSupported(`${field}.resourceRules.operations`, operation, MUTATED_OPERATIONS)),
  ];
  return { match, selector };
}

function mutationErrors({ mutation, expression, compiled }: CompiledMutation, field: string): FieldError[] {
  const { patchType = '' } = mutation;
  if (patchType === '') return [required(`${field}.patchType`)];
  if (!isPatchType(patchType)) return [notSupported(`${field}.patchType`, patchType, PATCH_TYPES)];
  const own = PATCH_FIELDS[patchType];
  const other = own === 'jsonPatch' ? 'applyConfiguration' : 'jsonPatch';
  const errors: FieldError[] = [];
  const text = expression.trim();
  if (mutation[own] === undefined) {
    errors.push(required(`${field}.${own}`, `must be specified when patchType is ${patchType}`));
  } else if (text === '') errors.push(required(`${field}.${own}.expression`));
  else errors.push(...expressionErrors(compiled, text, `${field}.${own}.expression`));
  if (mutation[other] !== undefined) {
    errors.push(invalid(`${field}.${other}`, `{${other}}`, `must not be specified when patchType is ${patchType}`));
  }
  return errors;
}

function isPatchType(text: string): text is keyof typeof PATCH_FIELDS {
  return Object.hasOwn(PATCH_FIELDS, text);
}

/** What policies of both kinds have. */
function commonErrors(
  spec: ValidatingPolicySpec & MutatingPolicySpec,
  validators: MatchValidators,
): readonly FieldError[] {
  const { failurePolicy = '', paramKind, matchConstraints, variables = [] } = spec;
  const errors: FieldError[] = [];
  if (failurePolicy === '') errors.push(required('spec.failurePolicy'));
  else if (!FAILURE_POLICIES.includes(failurePolicy)) {
    errors.push(notSupported('spec.failurePolicy', failurePolicy, FAILURE_POLICIES));
  }
  if (paramKind !== undefined) errors.push(...paramKindErrors(paramKind));
  if (matchConstraints === undefined) errors.push(required('spec.matchConstraints'));
  else {
    errors.push(...validators.match(matchConstraints, 'spec.matchConstraints'));
    if ((matchConstraints.resourceRules ?? []).length === 0) {
      errors.push(required('spec.matchConstraints.resourceRules'));
    }
  }
  const compiled = compiledPolicy(spec);
  errors.push(...conditionErrors(spec.matchConditions, compiled.conditions, 'spec.matchConditions'));
  for (const [index, { name = '', expression = '' }] of variables.entries()) {
    const field = `spec.variables[${index}]`;
    const isName = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !RESERVED_WORDS.has(name);
    if (name.trim() === '') errors.push(required(`${field}.name`, 'name is not specified'));
    else if (!isName) errors.push(invalid(`${field}.name`, name, 'must be a valid CEL identifier'));
    if (expression.trim() === '') errors.push(required(`${field}.expression`, 'expression is not specified'));
    else errors.push(...expressionErrors(compiled.variables[index]?.compiled, expression, `${field}.expression`));
  }
  return errors;
}

function paramKindErrors({ apiVersion = '', kind = '' }: NonNullable<ValidatingPolicySpec['paramKind']>): FieldError[] {
  const errors: FieldError[] = [];
  const field = 'spec.paramKind';
  const parts = apiVersion.split('/');
  if (apiVersion === '') errors.push(required(`${field}.apiVersion`));
  else if (parts.length > 2) {
    errors.push(invalid(`${field}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  } else {
    const [group, version = ''] = parts.length === 1 ? ['', ...parts] : parts;
    if (group !== undefined && group !== '') {
      const problems = dns1123Subdomain(group);
      if (problems.length > 0) errors.push(invalid(`${field}.apiVersion`, group, problems.join(',')));
    }
    const problems = dns1035Label(version);
    if (problems.length > 0) errors.push(invalid(`${field}.apiVersion`, version, problems.join(',')));
  }
  if (kind === '') return [...errors, required(`${field}.kind`)];
  const problems = dns1035Label(kind.toLowerCase());
  if (problems.length === 0) return errors;
  const why = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
  return [...errors, invalid(`${field}.kind`, kind, why)];
}

/** What is wrong with the binding of a policy that validates. */
export function validatingBindingErrors(object: PlainObject, validators: MatchValidators): FieldError[] {
  const { validationActions = [] } = (object.spec ?? {}) as PolicyBindingSpec;
  return [...bindingErrors(object, validators), ...actionErrors(validationActions)];
}

/** What is wrong with the binding of a policy that changes objects. */
export function mutatingBindingErrors(object: PlainObject, validators: MatchValidators): FieldError[] {
  return bindingErrors(object, mutatingMatch(validators));
}

function bindingErrors(object: PlainObject, validators: MatchValidators): FieldError[] {
  const { policyName = '', paramRef, matchResources } = (object.spec ?? {}) as PolicyBindingSpec;
  const errors: FieldError[] = [];
  if (policyName === '') errors.push(required('spec.policyName'));
  else errors.push(...invalidEach('spec.policyName', policyName, dns1123Subdomain(policyName)));
  if (paramRef !== undefined) errors.push(...paramRefErrors(paramRef, validators));
  if (matchResources !== undefined) errors.push(...validators.match(matchResources, 'spec.matchResources'));
  return errors;
}

function paramRefErrors(
  { name = '', selector, parameterNotFoundAction }: ParamRef,
  validators: MatchValidators,
): FieldError[] {
  const field = 'spec.paramRef';
  const isTwice = name !== '' && selector !== undefined;
  const twice = (part: string): FieldError[] =>
    isTwice ? [forbidden(`${field}.${part}`, 'name and selector are mutually exclusive')] : [];
  const errors = [
    ...invalidEach(`${field}.name`, name, name === '' ? [] : pathSegmentName(name)),
    ...twice('name'),
    ...validators.selector(selector, `${field}.selector`),
    ...twice('selector'),
  ];
  if (name === '' && selector === undefined) {
    errors.push(required(field, 'one of name or selector must be specified'));
  }
  if (parameterNotFoundAction === undefined || parameterNotFoundAction === '') {
    errors.push(required(`${field}.parameterNotFoundAction`));
  } else if (parameterNotFoundAction !== 'Allow' && parameterNotFoundAction !== 'Deny') {
    errors.push(notSupported(`${field}.parameterNotFoundAction`, parameterNotFoundAction, ['Deny', 'Allow']));
  }
  return errors;
}

function actionErrors(actions: readonly string[]): FieldError[] {
  const field = 'spec.validationActions';
  const errors = actions.flatMap((action, index) => {
    if (!ACTIONS.includes(action)) return [notSupported(`${field}[${index}]`, action, ACTIONS)];
    return actions.indexOf(action) < index ? [duplicate(`${field}[${index}]`, action)] : [];
  });
  if (actions.includes('Deny') && actions.includes('Warn')) {
    const why =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
    errors.push(invalid(field, actions, why));
  }
  if (actions.length === 0) errors.push(required(field, 'at least one validation action is required'));
  return errors;
}
