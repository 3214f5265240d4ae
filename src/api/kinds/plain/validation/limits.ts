/** Validation of limit ranges and quotas (pkg/apis/core/validation and helper, v1.34). */
import { duplicate, forbidden, invalid, invalidEach, required } from '../../../errors/field-errors.js';
import { asGo } from '../../../go/go-json.js';
import type { core, ResourceList } from '../../../objects/objects.js';
import type { FieldError } from '../../../objects/resource-kind.js';
import { qualifiedName } from '../../../values/names.js';
import {
  compareQuantities,
  formatQuantity,
  knownQuantity,
  milliValue,
  type Quantity,
} from '../../../values/quantity.js';
import {
  isContainerResource,
  isOvercommitAllowed,
  isStandardQuotaResource,
  isStandardResource,
} from '../../rules/resource-lists.js';
import { validateAmount } from '../../rules/resource-validation.js';
import { specOf, statusOf, type PlainRules } from './plain-rules.js';

type Limit = Partial<core.LimitRangeItem>;
type Amounts = Readonly<Record<'min' | 'max' | 'default' | 'defaultRequest' | 'maxLimitRequestRatio', ResourceList>>;
type Quota = core.ResourceQuotaSpec;

const LIMIT_TYPES: ReadonlySet<string> = new Set(['Pod', 'Container', 'PersistentVolumeClaim']);
const NOT_STANDARD = 'must be a standard resource type or fully qualified';
const ONE = knownQuantity('1');

/** Of LimitRanges. */
export const limitRangeRules: PlainRules = {
  // One without a name gets one (pkg/registry/core/limitrange).
  prepareForCreate: (object) =>
    object.metadata.name === '' ? { ...object, metadata: { ...object.metadata, name: object.metadata.uid } } : object,
  validate: (object) => {
    const { limits = [] } = specOf<core.LimitRangeSpec>(object);
    const types = new Set<string>();
    return limits.flatMap((limit: Limit, index) => {
      const field = `spec.limits[${index}]`;
      const { type = '' } = limit;
      const errors = validateType(type, `${field}.type`);
      if (types.has(type)) errors.push(duplicate(`${field}.type`, type));
      types.add(type);
      return [...errors, ...validateLimit(limit, field)];
    });
  },
};

function validateType(type: string, field: string): FieldError[] {
  const errors = invalidEach(field, type, qualifiedName(type));
  if (errors.length > 0 || type.includes('/') || LIMIT_TYPES.has(type)) return errors;
  return [invalid(field, type, 'must be a standard limit type or fully qualified')];
}

function validateLimit(limit: Limit, field: string): FieldError[] {
  const {
    type = '',
    min = {},
    max = {},
    default: fallback = {},
    defaultRequest = {},
    maxLimitRequestRatio = {},
  } = limit;
  const amounts: Amounts = { min, max, default: fallback, defaultRequest, maxLimitRequestRatio };
  const errors: FieldError[] = [];
  const named = (part: keyof Amounts): void => {
    for (const name of Object.keys(amounts[part])) {
      errors.push(...validateLimitName(type, name, `${field}.${part}[${name}]`));
    }
  };
  named('max');
  named('min');
  for (const part of ['default', 'defaultRequest'] as const) {
    if (type !== 'Pod') named(part);
    else if (Object.keys(amounts[part]).length > 0) {
      errors.push(forbidden(`${field}.${part}`, "may not be specified when `type` is 'Pod'"));
    }
  }
  if (type === 'PersistentVolumeClaim' && min['storage'] === undefined && max['storage'] === undefined) {
    const text = 'either minimum or maximum storage value is required, but neither was provided';
    errors.push(required(`${field}.limits`, text));
  }
  named('maxLimitRequestRatio');
  const shown = type === 'Pod' ? { ...amounts, default: {}, defaultRequest: {} } : amounts;
  const names = new Set(Object.values(shown).flatMap((list) => Object.keys(list)));
  for (const name of [...names].sort()) errors.push(...compareAmounts(shown, name, field));
  return errors;
}

function validateLimitName(type: string, name: string, field: string): FieldError[] {
  const errors = validateResourceName(name, field);
  if ((type !== 'Pod' && type !== 'Container') || name.includes('/') || isContainerResource(name)) return errors;
  return [...errors, invalid(field, name, 'must be a standard resource for containers')];
}

function validateResourceName(name: string, field: string): FieldError[] {
  const errors = invalidEach(field, name, qualifiedName(name));
  if (errors.length > 0 || name.includes('/') || isStandardResource(name)) return errors;
  return [invalid(field, name, NOT_STANDARD)];
}

/** What is said of one resource fits together. */
function compareAmounts(amounts: Amounts, name: string, field: string): FieldError[] {
  const quantityOf = (part: keyof Amounts): Quantity | undefined => {
    const text = amounts[part][name];
    return text === undefined ? undefined : knownQuantity(text);
  };
  const [min, max, fallback] = [quantityOf('min'), quantityOf('max'), quantityOf('default')];
  const [request, ratio] = [quantityOf('defaultRequest'), quantityOf('maxLimitRequestRatio')];
  const errors: FieldError[] = [];
  /** Refuses the first being more than the second. */
  const ordered = (
    [lower, lowerName]: readonly [Quantity | undefined, string],
    [upper, upperName]: readonly [Quantity | undefined, string],
    part: keyof Amounts,
    shown: Quantity | undefined,
  ): void => {
    if (lower === undefined || upper === undefined || shown === undefined) return;
    if (compareQuantities(lower, upper) <= 0) return;
    const text = `${lowerName} value ${formatQuantity(lower)} is greater than ${upperName} value ${formatQuantity(upper)}`;
    errors.push(invalid(`${field}.${part}[${name}]`, formatQuantity(shown), text));
  };
  ordered([min, 'min'], [max, 'max'], 'min', min);
  ordered([min, 'min'], [request, 'default request'], 'defaultRequest', request);
  ordered([request, 'default request'], [max, 'max'], 'defaultRequest', request);
  ordered([request, 'default request'], [fallback, 'default limit'], 'defaultRequest', request);
  ordered([min, 'min'], [fallback, 'default'], 'default', min);
  ordered([fallback, 'default'], [max, 'max'], 'default', max);
  if (ratio !== undefined) errors.push(...validateRatio(ratio, min, max, `${field}.maxLimitRequestRatio[${name}]`));
  if (isOvercommitAllowed(name) || fallback === undefined || request === undefined) return errors;
  if (compareQuantities(fallback, request) === 0) return errors;
  const [limitText, requestText] = [formatQuantity(fallback), formatQuantity(request)];
  const text = `default value ${limitText} must equal to defaultRequest value ${requestText} in ${name}`;
  return [...errors, invalid(`${field}.defaultRequest[${name}]`, requestText, text)];
}

function validateRatio(
  ratio: Quantity,
  min: Quantity | undefined,
  max: Quantity | undefined,
  field: string,
): FieldError[] {
  const text = formatQuantity(ratio);
  const errors: FieldError[] = [];
  if (compareQuantities(ratio, ONE) < 0) errors.push(invalid(field, text, `ratio ${text} is less than 1`));
  if (min === undefined || max === undefined) return errors;
  const most = milliValue(max) / milliValue(min);
  if (milliValue(ratio) / 1000 <= most) return errors;
  return [...errors, invalid(field, text, `ratio ${text} is greater than max/min = ${most.toFixed(6)}`)];
}

const POD_RESOURCES: ReadonlySet<string> = new Set([
  'pods',
  'cpu',
  'memory',
  'limits.cpu',
  'limits.memory',
  'requests.cpu',
  'requests.memory',
]);
const CLAIM_RESOURCES: ReadonlySet<string> = new Set(['persistentvolumeclaims', 'requests.storage']);
const COUNTED_PODS: ReadonlySet<string> = new Set(['pods']);
/** Resources that a quota of a scope may name. */
const SCOPES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['Terminating', POD_RESOURCES],
  ['NotTerminating', POD_RESOURCES],
  ['NotBestEffort', POD_RESOURCES],
  ['PriorityClass', POD_RESOURCES],
  ['CrossNamespacePodAffinity', POD_RESOURCES],
  ['BestEffort', COUNTED_PODS],
  ['VolumeAttributesClass', CLAIM_RESOURCES],
]);
/** Scopes of which a pod is always in one. */
const OPPOSITES = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
const EXISTING_SCOPES: ReadonlySet<string> = new Set([...OPPOSITES.flat(), 'CrossNamespacePodAffinity']);
const MUST_EXIST =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, " +
  'ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity';

/** Of ResourceQuotas. */
export const quotaRules: PlainRules = {
  validate: (object) => {
    const quota = specOf<Quota>(object);
    return [
      ...validateHard(quota.hard ?? {}, 'spec.hard'),
      ...validateScopes(quota),
      ...(quota.scopeSelector === undefined ? [] : validateScopeSelector(quota)),
    ];
  },
  validateChange: (next, previous) => {
    const [{ scopes = [] }, { scopes: before = [] }] = [specOf<Quota>(next), specOf<Quota>(previous)];
    const isSame = new Set(scopes).size === new Set(before).size && scopes.every((scope) => before.includes(scope));
    return isSame ? [] : [invalid('spec.scopes', scopes, 'field is immutable')];
  },
  validateStatusChange: (next) => {
    const { hard = {}, used = {} } = statusOf<core.ResourceQuotaStatus>(next);
    return [...validateHard(hard, 'status.hard'), ...validateHard(used, 'status.used')];
  },
};

function validateHard(hard: ResourceList, field: string): FieldError[] {
  return Object.keys(hard)
    .sort()
    .flatMap((name) => {
      const own = `${field}[${name}]`;
      const errors = validateResourceName(name, own);
      if (!name.includes('/') && !isStandardQuotaResource(name)) {
        errors.push(invalid(own, name, 'must be a standard resource for quota'));
      }
      return [...errors, ...validateAmount(name, knownQuantity(hard[name] ?? '0'), own)];
    });
}

function validateScopes({ scopes = [], hard = {} }: Partial<Quota>): FieldError[] {
  const field = 'spec.scopes';
  const errors = scopes.flatMap((scope) => [
    ...(SCOPES.has(scope) ? [] : [invalid(field, scopes, 'unsupported scope')]),
    ...misplaced(scope, hard).map(() => invalid(field, scopes, 'unsupported scope applied to resource')),
  ]);
  return [...errors, ...conflicts(scopes).map(() => invalid(field, scopes, 'conflicting scopes'))];
}

/** Resources of a quota that its scope does not count. */
function misplaced(scope: string, hard: ResourceList): readonly string[] {
  const counted = SCOPES.get(scope);
  if (counted === undefined) return [];
  return Object.keys(hard).filter((name) => isStandardQuotaResource(name) && !counted.has(name));
}

function conflicts(scopes: readonly string[]): readonly unknown[] {
  return OPPOSITES.filter((pair) => pair.every((scope) => scopes.includes(scope)));
}

function validateScopeSelector({ scopeSelector, scopes, hard = {} }: Partial<Quota>): FieldError[] {
  const field = 'spec.scopeSelector.matchExpressions';
  const expressions: readonly Partial<core.ScopedResourceSelectorRequirement>[] = scopeSelector?.matchExpressions ?? [];
  const errors: FieldError[] = [];
  for (const { scopeName = '', operator = '', values = [] } of expressions) {
    if (!SCOPES.has(scopeName)) errors.push(invalid(`${field}.scopeName`, scopeName, 'unsupported scope'));
    const shown = asGo('*ScopeSelector', scopeSelector);
    errors.push(
      ...misplaced(scopeName, hard).map(() => invalid(field, shown, 'unsupported scope applied to resource')),
    );
    if (EXISTING_SCOPES.has(scopeName) && operator !== 'Exists') {
      errors.push(invalid(`${field}.operator`, operator, MUST_EXIST));
    }
    errors.push(...validateScopeOperator(operator, values, field));
  }
  const named = expressions.map(({ scopeName = '' }) => scopeName);
  const shown = asGo('[]ResourceQuotaScope', scopes);
  return [
    ...errors,
    ...conflicts(named).map(() => invalid('spec.scopeSelector.matchExpressions', shown, 'conflicting scopes')),
  ];
}

function validateScopeOperator(operator: string, values: readonly string[], field: string): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return [];
      return [
        required(`${field}.values`, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"),
      ];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [
        invalid(
          `${field}.values`,
          values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        ),
      ];
    default:
      return [invalid(`${field}.operator`, operator, 'not a valid selector operator')];
  }
}
