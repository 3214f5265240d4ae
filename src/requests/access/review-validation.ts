/** What is wrong with a review of access (pkg/apis/authorization/validation, v1.34). */
import { invalid, invalidError, required } from '../../api/errors/field-errors.js';
import { asGo } from '../../api/go/go-json.js';
import { validateOperator, validateRequirementTexts } from '../../api/kinds/rules/label-selector-validation.js';
import type { FieldError } from '../../api/objects/resource-kind.js';

type Fields = Readonly<Record<string, unknown>>;

/** A review as it came in, with its owners. */
export interface Review {
  readonly metadata: Fields;
  readonly spec: Fields;
  readonly status: Fields;
}

const EXACTLY_ONE = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
const NOT_BOTH = 'cannot be specified in combination with resourceAttributes';
const NO_SUBJECT = 'at least one of user or group must be specified';
const SELECTORS = ['fieldSelector', 'labelSelector'] as const;
const KNOWN_OPERATORS: ReadonlySet<unknown> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist']);

/** @throws ApiError 422, which names no kind: a review has none by the time it is looked at */
export function checkReview(kind: string, { spec, metadata }: Review): void {
  const isLocal = kind === 'LocalSubjectAccessReview';
  const { resourceAttributes: ofResource, nonResourceAttributes: ofPath } = spec;
  const errors: FieldError[] = [];
  if (ofResource !== undefined && ofPath !== undefined) {
    errors.push(invalid('spec.nonResourceAttributes', asGo('NonResourceAttributes', ofPath), NOT_BOTH));
  }
  if (ofResource === undefined && ofPath === undefined) {
    errors.push(invalid('spec.resourceAttributes', null, EXACTLY_ONE));
  }
  if (kind !== 'SelfSubjectAccessReview' && isEmpty(spec['user']) && isEmpty(spec['groups'])) {
    errors.push(invalid('spec.user', '', NO_SUBJECT));
  }
  for (const part of SELECTORS) errors.push(...validateSelector(ofResource, part));
  const { managedFields: _owners, namespace = '', ...stated } = metadata;
  if (Object.keys(stated).length > 0 || (!isLocal && namespace !== '')) {
    const rule = isLocal ? 'must be empty except for namespace' : 'must be empty';
    errors.push(invalid('metadata', asGo('ObjectMeta', metadata), rule));
  }
  if (isLocal) errors.push(...validateLocal(ofResource, ofPath, namespace));
  if (errors.length > 0) throw invalidError({ kind: '', group: 'authorization.k8s.io' }, '', errors);
}

function validateLocal(ofResource: unknown, ofPath: unknown, namespace: unknown): FieldError[] {
  const errors: FieldError[] = [];
  if (ofResource !== undefined) {
    const { namespace: asked = '' } = ofResource as Fields;
    if (asked !== namespace) {
      errors.push(invalid('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace'));
    }
  }
  if (ofPath !== undefined) {
    const shown = asGo('NonResourceAttributes', ofPath);
    errors.push(invalid('spec.nonResourceAttributes', shown, 'disallowed on this kind of request'));
  }
  return errors;
}

function validateSelector(attributes: unknown, part: (typeof SELECTORS)[number]): FieldError[] {
  const selector = (attributes as Fields | undefined)?.[part] as Fields | undefined;
  if (selector === undefined) return [];
  const own = `spec.resourceAttributes.${part}`;
  const { rawSelector = '', requirements = [] } = selector as {
    readonly rawSelector?: string;
    readonly requirements?: readonly Fields[];
  };
  const errors: FieldError[] = [];
  if (rawSelector !== '' && requirements.length > 0) {
    errors.push(invalid(`${own}.rawSelector`, rawSelector, 'may not specified at the same time as requirements'));
  }
  if (rawSelector === '' && requirements.length === 0) {
    errors.push(required(`${own}.requirements`, `when ${own} is specified, requirements or rawSelector is required`));
  }
  for (const [index, { key = '', operator = '', values = [] }] of requirements.entries()) {
    const at = `${own}.requirements[${index}]`;
    if (part === 'fieldSelector' && key === '') errors.push(required(`${at}.key`, 'must be specified'));
    // Later clients may know others.
    if (KNOWN_OPERATORS.has(operator)) {
      errors.push(...validateOperator(operator as string, values as readonly string[], at));
    }
    if (part === 'labelSelector') {
      errors.push(...validateRequirementTexts(key as string, values as readonly string[], at));
    }
  }
  return errors;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (value as string | readonly unknown[]).length === 0;
}
