/** Validation of flow schemas and priority levels (pkg/apis/flowcontrol/validation, v1.34). */
import type * as flowcontrol from 'kubernetes-types/flowcontrol/v1.js';
import { duplicate, forbidden, invalid, invalidEach, notSupported, required } from '../../../errors/field-errors.js';
import { asGo } from '../../../go/go-json.js';
import type { PlainObject } from '../../../objects/plain-kinds.js';
import type { FieldError } from '../../../objects/resource-kind.js';
import { dns1123Label, dns1123Subdomain } from '../../../values/names.js';
import { specOf, statusOf, type PlainRules } from './plain-rules.js';

type Schema = flowcontrol.FlowSchemaSpec;
type Level = flowcontrol.PriorityLevelConfigurationSpec;

const EXEMPT = 'exempt';
const MOST_PRECEDENCE = 10_000;
const METHODS = ['ByNamespace', 'ByUser'];
const SUBJECT_KINDS = ['Group', 'ServiceAccount', 'User'];
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const MOST_QUEUES = 10_000_000;
/** Bits of the hash by which a flow is dealt its queues. */
const HASH_BITS = 60;
const MOST_HANDS = 2n ** BigInt(HASH_BITS);

/** Of FlowSchemas. */
export const flowSchemaRules: PlainRules = {
  validate: (object) => validateSchema(object.metadata.name, specOf<Schema>(object)),
  validateStatusChange: validateConditions,
};

/** Of PriorityLevelConfigurations. */
export const priorityLevelRules: PlainRules = {
  validate: (object) => validateLevel(object.metadata.name, specOf<Level>(object)),
  validateStatusChange: validateConditions,
};

interface Conditions {
  readonly conditions: readonly { readonly type?: string }[];
}

function validateConditions(object: PlainObject): readonly FieldError[] {
  const seen = new Set<string>();
  return (statusOf<Conditions>(object).conditions ?? []).flatMap(({ type = '' }, index) => {
    const field = `status.conditions[${index}].type`;
    const errors = seen.has(type) ? [duplicate(field, type)] : [];
    seen.add(type);
    return type === '' ? [...errors, required(field)] : errors;
  });
}

function validateSchema(name: string, spec: Partial<Schema>): FieldError[] {
  const { matchingPrecedence: precedence = 0, distinguisherMethod, priorityLevelConfiguration, rules = [] } = spec;
  const field = 'spec.matchingPrecedence';
  const errors: FieldError[] = [];
  if (precedence <= 0) errors.push(invalid(field, precedence, 'must be a positive value'));
  if (precedence > MOST_PRECEDENCE) {
    errors.push(invalid(field, precedence, `must not be greater than ${MOST_PRECEDENCE}`));
  }
  if (precedence === 1 && name !== EXEMPT) {
    errors.push(invalid(field, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"));
  }
  if (distinguisherMethod !== undefined && !METHODS.includes(distinguisherMethod.type)) {
    const shown = asGo('FlowDistinguisherMethod', distinguisherMethod);
    errors.push(notSupported('spec.distinguisherMethod.type', shown, METHODS));
  }
  const own = 'spec.priorityLevelConfiguration.name';
  const { name: level = '' } = priorityLevelConfiguration ?? {};
  if (level === '') errors.push(required(own, 'must reference a priority level'));
  else errors.push(...invalidEach(own, level, dns1123Subdomain(level)));
  return [...errors, ...rules.flatMap((rule, index) => validateRules(rule, `spec.rules[${index}]`))];
}

function validateRules(rules: Partial<flowcontrol.PolicyRulesWithSubjects>, field: string): FieldError[] {
  const { subjects = [], resourceRules = [], nonResourceRules = [] } = rules;
  const errors = subjects.flatMap((subject, index) => validateSubject(subject, `${field}.subjects[${index}]`));
  if (subjects.length === 0) errors.push(required(`${field}.subjects`, 'subjects must contain at least one value'));
  if (resourceRules.length + nonResourceRules.length === 0) {
    errors.push(required(field, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  }
  for (const [index, rule] of resourceRules.entries()) {
    errors.push(...validateResourceRule(rule, `${field}.resourceRules[${index}]`));
  }
  for (const [index, rule] of nonResourceRules.entries()) {
    errors.push(...validatePathRule(rule, `${field}.nonResourceRules[${index}]`));
  }
  return errors;
}

/** Where the members of a subject's kind are, in the order in which upstream looks at the others. */
const PARTS = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const;

function validateSubject(subject: Partial<flowcontrol.Subject>, field: string): FieldError[] {
  const { kind = '' } = subject;
  const part = (PARTS as Readonly<Partial<Record<string, (typeof PARTS)[keyof typeof PARTS]>>>)[kind];
  if (part === undefined) return [notSupported(`${field}.kind`, kind, SUBJECT_KINDS)];
  const own = `${field}.${part}`;
  const member = subject[part] as { readonly name?: string; readonly namespace?: string } | undefined;
  const errors: FieldError[] = [];
  if (member === undefined) errors.push(required(own, `${part} is required when subject kind is '${kind}'`));
  else {
    const { name = '', namespace = '' } = member;
    if (name === '') errors.push(required(`${own}.name`));
    if (part === 'serviceAccount') {
      if (name !== '' && name !== '*') errors.push(...invalidEach(`${own}.name`, name, dns1123Subdomain(name)));
      if (namespace === '') errors.push(required(`${own}.namespace`, 'must specify namespace for service account'));
      else errors.push(...invalidEach(`${own}.namespace`, namespace, dns1123Label(namespace)));
    }
  }
  for (const [other, otherPart] of Object.entries(PARTS)) {
    if (other === kind || subject[otherPart] === undefined) continue;
    const text = `${otherPart} is forbidden when subject kind is not '${other}'`;
    errors.push(forbidden(`${field}.${otherPart}`, text));
  }
  return errors;
}

function validateResourceRule(rule: Partial<flowcontrol.ResourcePolicyRule>, field: string): FieldError[] {
  const { verbs = [], apiGroups = [], resources = [], namespaces = [], clusterScope } = rule;
  const errors = validateVerbs(verbs, `${field}.verbs`);
  errors.push(
    ...stated(apiGroups, `${field}.apiGroups`, 'resource rules must supply at least one api group', 'api groups'),
  );
  errors.push(
    ...stated(resources, `${field}.resources`, 'resource rules must supply at least one resource', 'resources'),
  );
  const own = `${field}.namespaces`;
  if (namespaces.length === 0) {
    if (clusterScope === true) return errors;
    const text = 'resource rules that are not cluster scoped must supply at least one namespace';
    return [...errors, required(own, text)];
  }
  if (namespaces.includes('*')) return [...errors, ...stated(namespaces, own, '', 'namespaces')];
  const intro = "each member of this list must be '*' or a DNS-1123 label; ";
  return [
    ...errors,
    ...namespaces.flatMap((name, index) =>
      dns1123Label(name).map((problem) => invalid(`${own}[${index}]`, name, intro + problem)),
    ),
  ];
}

/** A list that says something, and nothing beside a wildcard. */
function stated(list: readonly string[], field: string, missing: string, what: string): FieldError[] {
  if (list.length === 0) return [required(field, missing)];
  if (list.length === 1 || !list.includes('*')) return [];
  return [invalid(field, list, `if '*' is present, must not specify other ${what}`)];
}

function validateVerbs(verbs: readonly string[], field: string): FieldError[] {
  if (verbs.length === 0 || verbs.includes('*')) {
    return stated(verbs, field, 'verbs must contain at least one value', 'verbs');
  }
  return verbs.every((verb) => VERBS.includes(verb)) ? [] : [notSupported(field, verbs, VERBS)];
}

function validatePathRule(rule: Partial<flowcontrol.NonResourcePolicyRule>, field: string): FieldError[] {
  const { verbs = [], nonResourceURLs: paths = [] } = rule;
  const errors = validateVerbs(verbs, `${field}.verbs`);
  const own = `${field}.nonResourceURLs`;
  if (paths.length === 0 || paths.includes('*')) {
    const missing = 'nonResourceURLs must contain at least one value';
    return [...errors, ...stated(paths, own, missing, 'non-resource URLs')];
  }
  return [
    ...errors,
    ...paths.flatMap((path, index) => {
      const problem = pathProblem(path);
      return problem === undefined ? [] : [invalid(`${own}[${index}]`, path, problem)];
    }),
  ];
}

function pathProblem(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (path === '/') return undefined;
  if (!path.startsWith('/')) return 'must start with slash';
  if (path.includes(' ')) return 'must not contain white-space';
  if (path.includes('//')) return 'must not contain double slash';
  const wildcard = path.indexOf('*');
  return wildcard === -1 || path.indexOf('/*') === path.length - 2 ? undefined : 'wildcard can only do suffix matching';
}

function validateLevel(name: string, { type = '', limited, exempt }: Partial<Level>): FieldError[] {
  const errors: FieldError[] = [];
  if ((name === EXEMPT) !== (type === 'Exempt')) {
    errors.push(invalid('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  }
  if (type === 'Exempt') {
    if (limited !== undefined) {
      errors.push(forbidden('spec.limited', 'must be nil if the type is not Limited'));
    }
    return exempt === undefined ? errors : [...errors, ...validateShares(exempt, 'spec.exempt')];
  }
  if (type !== 'Limited') return [...errors, notSupported('spec.type', type, ['Exempt', 'Limited'])];
  if (exempt !== undefined) errors.push(forbidden('spec.exempt', 'must be nil if the type is Limited'));
  if (limited === undefined) {
    return [...errors, required('spec.limited', 'must not be empty when type is Limited')];
  }
  return [...errors, ...validateLimited(limited, 'spec.limited')];
}

interface Shares {
  readonly nominalConcurrencyShares?: number;
  readonly lendablePercent?: number;
}

function validateShares(
  { nominalConcurrencyShares: shares = 0, lendablePercent = 0 }: Shares,
  field: string,
): FieldError[] {
  return [...sharesErrors(shares, field), ...percentErrors(lendablePercent, field)];
}

function sharesErrors(shares: number, field: string): FieldError[] {
  if (shares >= 0) return [];
  return [invalid(`${field}.nominalConcurrencyShares`, shares, 'must be a non-negative integer')];
}

function percentErrors(percent: number, field: string): FieldError[] {
  if (percent >= 0 && percent <= 100) return [];
  return [invalid(`${field}.lendablePercent`, percent, 'must be between 0 and 100, inclusive')];
}

function validateLimited(limited: flowcontrol.LimitedPriorityLevelConfiguration, field: string): FieldError[] {
  const { nominalConcurrencyShares: shares = 0, lendablePercent = 0, borrowingLimitPercent = 0 } = limited;
  const errors = [
    ...sharesErrors(shares, field),
    ...validateResponse(limited.limitResponse ?? {}, `${field}.limitResponse`),
    ...percentErrors(lendablePercent, field),
  ];
  if (borrowingLimitPercent >= 0) return errors;
  const text = 'if specified, must be a non-negative integer';
  return [...errors, invalid(`${field}.borrowingLimitPercent`, borrowingLimitPercent, text)];
}

function validateResponse({ type = '', queuing }: Partial<flowcontrol.LimitResponse>, field: string): FieldError[] {
  const own = `${field}.queuing`;
  if (type === 'Reject') {
    if (queuing === undefined) return [];
    return [forbidden(own, 'must be nil if limited.limitResponse.type is not Limited')];
  }
  if (type !== 'Queue') return [notSupported(`${field}.type`, type, ['Queue', 'Reject'])];
  if (queuing === undefined) return [required(own, 'must not be empty if limited.limitResponse.type is Limited')];
  const { queueLengthLimit = 0, queues = 0, handSize = 0 } = queuing;
  const errors: FieldError[] = [];
  if (queueLengthLimit <= 0) errors.push(invalid(`${own}.queueLengthLimit`, queueLengthLimit, 'must be positive'));
  if (queues <= 0) errors.push(invalid(`${own}.queues`, queues, 'must be positive'));
  else if (queues > MOST_QUEUES) {
    errors.push(invalid(`${own}.queues`, queues, `must not be greater than ${MOST_QUEUES}`));
  }
  const problem = handProblem(handSize, queues);
  return problem === undefined ? errors : [...errors, invalid(`${own}.handSize`, handSize, problem)];
}

function handProblem(hand: number, queues: number): string | undefined {
  if (hand <= 0) return 'must be positive';
  if (hand > queues) return `should not be greater than queues (${queues})`;
  // Hands that there are, in their order.
  let hands = 1n;
  for (let card = 0; card < hand && hands <= MOST_HANDS; card += 1) hands *= BigInt(queues - card);
  if (hands <= MOST_HANDS) return undefined;
  return `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${HASH_BITS}`;
}
