/**
 * Validation of metadata, alike for all kinds (apimachinery pkg/api/validation/objectmeta.go, v1.34).
 * Maps that were found good are remembered by reference: pods of one template share theirs.
 */
import { RecentMap } from '../../../kernel/recent-map.js';
import { DELETION_COST, deletionCost } from '../../pods/deletion-cost.js';
import { invalid, invalidEach, required, tooLong, forbidden } from '../../errors/field-errors.js';
import { asGo } from '../../go/go-json.js';
import { maskTrailingDash, dns1123Label, labelValue, qualifiedName, type NameCheck } from '../../values/names.js';
import type { ObjectMeta, OwnerReference, StringMap } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';

const MAPS_REMEMBERED = 1024;
const MAX_ANNOTATIONS_BYTES = 256 * 1024;
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);
const NO_ERRORS: readonly FieldError[] = Object.freeze([]);

/** What the rules of metadata depend on. */
export interface MetaRules {
  readonly isNamespaced: boolean;
  readonly nameCheck: NameCheck;
  /** Whether finalizers are standard ones or have a domain; a kind of a group of its own mostly takes any. */
  readonly hasQualifiedFinalizers: boolean;
}

/** Everything wrong with an object's metadata, in upstream's order. */
export function validateObjectMeta(meta: ObjectMeta, rules: MetaRules): readonly FieldError[] {
  const errors: FieldError[] = [];
  addNameErrors(errors, meta, rules);
  addClientErrors(errors, meta, rules);
  return errors.length === 0 ? NO_ERRORS : errors;
}

/** What is wrong with metadata after an update, by what looks at it. */
export interface MetaErrors {
  /** The base of a generated name, as a segment of a path, which all kinds want of it. */
  readonly segment: readonly FieldError[];
  /** The base of a generated name. */
  readonly base: readonly FieldError[];
  /** Labels, annotations and owners. */
  readonly client: readonly FieldError[];
  /** Finalizers as names. */
  readonly names: readonly FieldError[];
  /** Finalizers without a domain. */
  readonly qualified: readonly FieldError[];
}

/** {@link validateObjectMetaUpdate} in its parts; undefined where nothing is wrong. */
export function metadataErrors(next: ObjectMeta, previous: ObjectMeta, rules: MetaRules): MetaErrors | undefined {
  const errors = validateObjectMetaUpdate(next, previous, rules);
  if (errors.length === 0) return undefined;
  const { generateName = '' } = next;
  const segment = ['/', '%'].filter((sign) => generateName.includes(sign));
  const parts = { segment: [], base: [], client: [], names: [], qualified: [] } as Record<
    keyof MetaErrors,
    FieldError[]
  >;
  parts.segment = segment.map((sign) => invalid('metadata.generateName', generateName, `may not contain '${sign}'`));
  for (const error of errors) parts[partOf(error.field)].push(error);
  return parts;
}

function partOf(field: string): keyof MetaErrors {
  if (field === 'metadata.finalizers') return 'names';
  if (field.startsWith('metadata.finalizers[')) return 'qualified';
  return /^metadata\.(?:labels|annotations|ownerReferences)\b/.test(field) ? 'client' : 'base';
}

function addNameErrors(errors: FieldError[], meta: ObjectMeta, { isNamespaced, nameCheck }: MetaRules): void {
  const { name, namespace = '' } = meta;
  addBaseErrors(errors, meta, nameCheck);
  if (name === '') errors.push(required('metadata.name', 'name or generateName is required'));
  else addEach(errors, 'metadata.name', name, nameCheck(name));
  if (!isNamespaced) {
    if (namespace !== '') errors.push(forbidden('metadata.namespace', 'not allowed on this type'));
  } else if (namespace === '') errors.push(required('metadata.namespace'));
  else addEach(errors, 'metadata.namespace', namespace, dns1123Label(namespace));
  const { generation = 0 } = meta;
  if (generation < 0) errors.push(invalid('metadata.generation', generation, 'must be greater than or equal to 0'));
}

function addBaseErrors(errors: FieldError[], { generateName = '' }: ObjectMeta, nameCheck: NameCheck): void {
  if (generateName === '') return;
  errors.push(...invalidEach('metadata.generateName', generateName, nameCheck(maskTrailingDash(generateName))));
}

/** What clients write at any time. */
function addClientErrors(errors: FieldError[], meta: ObjectMeta, { hasQualifiedFinalizers }: MetaRules): void {
  const { labels, annotations, ownerReferences, finalizers } = meta;
  if (labels !== undefined) errors.push(...validateLabels(labels, 'metadata.labels'));
  if (annotations !== undefined) errors.push(...validateAnnotations(annotations, 'metadata.annotations'));
  if (ownerReferences !== undefined) errors.push(...validateOwnerReferences(ownerReferences));
  if (finalizers !== undefined) errors.push(...validateFinalizerNames(finalizers, hasQualifiedFinalizers));
}

/** Mostly there is nothing to add. */
function addEach(errors: FieldError[], field: string, value: string, messages: readonly string[]): void {
  if (messages.length > 0) errors.push(...invalidEach(field, value, messages));
}

/** Metadata after an update: names cannot change any more, so only what clients write is looked at. */
export function validateObjectMetaUpdate(
  next: ObjectMeta,
  previous: ObjectMeta,
  rules: MetaRules,
): readonly FieldError[] {
  if (next === previous) return NO_ERRORS;
  const errors: FieldError[] = [];
  if (next.name !== previous.name || next.namespace !== previous.namespace) addNameErrors(errors, next, rules);
  else if (next.generateName !== previous.generateName) addBaseErrors(errors, next, rules.nameCheck);
  addClientErrors(errors, next, rules);
  return errors.length === 0 ? NO_ERRORS : errors;
}

const goodLabels = new RecentMap<StringMap, true>(MAPS_REMEMBERED);
const goodAnnotations = new RecentMap<StringMap, true>(MAPS_REMEMBERED);

/** Label keys and values. */
export function validateLabels(labels: StringMap, field: string): readonly FieldError[] {
  if (goodLabels.get(labels) === true) return NO_ERRORS;
  const errors = Object.entries(labels).flatMap(([key, value]) => [
    ...invalidEach(field, key, qualifiedName(key)),
    ...invalidEach(field, value, labelValue(value)),
  ]);
  if (errors.length === 0) goodLabels.set(labels, true);
  return errors;
}

/** Annotation keys, and the size of all annotations together. */
export function validateAnnotations(annotations: StringMap, field: string): readonly FieldError[] {
  if (goodAnnotations.get(annotations) === true) return NO_ERRORS;
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    errors.push(...invalidEach(field, key, qualifiedName(key.toLowerCase())));
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (size > MAX_ANNOTATIONS_BYTES) errors.push(tooLong(field, MAX_ANNOTATIONS_BYTES));
  if (errors.length === 0) goodAnnotations.set(annotations, true);
  return errors;
}

function validateOwnerReferences(references: readonly Partial<OwnerReference>[]): FieldError[] {
  const field = 'metadata.ownerReferences';
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const reference of references) {
    const { apiVersion = '', kind = '', name = '', uid = '' } = reference;
    if (apiVersion === '' || apiVersion.split('/').length > 2)
      errors.push(invalid(`${field}.apiVersion`, apiVersion, 'version must not be empty'));
    if (kind === '') errors.push(invalid(`${field}.kind`, kind, 'must not be empty'));
    if (name === '') errors.push(invalid(`${field}.name`, name, 'must not be empty'));
    if (uid === '') errors.push(invalid(`${field}.uid`, uid, 'must not be empty'));
    if (kind === 'Event' && apiVersion === 'v1') {
      errors.push(
        invalid(field, asGo('OwnerReference', reference), '/v1, Kind=Event is disallowed from being an owner'),
      );
    }
    if (reference.controller !== true) continue;
    const owner = `${kind}/${name}`;
    if (controller === undefined) controller = owner;
    else errors.push(invalid(field, asGo('[]OwnerReference', references), secondControllerText(controller, owner)));
  }
  return errors;
}

function secondControllerText(first: string, second: string): string {
  const rule = 'Only one reference can have Controller set to true.';
  return `${rule} Found "true" in references for ${first} and ${second}`;
}

function validateFinalizerNames(finalizers: readonly string[], areQualified: boolean): FieldError[] {
  const field = 'metadata.finalizers';
  const errors = finalizers.flatMap((name) => invalidEach(field, name, qualifiedName(name)));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalid(field, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
  if (!areQualified) return errors;
  for (const [index, name] of finalizers.entries()) {
    if (name.includes('/') || STANDARD_FINALIZERS.has(name)) continue;
    errors.push(
      invalid(`${field}[${index}]`, name, 'name is neither a standard finalizer name nor is it fully qualified'),
    );
  }
  return errors;
}

/** What annotations say of pods, or of the pods of a template (ValidatePodSpecificAnnotations, v1.34). */
export function validatePodAnnotations(annotations: StringMap | undefined, field: string): readonly FieldError[] {
  if (deletionCost(annotations) !== undefined) return NO_ERRORS;
  return [invalid(`${field}[${DELETION_COST}]`, annotations?.[DELETION_COST], 'must be a 32bit integer')];
}
