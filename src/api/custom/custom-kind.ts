/**
 * A kind that a definition has brought, described as the built-in ones are. Mirrors apiextensions-apiserver's
 * registry/customresource (v1.34).
 */
import { inKeyOrder } from '../values/canonical-json.js';
import { badApiVersion, decodeMetadata, fieldPathText } from '../decoding/decode.js';
import { ApiError } from '../errors/api-error.js';
import { joinedErrors } from '../errors/field-errors.js';
import { describeKind } from '../kinds/rules/describe-kind.js';
import { USUAL_LOOKS } from '../kinds/rules/update-looks.js';
import type { Draft, Kind, KindMap } from '../objects/objects.js';
import type { AskedUpdate, FieldError, ResourceKind } from '../objects/resource-kind.js';
import { inVersion, type AskConversion } from './conversion.js';
import { defaulted, filledIn } from './defaulting.js';
import { storageVersion, type DefinedVersion, type Definition } from './definition.js';
import { isFields, type Fields, type JsonSchema } from './json-schema.js';
import { listErrors } from './list-rules.js';
import { pruned } from './pruning.js';
import { scaleErrors, valueAt } from './scale-paths.js';
import { customTypeKey } from './schema-types.js';
import { schemaErrors, unjudgedRules } from './schema-validation.js';
import { embeddedErrors, withEmbeddedMeta } from './embedded-resources.js';
import { hasRules, ruleErrors } from './rules.js';

/** A version of a custom kind. */
export interface CustomVersion {
  readonly name: string;
  readonly defined: DefinedVersion;
  readonly schema: JsonSchema;
  /** Of its type; see ../types/type-facts. */
  readonly typeKey: string;
}

/** What only a custom kind has. */
export interface CustomTraits {
  readonly definition: Definition;
  readonly listKind: string;
  readonly categories: readonly string[];
  readonly all: readonly CustomVersion[];
  /** Those that are served. */
  readonly versions: readonly CustomVersion[];
  readonly storage: CustomVersion;
  /** Asks the webhook by which objects are converted. @defaultValue none is asked: versions differ in their name */
  readonly ask?: AskConversion | undefined;
}

/** A kind with its traits. */
export interface CustomKind extends ResourceKind {
  readonly custom: CustomTraits;
}

/** The description; undefined for a definition without a version to store objects in. */
export function describeCustomKind(definition: Definition, ask?: AskConversion): CustomKind | undefined {
  const { spec } = definition;
  const stored = storageVersion(spec);
  if (stored === undefined) return undefined;
  const { names, group, scope } = spec;
  const { kind, plural, singular = kind.toLowerCase(), listKind = `${kind}List`, categories = [] } = names;
  const versionOf = (defined: DefinedVersion): CustomVersion => {
    const schema = defined.schema?.openAPIV3Schema ?? { type: 'object' };
    return { name: defined.name, defined, schema, typeKey: customTypeKey(schema, kind) };
  };
  const storage = versionOf(stored);
  const all = spec.versions.map(versionOf);
  const versions = all.filter(({ defined }) => defined.served);
  const custom: CustomTraits = { definition, listKind, categories, all, versions, storage, ask };
  const hasStatus = stored.subresources?.status !== undefined;
  const of = (object: object): CustomVersion => versionOfObject(object, group, custom) ?? storage;
  const described = describeKind<'Clock'>({
    kind: kind as 'Clock',
    group,
    version: storage.name,
    plural,
    shortNames: names.shortNames ?? [],
    isNamespaced: scope === 'Namespaced',
    hasStatus,
    generation: 'content',
    requiresVersionOnUpdate: true,
    takesAnyFinalizer: true,
    looks: USUAL_LOOKS,
    selectableFields: Object.fromEntries([
      ...selectedPaths(storage).map(
        (path) => [path, (object: object) => fieldText(valueAt(object, `.${path}`))] as const,
      ),
      ...versions.flatMap((version) =>
        selectedPaths(version).map(
          (path) =>
            [
              selectedField(version, path),
              (object: object) => fieldText(shownValue(object, custom, version, path)),
            ] as const,
        ),
      ),
    ]),
    prepareForCreate: (object) => (hasStatus ? withFreshStatus(object, of(object).schema) : object),
    prepareForUpdate: (next) => ('status' in next && next.status === undefined ? withoutStatus(next) : next),
    prepareForStatusUpdate: (next, previous) => ({
      ...withoutStatus(previous),
      metadata: previous.metadata,
      ...(next.status === undefined ? {} : { status: next.status }),
    }),
    validateNew: (object, metadata) => judged(object, of(object), undefined, { metadata }),
    validateChange: (next, previous, metadata, warn) => judged(next, of(next), previous, { metadata, warn }),
    validateStatusChange: (next, previous, metadata, warn) =>
      judgedStatus(next, of(next), previous, { metadata, warn }),
  });
  return {
    ...(described as unknown as ResourceKind),
    storedAs: `${kind}.${group}` as Kind,
    singular,
    typeKey: storage.typeKey,
    custom,
    decode: (draft, onUnknown, isApplied) =>
      decoded(draft, { kind, group, custom, fill: isApplied === true ? filledIn : defaulted }, onUnknown),
    inVersionOf: (object, like) => {
      const version = versionOfObject(like, group, custom);
      const isSame = version === undefined || object['apiVersion'] === `${group}/${version.name}`;
      // Without its defaults, which what is written has: they count as a change each time.
      return isSame ? object : converted(object, custom, version);
    },
    // What was applied has kept its nulls so far.
    kept: (object) => {
      const isKept = object['apiVersion'] === `${group}/${storage.name}`;
      return defaulted(isKept ? object : converted(object, custom, storage), storage.schema);
    },
  };
}

/** In which version an object is; undefined where there is no such. */
function versionOfObject(
  { apiVersion }: { readonly apiVersion?: unknown },
  group: string,
  { versions, storage }: CustomTraits,
): CustomVersion | undefined {
  return [...versions, storage].find(({ name }) => apiVersion === `${group}/${name}`);
}

/** The fields of a version by which its objects are selected, without the dot before them. */
function selectedPaths({ defined }: CustomVersion): readonly string[] {
  return (defined.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, ''));
}

/** Under which the kind selects by a field of a version. */
function selectedField({ name }: CustomVersion, path: string): string {
  return `${name}:${path}`;
}

/** A selector in the words of a version, in those of the kind. @throws ApiError 400 for a field that the version does not select by */
export function keptSelector(selector: string, version: CustomVersion): string {
  const paths = selectedPaths(version);
  // Commas and signs of values are behind backslashes.
  return selector.replaceAll(/(^|,)([^,=!\\]+)(?=[=!])/g, (_all, before: string, field: string) => {
    if (field.startsWith('metadata.')) return before + field;
    if (!paths.includes(field)) throw new ApiError(400, 'BadRequest', `field label not supported: ${field}`);
    return before + selectedField(version, field);
  });
}

/** A value of an object as a version shows it; what cannot be converted has none. */
function shownValue(object: object, custom: CustomTraits, version: CustomVersion, path: string): unknown {
  try {
    return valueAt(converted(object as Fields, custom, version), `.${path}`);
  } catch {
    return undefined;
  }
}

function fieldText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** What a client says of the status does not count; what the schema defaults is there as soon as the object is read. */
function withFreshStatus<T extends { readonly status?: unknown }>(object: T, schema: JsonSchema): T {
  const fresh = withoutStatus(object);
  const hasDefault = schema.properties?.['status']?.default !== undefined;
  // What was applied keeps its nulls.
  return hasDefault ? (filledIn(fresh, schema) as T) : fresh;
}

function withoutStatus<T extends { readonly status?: unknown }>(object: T): T {
  if (!('status' in object)) return object;
  const { status: _status, ...rest } = object;
  return rest as T;
}

/** The object in its own version, with what the schema of that knows and defaults. */
function decoded(
  draft: Draft,
  {
    kind,
    group,
    custom,
    fill,
  }: {
    readonly kind: string;
    readonly group: string;
    readonly custom: CustomTraits;
    readonly fill: (object: Fields, schema: JsonSchema) => Fields;
  },
  onUnknown?: (path: string) => void,
): Draft {
  const { storage } = custom;
  const { apiVersion = `${group}/${storage.name}` } = draft;
  const version = versionOfObject({ apiVersion }, group, custom);
  if (version === undefined) throw badApiVersion(apiVersion, `${group}/${storage.name}`);
  const unknown: string[] = [];
  // The first fault by name is told.
  const metadata = decodeMetadata({ kind, version: version.name }, inKeyOrder(draft.metadata ?? {}) as object, (path) =>
    unknown.push(fieldPathText(path)),
  );
  const stated = { ...draft, apiVersion, kind: draft.kind ?? kind, metadata };
  const names = { kind: stated.kind, version: version.name };
  const whole = withEmbeddedMeta(stated, version.schema, names, (path) => unknown.push(path));
  const { object, unknown: dropped } = pruned(whole, version.schema);
  for (const path of [...unknown, ...dropped].toSorted()) onUnknown?.(path);
  return fill(object, version.schema);
}

/** In another version, whose schema holds, but for its defaults: they are for what is written and what is kept. */
function converted(object: Fields, { definition, ask }: CustomTraits, { name, schema }: CustomVersion): Draft {
  const apiVersion = `${definition.spec.group}/${name}`;
  return pruned(inVersion(object, apiVersion, definition, ask), schema).object;
}

/** A stored object as a version shows it. */
export function shownIn(object: object, { custom }: CustomKind, version: CustomVersion): object {
  return converted(object as Fields, custom, version);
}

/** A stored object by the present schema, which may know more or less than the one by which it was stored. */
export function reread<K extends Kind>(object: KindMap[K], { custom }: CustomKind): KindMap[K] {
  const { schema } = custom.storage;
  const fields = object as unknown as Fields;
  const { definition, ask } = custom;
  const apiVersion = `${definition.spec.group}/${custom.storage.name}`;
  // What a webhook converts stays in the version in which it was written until it is written anew.
  if (fields['apiVersion'] !== apiVersion && isConvertedByWebhook(custom)) return object;
  const current = inVersion(fields, apiVersion, definition, ask);
  return defaulted(pruned(current, schema).object, schema) as unknown as KindMap[K];
}

/** Whether a webhook converts objects from one version to another. */
export function isConvertedByWebhook({ definition }: CustomTraits): boolean {
  return definition.spec.conversion?.strategy === 'Webhook';
}

/** What has been found out about the metadata, and how to tell of what was wrong before. */
interface Told {
  readonly metadata: readonly FieldError[];
  readonly warn?: AskedUpdate['warn'];
}

function judged(
  object: object,
  { schema, defined }: CustomVersion,
  previous: object | undefined,
  { metadata, warn }: Told,
): readonly FieldError[] {
  const fields = object as Fields;
  const scale = defined.subresources?.scale;
  const before = previous as Fields | undefined;
  const wasListed = before === undefined || listErrors(before, schema).length === 0;
  const errors = joinedErrors(
    schemaErrors(fields, schema, { previous }),
    embeddedErrors(fields, schema),
    scale === undefined ? [] : scaleErrors(fields, scale),
    wasListed ? listErrors(fields, schema) : [],
  );
  return [...errors, ...judgedRules(fields, schema, before, { errors: [...metadata, ...errors], warn })];
}

function judgedStatus(
  object: object,
  { schema, defined }: CustomVersion,
  previous: object,
  { metadata, warn }: Told,
): readonly FieldError[] {
  const [fields, before] = [object as Fields, previous as Fields];
  const { status: own } = schema.properties ?? {};
  const scale = defined.subresources?.scale;
  const { status } = fields;
  const errors = joinedErrors(
    // None is as good as null.
    own === undefined || (status ?? before['status'] ?? undefined) === undefined || status === undefined
      ? []
      : schemaErrors(status, own, { previous: before['status'], place: 'status' }),
    scale === undefined ? [] : scaleErrors(fields, scale).filter(({ field }) => field !== scale.specReplicasPath),
    listErrors(before, schema).length === 0 ? listErrors(fields, schema) : [],
  );
  return [...errors, ...judgedRules(fields, schema, before, { errors: [...metadata, ...errors], warn })];
}

/** What is wrong with an object that says it is of another type, besides that. @param version - that it is written in */
export function judgedBesideType(
  { custom }: CustomKind,
  version: string,
  { object, previous }: { readonly object: object; readonly previous: object | undefined },
  { metadata: errors, warn }: Told,
): readonly FieldError[] {
  const { schema } = custom.versions.find(({ name }) => name === version) ?? custom.storage;
  const [fields, before] = [object as Fields, previous as Fields | undefined];
  const wasListed = before === undefined || listErrors(before, schema).length === 0;
  const beside = [...embeddedErrors(fields, schema), ...(wasListed ? listErrors(fields, schema) : [])];
  return [...beside, ...judgedRules(fields, schema, before, { errors: [...errors, ...beside], warn })];
}

function judgedRules(
  object: Fields,
  schema: JsonSchema,
  previous: Fields | undefined,
  { errors, warn }: { readonly errors: readonly FieldError[]; readonly warn: AskedUpdate['warn'] },
): readonly FieldError[] {
  if (!hasRules(schema)) return [];
  const unjudged = unjudgedRules(errors);
  return unjudged === undefined ? ruleErrors(object, schema, previous, warn) : [unjudged];
}

/** Whether a description is of a custom kind. */
export function isCustomKind(resource: object): resource is CustomKind {
  return 'custom' in resource && isFields(resource.custom);
}
