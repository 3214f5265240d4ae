/**
 * Conversion of custom objects from one version to another: by its name alone, or by the webhook of their definition
 * (apiextensions-apiserver/pkg/apiserver/conversion, v1.34), of which only labels and annotations of the metadata count.
 */
import { ApiError } from '../errors/api-error.js';
import { textOf } from '../values/texts.js';
import type { Definition } from './definition.js';
import { validateAnnotations, validateLabels } from '../kinds/rules/object-meta.js';
import type { StringMap } from '../objects/objects.js';
import type { FieldError } from '../objects/resource-kind.js';
import { canonicalJson } from '../values/canonical-json.js';
import { isFields, type Fields } from './json-schema.js';

/** What a webhook is asked. */
export interface ConversionRequest {
  readonly definition: Definition;
  readonly object: Fields;
  readonly desiredAPIVersion: string;
}

/** What a webhook answered, or why it did not. */
export type ConversionOutcome = { readonly convertedObjects: unknown } | { readonly problem: string };

/** Asks the webhook of a definition; one that cannot answer at once has its request wait, by what it throws. */
export type AskConversion = (request: ConversionRequest) => ConversionOutcome;

/** An object in another version, before its schema is looked at. @throws ApiError 500 for a webhook that fails */
export function inVersion(
  object: Fields,
  apiVersion: string,
  definition: Definition,
  ask: AskConversion | undefined,
): Fields {
  if (object['apiVersion'] === apiVersion) return object;
  if (ask === undefined || definition.spec.conversion?.strategy !== 'Webhook') return { ...object, apiVersion };
  const outcome = ask({ definition, object, desiredAPIVersion: apiVersion });
  const kind = textOf(object['kind']);
  const failed = (why: string): ApiError =>
    new ApiError(500, undefined, `conversion webhook for ${textOf(object['apiVersion'])}, Kind=${kind} ${why}`);
  if ('problem' in outcome) throw failed(`failed: ${outcome.problem}`);
  const objects = Array.isArray(outcome.convertedObjects) ? (outcome.convertedObjects as readonly unknown[]) : [];
  const [converted] = objects;
  if (objects.length !== 1) throw failed(`returned ${objects.length} objects, expected 1`);
  const unread = readingProblem(converted);
  if (unread !== undefined || !isFields(converted)) throw new ApiError(500, undefined, unread ?? '');
  const at = 'returned invalid object at index 0';
  const version = textOf(converted['apiVersion']);
  if (version !== apiVersion) {
    throw failed(`${at}: invalid groupVersion (expected ${apiVersion}, received ${version})`);
  }
  const own = textOf(converted['kind']);
  if (own !== kind) throw failed(`${at}: invalid kind (expected ${kind}, received ${own})`);
  const metadata = restored(object['metadata'], converted['metadata']);
  if (typeof metadata === 'string') throw failed(metadata);
  return { ...converted, metadata };
}

const SAME = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

/** The metadata as it was, with the labels and annotations of the answer; a text says what is wrong with these. */
function restored(before: unknown, after: unknown): Fields | string {
  const [original, given] = [isFields(before) ? before : {}, isFields(after) ? after : {}];
  for (const [field, shown] of SAME) {
    const [expected, got] = [textOf(original[field]), textOf(given[field])];
    if (expected !== got) return `returned invalid object: must have the same ${shown}: ${expected} != ${got}`;
  }
  const { labels: _labels, annotations: _annotations, ...rest } = original;
  const own: Record<string, Fields> = {};
  for (const [field, problemsOf] of WRITABLE) {
    const value = given[field];
    if (value === undefined || value === null) continue;
    const problem = isFields(value) ? textsProblem(field, value) : `invalid metadata.${field} of type ${goType(value)}`;
    if (problem !== undefined) return `returned invalid metadata: ${problem} in converted object`;
    const problems = problemsOf(value as StringMap);
    if (problems.length > 0) return `returned invalid metadata: ${joined(problems)}`;
    own[field] = value as Fields;
  }
  return { ...rest, ...own };
}

/** What a webhook may change of metadata, and what is wrong with it. */
const WRITABLE = [
  ['labels', (labels: StringMap) => validateLabels(labels, 'metadata.labels')],
  ['annotations', (annotations: StringMap) => validateAnnotations(annotations, 'metadata.annotation')],
] as const;

function textsProblem(field: string, value: Fields): string | undefined {
  const wrong = Object.entries(value).find(([, each]) => typeof each !== 'string');
  return wrong && `metadata.${field}[${wrong[0]}] must be a string, but is ${goType(wrong[1])}`;
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isFields(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return value === null ? '<nil>' : typeof value === 'boolean' ? 'bool' : typeof value;
}

function joined(problems: readonly FieldError[]): string {
  const texts = problems.map(({ field, detail }) => `${field}: ${detail}`);
  return texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`;
}

/** What is wrong with an object of an answer before it is held against another. */
function readingProblem(object: unknown): string | undefined {
  if (object === null || object === undefined) return 'unexpected end of JSON input';
  if (!isFields(object)) {
    const what = Array.isArray(object) ? 'array' : typeof object === 'boolean' ? 'bool' : typeof object;
    return `json: cannot unmarshal ${what} into Go value of type map[string]interface {}`;
  }
  const hasVersion = textOf(object['apiVersion']).split('/').length <= MOST_VERSION_PARTS;
  return textOf(object['kind']) !== '' && hasVersion
    ? undefined
    : `Object 'Kind' is missing in '${canonicalJson(object)}'`;
}

/** A group and a version. */
const MOST_VERSION_PARTS = 2;
