/** Validation of roles and of what binds them (pkg/apis/rbac/validation, v1.34). */
import type * as rbac from 'kubernetes-types/rbac/v1.js';
import { invalid, invalidEach, notSupported, required } from '../../../errors/field-errors.js';
import { asGo } from '../../../go/go-json.js';
import type { PlainObject } from '../../../objects/plain-kinds.js';
import type { FieldError } from '../../../objects/resource-kind.js';
import { isSameJson } from '../../../values/canonical-json.js';
import { dns1123Subdomain, pathSegmentName } from '../../../values/names.js';
import { validateLabelSelector } from '../../rules/label-selector-validation.js';
import { fieldsOf, type PlainRules } from './plain-rules.js';

type Role = Partial<rbac.ClusterRole>;
type Binding = Partial<rbac.RoleBinding>;

const GROUP = 'rbac.authorization.k8s.io';

/** Of Roles. */
export const roleRules: PlainRules = {
  validate: (object) => validateRules(fieldsOf<Role>(object), true),
};

/** Of ClusterRoles. */
export const clusterRoleRules: PlainRules = {
  validate(object) {
    const role = fieldsOf<Role>(object);
    return [...validateRules(role, false), ...validateAggregation(role)];
  },
};

/** Of RoleBindings. */
export const roleBindingRules: PlainRules = bindingRules(true, ['Role', 'ClusterRole']);

/** Of ClusterRoleBindings. */
export const clusterRoleBindingRules: PlainRules = bindingRules(false, ['ClusterRole']);

function validateRules({ rules }: Role, isNamespaced: boolean): FieldError[] {
  return (rules ?? []).flatMap((rule, index) => validateRule(rule, isNamespaced, `rules[${index}]`));
}

function validateRule(rule: Partial<rbac.PolicyRule>, isNamespaced: boolean, field: string): FieldError[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const errors: FieldError[] = [];
  if (verbs.length === 0) errors.push(required(`${field}.verbs`, 'verbs must contain at least one value'));
  if (nonResourceURLs.length > 0) {
    const own = `${field}.nonResourceURLs`;
    if (isNamespaced) {
      errors.push(invalid(own, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'));
    }
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      const text = 'rules cannot apply to both regular resources and non-resource URLs';
      errors.push(invalid(own, nonResourceURLs, text));
    }
    return errors;
  }
  if (apiGroups.length === 0) {
    errors.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (resources.length === 0) {
    errors.push(required(`${field}.resources`, 'resource rules must supply at least one resource'));
  }
  return errors;
}

function validateAggregation({ aggregationRule }: Role): FieldError[] {
  if (aggregationRule === undefined) return [];
  const { clusterRoleSelectors: selectors = [] } = aggregationRule;
  const field = 'aggregationRule.clusterRoleSelectors';
  if (selectors.length === 0) {
    return [required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  }
  return selectors.flatMap((selector, index) => {
    const own = `${field}[${index}]`;
    const errors = validateLabelSelector(selector, own);
    return errors.length === 0 ? [] : [...errors, invalid(own, null, 'invalid label selector.')];
  });
}

function bindingRules(isNamespaced: boolean, kinds: readonly string[]): PlainRules {
  const validate = (object: PlainObject): readonly FieldError[] => {
    const { roleRef, subjects = [] } = fieldsOf<Binding>(object);
    return [
      ...validateRoleRef(roleRef ?? {}, kinds),
      ...subjects.flatMap((subject, index) => validateSubject(subject, isNamespaced, `subjects[${index}]`)),
    ];
  };
  return {
    validate,
    validateChange: (next, previous) => {
      const [{ roleRef }, { roleRef: before }] = [fieldsOf<Binding>(next), fieldsOf<Binding>(previous)];
      return isSameJson(roleRef, before) ? [] : [invalid('roleRef', asGo('RoleRef', roleRef), 'cannot change roleRef')];
    },
  };
}

function validateRoleRef(ref: Partial<rbac.RoleRef>, kinds: readonly string[]): FieldError[] {
  const { apiGroup = '', kind = '', name = '' } = ref;
  return [
    ...(apiGroup === GROUP ? [] : [notSupported('roleRef.apiGroup', apiGroup, [GROUP])]),
    ...(kinds.includes(kind) ? [] : [notSupported('roleRef.kind', kind, kinds)]),
    ...(name === '' ? [required('roleRef.name')] : invalidEach('roleRef.name', name, pathSegmentName(name))),
  ];
}

function validateSubject(subject: Partial<rbac.Subject>, isNamespaced: boolean, field: string): FieldError[] {
  const { kind = '', name = '', namespace = '', apiGroup = '' } = subject;
  const errors = name === '' ? [required(`${field}.name`)] : [];
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') errors.push(...invalidEach(`${field}.name`, name, dns1123Subdomain(name)));
      if (apiGroup !== '') errors.push(notSupported(`${field}.apiGroup`, apiGroup, ['']));
      if (!isNamespaced && namespace === '') errors.push(required(`${field}.namespace`));
      return errors;
    case 'User':
    case 'Group':
      if (apiGroup !== GROUP) errors.push(notSupported(`${field}.apiGroup`, apiGroup, [GROUP]));
      return errors;
    default:
      return [...errors, notSupported(`${field}.kind`, kind, ['ServiceAccount', 'User', 'Group'])];
  }
}
