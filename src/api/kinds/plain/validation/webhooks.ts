/** Validation of configurations of webhooks, and of policies (pkg/apis/admissionregistration/validation, v1.34). */
import type * as admission from 'kubernetes-types/admissionregistration/v1.js';
import { duplicate, invalid, invalidEach, notSupported, required } from '../../../errors/field-errors.js';
import type { PlainObject } from '../../../objects/plain-kinds.js';
import type { FieldError } from '../../../objects/resource-kind.js';
import { dns1035Label, dns1123Subdomain, pathSegmentName } from '../../../values/names.js';
import { validateLabelSelector } from '../../rules/label-selector-validation.js';
import { validateClient } from '../../rules/webhook-client.js';
import type { OperationRule, RequestMatch } from '../../../admission/admission-types.js';
import {
  mutatingBindingErrors,
  mutatingPolicyErrors,
  validatingBindingErrors,
  validatingPolicyErrors,
  webhookConditionErrors,
  type MatchValidators,
} from '../../../admission/policy-validation.js';
import { fieldsOf, type PlainRules } from './plain-rules.js';
import { validatePolicyStatus } from './policy-status.js';

type Webhook = Partial<admission.MutatingWebhook>;
type Rule = OperationRule;

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];
const FAILURE_POLICIES = ['Fail', 'Ignore'];
const MATCH_POLICIES = ['Equivalent', 'Exact'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const REINVOCATIONS = ['IfNeeded', 'Never'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const LONGEST_TIMEOUT_SECONDS = 30;
const LEAST_SEGMENTS = 3;

/** Of both kinds of configurations. */
export const webhookRules: PlainRules = { validate: validateWebhooks };

const VALIDATORS: MatchValidators = { match: validateMatch, selector: validateLabelSelector };

export const validatingPolicyRules: PlainRules = {
  validate: (object) => validatingPolicyErrors(object, VALIDATORS),
  validateStatusChange: validatePolicyStatus,
};
export const validatingBindingRules: PlainRules = {
  validate: (object) => validatingBindingErrors(object, VALIDATORS),
};
export const mutatingPolicyRules: PlainRules = { validate: (object) => mutatingPolicyErrors(object, VALIDATORS) };
export const mutatingBindingRules: PlainRules = { validate: (object) => mutatingBindingErrors(object, VALIDATORS) };

function validateMatch(match: RequestMatch, field: string): FieldError[] {
  const { resourceRules = [], excludeResourceRules = [], namespaceSelector, objectSelector, matchPolicy } = match;
  const within =
    matchPolicy === undefined || MATCH_POLICIES.includes(matchPolicy)
      ? []
      : [notSupported(`${field}.matchPolicy`, matchPolicy, MATCH_POLICIES)];
  return [
    ...within,
    ...validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`),
    ...validateLabelSelector(objectSelector, `${field}.objectSelector`),
    ...resourceRules.flatMap((rule, index) => validateNamedRule(rule, `${field}.resourceRules[${index}]`)),
    ...excludeResourceRules.flatMap((rule, index) =>
      validateNamedRule(rule, `${field}.excludeResourceRules[${index}]`),
    ),
  ];
}

function validateWebhooks(object: PlainObject): FieldError[] {
  const { webhooks = [] } = fieldsOf<{ readonly webhooks: readonly Webhook[] }>(object);
  const names = new Set<string>();
  return webhooks.flatMap((webhook, index) => {
    const field = `webhooks[${index}]`;
    const { name = '', admissionReviewVersions = [] } = webhook;
    const errors = [
      ...validateWebhook(webhook, field),
      ...webhookConditionErrors(webhook.matchConditions, `${field}.matchConditions`),
      ...validateVersions(admissionReviewVersions, `${field}.admissionReviewVersions`),
    ];
    if (name !== '' && names.has(name)) errors.push(duplicate(`${field}.name`, name));
    names.add(name);
    return errors;
  });
}

function validateWebhook(webhook: Webhook, field: string): FieldError[] {
  const { rules = [], sideEffects, timeoutSeconds, namespaceSelector, objectSelector, clientConfig = {} } = webhook;
  const within = (value: string | undefined, allowed: readonly string[], name: string): FieldError[] =>
    value === undefined || allowed.includes(value) ? [] : [notSupported(`${field}.${name}`, value, allowed)];
  const errors = [
    ...validateName(webhook.name ?? '', `${field}.name`),
    ...rules.flatMap((rule, index) => validateRule(rule, `${field}.rules[${index}]`)),
    ...within(webhook.failurePolicy, FAILURE_POLICIES, 'failurePolicy'),
    ...within(webhook.matchPolicy, MATCH_POLICIES, 'matchPolicy'),
  ];
  if (sideEffects === undefined) {
    errors.push(required(`${field}.sideEffects`, `must specify one of ${SIDE_EFFECTS.join(', ')}`));
  } else errors.push(...within(sideEffects, SIDE_EFFECTS, 'sideEffects'));
  if (timeoutSeconds !== undefined && (timeoutSeconds > LONGEST_TIMEOUT_SECONDS || timeoutSeconds < 1)) {
    const text = 'the timeout value must be between 1 and 30 seconds';
    errors.push(invalid(`${field}.timeoutSeconds`, timeoutSeconds, text));
  }
  errors.push(...validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`));
  errors.push(...validateLabelSelector(objectSelector, `${field}.objectSelector`));
  errors.push(...within(webhook.reinvocationPolicy, REINVOCATIONS, 'reinvocationPolicy'));
  return [...errors, ...validateClient(clientConfig, `${field}.clientConfig`)];
}

/** A domain of three segments at least. */
function validateName(name: string, field: string): FieldError[] {
  if (name === '') return [required(field)];
  const problems = dns1123Subdomain(name);
  if (problems.length > 0) return [invalid(field, name, problems.join(','))];
  if (name.split('.').length >= LEAST_SEGMENTS) return [];
  return [invalid(field, name, 'should be a domain with at least three segments separated by dots')];
}

/** A rule of a policy, which may mean objects by their names. */
function validateNamedRule(rule: Rule, field: string): FieldError[] {
  const { resourceNames = [] } = rule;
  const errors = resourceNames.flatMap((name, index) => {
    const own = `${field}.resourceNames[${index}]`;
    const isTwice = resourceNames.indexOf(name) < index;
    return [...invalidEach(own, name, pathSegmentName(name)), ...(isTwice ? [duplicate(own, name)] : [])];
  });
  return [...errors, ...validateRule(rule, field)];
}

function validateRule(rule: Rule, field: string): FieldError[] {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  const errors: FieldError[] = [];
  /** A list that says something, and nothing beside a wildcard. */
  const stated = (list: readonly string[], name: string, what: string): void => {
    const own = `${field}.${name}`;
    if (list.length === 0) errors.push(required(own));
    if (list.length > 1 && list.includes('*')) {
      errors.push(invalid(own, list, `if '*' is present, must not specify other ${what}`));
    }
  };
  stated(operations, 'operations', 'operations');
  for (const [index, operation] of operations.entries()) {
    if (!OPERATIONS.includes(operation)) {
      errors.push(notSupported(`${field}.operations[${index}]`, operation, OPERATIONS));
    }
  }
  stated(apiGroups, 'apiGroups', 'API groups');
  stated(apiVersions, 'apiVersions', 'API versions');
  for (const [index, version] of apiVersions.entries()) {
    if (version === '') errors.push(required(`${field}.apiVersions[${index}]`));
  }
  errors.push(...validateResources(resources, `${field}.resources`));
  if (scope !== undefined && !SCOPES.includes(scope)) errors.push(notSupported(`${field}.scope`, scope, SCOPES));
  return errors;
}

/** Resources and their subresources, each said once. */
function validateResources(resources: readonly string[], field: string): FieldError[] {
  if (resources.length === 0) return [required(field)];
  const [allBelow, everywhere] = [new Set<string>(), new Set<string>()];
  const errors: FieldError[] = [];
  let isWhole = false;
  for (const [index, text] of resources.entries()) {
    const own = `${field}[${index}]`;
    if (text === '') {
      errors.push(required(own));
      continue;
    }
    const slash = text.indexOf('/');
    if (slash === -1) {
      isWhole = text !== '*';
      continue;
    }
    const [resource, below] = [text.slice(0, slash), text.slice(slash + 1)];
    if (allBelow.has(resource)) {
      errors.push(invalid(own, text, `if '${resource}/*' is present, must not specify ${text}`));
    }
    if (everywhere.has(below)) errors.push(invalid(own, text, `if '*/${below}' is present, must not specify ${text}`));
    if (below === '*') allBelow.add(resource);
    if (resource === '*') everywhere.add(below);
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalid(field, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (isWhole && resources.includes('*')) {
    const text = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalid(field, resources, text));
  }
  return errors;
}

function validateVersions(versions: readonly string[], field: string): FieldError[] {
  if (versions.length === 0) return [required(field, `must specify one of ${REVIEW_VERSIONS.join(', ')}`)];
  const errors = versions.flatMap((version, index) => {
    const own = `${field}[${index}]`;
    if (versions.indexOf(version) < index) return [invalid(own, version, 'duplicate version')];
    return invalidEach(own, version, dns1035Label(version));
  });
  if (versions.some((version) => REVIEW_VERSIONS.includes(version))) return errors;
  return [...errors, invalid(field, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)];
}
