/** What a definition's rules may say (apiextensions-apiserver's apis/apiextensions/validation, v1.34). */
import { invalid, required } from '../errors/field-errors.js';
import type { FieldError } from '../objects/resource-kind.js';
import { fieldPathOf } from './field-paths.js';
import { compiledRules, type CompiledRule } from './compiled-rules.js';
import { shownRule } from './go-versions.js';
import { valuesSchema, type JsonSchema, type ValidationRule } from './json-schema.js';
import { RuleCosts } from './rule-costs.js';
import { mostBelow, mostOften, sizesBelow, timesOften, valueSize, type ValueSize } from './schema-sizes.js';

const REASONS: readonly string[] = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];

/** What is wrong with the texts of the rules of one node. */
export function ruleTextErrors(schema: JsonSchema, path: string): readonly FieldError[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap((rule, index) =>
    textErrors(rule, schema, `${path}.x-kubernetes-validations[${index}]`),
  );
}

function hasBreaks(text: string): boolean {
  return /[\n\r]/.test(text);
}

function textErrors(rule: ValidationRule, schema: JsonSchema, path: string): readonly FieldError[] {
  const { message = '', messageExpression = '', reason, fieldPath = '' } = rule;
  const errors: FieldError[] = [];
  const text = (rule.rule ?? '').trim();
  if (text === '') errors.push(required(`${path}.rule`, 'rule is not specified'));
  else if (message !== '' && message.trim() === '') {
    errors.push(invalid(`${path}.message`, message, 'must be non-empty if specified'));
  } else if (hasBreaks(message.trim())) {
    errors.push(invalid(`${path}.message`, message, 'must not contain line breaks'));
  } else if (hasBreaks(text) && message.trim() === '') {
    errors.push(required(`${path}.message`, 'message must be specified if rule contains line breaks'));
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  }
  if (reason !== undefined && !REASONS.includes(reason)) {
    const known = REASONS.map((each) => JSON.stringify(each)).join(', ');
    const detail = `Unsupported value: ${JSON.stringify(reason)}: supported values: ${known}`;
    errors.push({ type: 'FieldValueNotSupported', field: `${path}.reason`, detail });
  }
  if (fieldPath === '') return errors;
  if (fieldPath.trim() === '') errors.push(invalid(`${path}.fieldPath`, fieldPath, 'must be non-empty if specified'));
  if (hasBreaks(fieldPath)) errors.push(invalid(`${path}.fieldPath`, fieldPath, 'must not contain line breaks'));
  if (normalPath(fieldPath, schema) === undefined) {
    errors.push(invalid(`${path}.fieldPath`, fieldPath, 'must be a valid path'));
  }
  return errors;
}

/** A path of fields and keys below a schema, as errors write it; undefined for one that leads to no field. */
export function normalPath(fieldPath: string, schema: JsonSchema): string | undefined {
  const found = fieldPathOf(fieldPath, schema);
  return 'problem' in found || found.place === '' ? undefined : found.place;
}

/**
 * What is wrong with the expressions of a schema and all that is below.
 * @param isUnlimited - no expression costs too much by itself
 */
export function expressionErrors(schema: JsonSchema, path: string, isUnlimited = false): readonly FieldError[] {
  const errors: FieldError[] = [];
  const costs = new RuleCosts(isUnlimited);
  checkNode(schema, { path, fixedPath: undefined, often: 1n, costs }, errors);
  return [...errors, ...costs.errors(path)];
}

/** Where a node of a schema stands. */
interface Place {
  readonly path: string;
  /** Of a list or map above whose items have no identity. */
  readonly fixedPath: string | undefined;
  /** How often a value can stand here; undefined without a limit. */
  readonly often: bigint | undefined;
  readonly costs: RuleCosts;
}

function checkNode(schema: JsonSchema, place: Place, errors: FieldError[]): void {
  const { path, fixedPath, often } = place;
  const values = valuesSchema(schema);
  const most = mostBelow(schema);
  const below = { ...place, often: often === undefined || most === undefined ? undefined : timesOften(often, most) };
  if (values !== undefined) checkNode(values, { ...below, path: `${path}.additionalProperties` }, errors);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    checkNode(property, { ...below, path: `${path}.properties[${name}]` }, errors);
  }
  if (schema.items !== undefined) {
    const isKeyed = schema['x-kubernetes-list-type'] === 'map';
    const own = { ...below, path: `${path}.items`, fixedPath: isKeyed ? fixedPath : (fixedPath ?? path) };
    checkNode(schema.items, own, errors);
  }
  const rules = compiledRules(schema);
  const size = rules.length === 0 ? undefined : valueSize(schema);
  for (const [index, compiled] of rules.entries()) {
    errors.push(...ruleErrors(compiled, { ...place, path: `${path}.x-kubernetes-validations[${index}]` }, size));
  }
}

function ruleErrors(compiled: CompiledRule, place: Place, size: ValueSize | undefined): readonly FieldError[] {
  const { rule, problem, messageProblem, usesOldSelf, expression, message } = compiled;
  const { path, fixedPath, often, costs } = place;
  const errors: FieldError[] = [];
  const sizes = size === undefined ? undefined : { sizeOf: sizesBelow(size), often: often ?? mostOften(size) };
  if (expression !== undefined && sizes !== undefined) {
    const cost = timesOften(expression.mostCost(sizes.sizeOf), sizes.often);
    errors.push(...costs.note(`${path}.rule`, 'estimated rule cost', cost));
  }
  if (problem !== undefined) errors.push(invalid(`${path}.rule`, shownRule(rule), problem));
  if (messageProblem !== undefined) errors.push(invalid(`${path}.messageExpression`, shownRule(rule), messageProblem));
  else if (message !== undefined && sizes !== undefined) {
    const cost = message.mostCost(sizes.sizeOf);
    errors.push(...costs.note(`${path}.messageExpression`, 'estimated messageExpression cost', cost));
  }
  if (usesOldSelf && fixedPath !== undefined) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${fixedPath}`;
    errors.push(invalid(`${path}.rule`, rule.rule, why));
  }
  if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
    const why = 'may not be set if oldSelf is not used in rule';
    errors.push(invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, why));
  }
  return errors;
}
