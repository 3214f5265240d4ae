/** What a definition's rules may say (apiextensions-apiserver's apis/apiextensions/validation, v1.34). */
import { invalid, required } from '../errors/field-errors.js';
import type { FieldError } from '../objects/resource-kind.js';
import { compiledRules } from './compiled-rules.js';
import { shownRule } from './go-versions.js';
import { propertySchema, valuesSchema, type JsonSchema, type ValidationRule } from './json-schema.js';

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
  return text.includes('\n');
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

const STEP = /\.([^.[\]']+)|\['((?:[^'\\]|\\.)*)'\]/y;

/** A path of fields and keys below a schema, as errors write it; undefined for one that leads to no field. */
export function normalPath(fieldPath: string, schema: JsonSchema): string | undefined {
  let place = '';
  let below: JsonSchema | undefined = schema;
  for (let at = 0; at < fieldPath.length;) {
    STEP.lastIndex = at;
    const found = STEP.exec(fieldPath);
    if (found === null || below === undefined) return undefined;
    const [whole, plain, quoted = ''] = found;
    const name: string = plain ?? quoted.replaceAll(/\\(.)/g, '$1');
    const isField: boolean = below.properties !== undefined;
    place += isField ? `.${name}` : `[${name}]`;
    below = isField ? propertySchema(below, name) : valuesSchema(below);
    if (below === undefined) return undefined;
    at += whole.length;
  }
  return place === '' ? undefined : place;
}

/** What is wrong with the expressions of a schema and all that is below. @param fixedPath - of a list whose items have no identity */
export function expressionErrors(schema: JsonSchema, path: string, fixedPath?: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  checkNode(schema, path, fixedPath, errors);
  return errors;
}

function checkNode(schema: JsonSchema, path: string, fixedPath: string | undefined, errors: FieldError[]): void {
  const values = valuesSchema(schema);
  if (values !== undefined) checkNode(values, `${path}.additionalProperties`, fixedPath, errors);
  for (const [name, below] of Object.entries(schema.properties ?? {})) {
    checkNode(below, `${path}.properties[${name}]`, fixedPath, errors);
  }
  if (schema.items !== undefined) {
    const isKeyed = schema['x-kubernetes-list-type'] === 'map';
    checkNode(schema.items, `${path}.items`, isKeyed ? fixedPath : (fixedPath ?? path), errors);
  }
  for (const [index, compiled] of compiledRules(schema).entries()) {
    const place = `${path}.x-kubernetes-validations[${index}]`;
    const { rule, problem, messageProblem, usesOldSelf } = compiled;
    if (problem !== undefined) errors.push(invalid(`${place}.rule`, shownRule(rule), problem));
    if (messageProblem !== undefined) {
      errors.push(invalid(`${place}.messageExpression`, shownRule(rule), messageProblem));
    }
    if (usesOldSelf && fixedPath !== undefined) {
      const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${fixedPath}`;
      errors.push(invalid(`${place}.rule`, rule.rule, why));
    }
    if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
      const why = 'may not be set if oldSelf is not used in rule';
      errors.push(invalid(`${place}.optionalOldSelf`, rule.optionalOldSelf, why));
    }
  }
}
