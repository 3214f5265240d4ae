/** Validation of label selectors in objects (apimachinery meta/v1/validation, v1.34). */
import { forbidden, invalid, invalidEach, required } from '../../errors/field-errors.js';
import { labelValue, qualifiedName } from '../../values/names.js';
import type { LabelSelector, meta, StringMap } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { validateLabels } from './object-meta.js';

interface UncheckedSelector {
  readonly matchLabels?: StringMap;
  readonly matchExpressions?: readonly Partial<meta.LabelSelectorRequirement>[];
}

/** Everything wrong with a selector; an absent one is fine. */
export function validateLabelSelector(selector: LabelSelector | undefined, field: string): readonly FieldError[] {
  if (selector === undefined) return [];
  const { matchLabels = {}, matchExpressions = [] }: UncheckedSelector = selector;
  const errors = [...validateLabels(matchLabels, `${field}.matchLabels`)];
  for (const [index, { key = '', operator = '', values = [] }] of matchExpressions.entries()) {
    const own = `${field}.matchExpressions[${index}]`;
    errors.push(...validateOperator(operator, values, own), ...validateRequirementTexts(key, values, own));
  }
  return errors;
}

/** Everything wrong with the label's name and the values that a requirement names. */
export function validateRequirementTexts(key: string, values: readonly string[], field: string): FieldError[] {
  return [
    ...invalidEach(`${field}.key`, key, qualifiedName(key)),
    ...values.flatMap((value, index) => invalidEach(`${field}.values[${index}]`, value, labelValue(value))),
  ];
}

/** Whether a requirement has the values that its operator asks for. */
export function validateOperator(operator: string, values: readonly string[], field: string): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return [];
      return [required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalid(`${field}.operator`, operator, 'not a valid selector operator')];
  }
}
