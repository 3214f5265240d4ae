/**
 * Conversion of custom objects from one version to another: by its name alone, or by the webhook of their definition
 * (apiextensions-apiserver/pkg/apiserver/conversion, v1.34), of which only labels and annotations of the metadata count.
 */
import { ApiError } from '../errors/api-error.js';
import { textOf } from '../values/texts.js';
import type { Definition } from './definition.js';
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
  if (!isFields(converted)) throw failed('returned invalid object at index 0: it is no object');
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
  if (after === undefined) return 'returned invalid metadata: missing metadata in converted object';
  const [original, given] = [isFields(before) ? before : {}, isFields(after) ? after : {}];
  for (const [field, shown] of SAME) {
    const [expected, got] = [textOf(original[field]), textOf(given[field])];
    if (expected !== got) return `returned invalid object: must have the same ${shown}: ${expected} != ${got}`;
  }
  const { labels: _labels, annotations: _annotations, ...rest } = original;
  const own: Record<string, Fields> = {};
  for (const field of ['labels', 'annotations']) {
    const value = given[field];
    if (value === undefined || value === null) continue;
    const isOfTexts = isFields(value) && Object.values(value).every((each) => typeof each === 'string');
    if (!isOfTexts) return `returned invalid metadata: invalid metadata.${field} in converted object`;
    own[field] = value;
  }
  return { ...rest, ...own };
}
