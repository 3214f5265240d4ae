/**
 * Manifests: Kubernetes objects as users write them, in YAML or JSON, many to a file. They are read
 * whole and checked whole before the first one is applied. What the API server checks is not
 * checked here; a kind that is not simulated is set aside and is never an error.
 */
import { OPTIONAL_VERSIONS } from '../api/kinds/optional-kinds.js';
import { isUnknownKind, otherVersion, type OtherVersion } from '../api/kinds/other-versions.js';
import { resolveKind } from '../api/kinds/registry.js';
import type { Draft, Kind } from '../api/objects/objects.js';
import { fieldPathText } from '../api/decoding/decode.js';
import { InputError, printed, type SourcePosition } from './input-error.js';
import { findUnplain } from './plain-data.js';
import { readLenientYaml, type DuplicateKey, type RawDocument, type ValuePath } from './yaml-text.js';

/** One object as it was written. */
export interface ManifestDocument {
  readonly draft: Draft;
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty when the name is to be generated. */
  readonly name: string;
  readonly namespace: string | undefined;
  /** `file:line` of its first line. */
  readonly source: SourcePosition;
  /** Where one of its fields stands. */
  readonly positionOf: (path: ValuePath) => SourcePosition;
  /** Whether it was read from a text, which is then what its positions are in. */
  readonly isText: boolean;
  /** Fields that stand twice. */
  readonly duplicates: readonly DuplicateKey[];
}

/** A manifest that cannot be read. */
export class ManifestError extends InputError {
  override readonly name = 'ManifestError';
}

/** An object of a kind that is simulated. */
export interface SimulatedObject extends Pick<
  ManifestDocument,
  'draft' | 'source' | 'positionOf' | 'isText' | 'duplicates'
> {
  readonly kind: Kind;
  /** Whether a definition has brought the kind, or one beside the object will. */
  readonly isCustom: boolean;
  /** Where it is written in another version than the one that it is kept in: that version, whose fields it has. */
  readonly other?: OtherVersion;
}

/** The names of a kind that a definition has brought. */
export type CustomNames = Readonly<Record<'kind' | 'group', string>>;

/** An object of a kind that is not. */
export interface IgnoredObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly source: SourcePosition;
}

/** The tree of a text takes some thirty times its memory. */
const LONG_TEXT = 1 << 20;

/** What is known of the place of drafts that were read from texts, also where they are handed on. */
const placesOf = new WeakMap<object, (path: ValuePath) => SourcePosition>();

/** Keys and indexes of a field as errors name it, such as `spec.containers[0].name` or `metadata.labels[app]`. */
export function pathOfField(field = ''): ValuePath {
  return Array.from(
    field.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g),
    ([, name, key = '']) => name ?? (/^\d+$/.test(key) ? Number(key) : key),
  );
}

/**
 * Reads every object of a text (YAML or JSON, several documents, lists flattened), or of objects that
 * are already there. Empty documents are skipped.
 *
 * @param source - how messages call the text: a file name
 * @throws ManifestError that names the place and the field
 */
export function parseManifests(input: string | readonly Draft[], source: string): ManifestDocument[] {
  const documents = typeof input === 'string' ? readText(input, source) : input.map(asDocument(source));
  const isHandedIn = typeof input !== 'string';
  const isLong = !isHandedIn && input.length > LONG_TEXT;
  return documents.flatMap((document) => flatten({ ...document, path: [], isHandedIn, isLong }, {}));
}

function readText(text: string, source: string): RawDocument[] {
  return readLenientYaml(text, source, (position, problem) => new ManifestError(position, '', problem), true);
}

function asDocument(source: string): (value: unknown, index: number) => RawDocument {
  return (value, index) => {
    const { path, problem } = findUnplain(value) ?? {};
    if (path !== undefined && problem !== undefined) {
      throw new ManifestError(`${source}[${index}]`, fieldPathText(path), problem);
    }
    const positionOf = placesOf.get(value as object) ?? (() => `${source}[${index}]`);
    return { value, positionOf, duplicates: [] };
  };
}

/**
 * Tells the kinds that are simulated from the others.
 *
 * @param custom - kinds that definitions have brought, besides those that are defined in the documents
 * @param optionalVersions - versions that are served beyond those of every server
 * @throws ManifestError for a kind that a version of Kubernetes' own does not have
 */
export function classify(
  documents: readonly ManifestDocument[],
  custom: readonly CustomNames[] = [],
  optionalVersions: readonly string[] = OPTIONAL_VERSIONS,
): {
  objects: SimulatedObject[];
  ignored: IgnoredObject[];
} {
  const objects: SimulatedObject[] = [];
  const ignored: IgnoredObject[] = [];
  const known = new Set([...custom, ...documents.flatMap(definedNames)].map(({ kind, group }) => `${kind}.${group}`));
  for (const document of documents) {
    const { draft, apiVersion, kind, name, namespace, source, positionOf, isText, duplicates } = document;
    const ownKind = `${kind}.${apiVersion.split('/', 1)[0] ?? ''}`;
    const isCustom = known.has(ownKind);
    const isOff = OPTIONAL_VERSIONS.includes(apiVersion) && !optionalVersions.includes(apiVersion);
    const simulated = isCustom ? (ownKind as Kind) : isOff ? undefined : resolveKind(apiVersion, kind);
    const other = isOff ? undefined : otherVersion(apiVersion, kind);
    if (other !== undefined) {
      objects.push({ kind: other.kind, isCustom, other, draft, source, positionOf, isText, duplicates });
    } else if (simulated === undefined) {
      if (!isOff && isUnknownKind(apiVersion, kind)) {
        throw new ManifestError(source, '', `no matches for kind "${kind}" in version "${apiVersion}"`);
      }
      ignored.push({ kind, apiVersion, name, namespace, source });
    } else objects.push({ kind: simulated, isCustom, draft, source, positionOf, isText, duplicates });
  }
  return { objects, ignored };
}

/** The kind that a definition defines. */
function definedNames({ draft, kind }: ManifestDocument): readonly CustomNames[] {
  if (kind !== 'CustomResourceDefinition') return [];
  const { group, names } = (draft['spec'] ?? {}) as { readonly group?: unknown; readonly names?: { kind?: unknown } };
  const own = names?.kind;
  return typeof group === 'string' && typeof own === 'string' ? [{ kind: own, group }] : [];
}

/** What others refer to comes first; kinds that are not named here come last. */
const APPLY_ORDER: readonly (readonly Kind[])[] = [
  ['CustomResourceDefinition'],
  ['Namespace'],
  ['PriorityClass', 'RuntimeClass', 'StorageClass', 'CSIDriver'],
  ['ServiceAccount', 'ConfigMap', 'Secret'],
  ['PersistentVolume'],
  ['PersistentVolumeClaim'],
  ['Service'],
  ['Deployment', 'ReplicaSet', 'Pod'],
];

/** The objects in the order in which they can be applied; otherwise as they were written. */
export function orderForApply<T extends Pick<SimulatedObject, 'kind'>>(objects: readonly T[]): T[] {
  const rankOf = ({ kind }: T): number => {
    const rank = APPLY_ORDER.findIndex((kinds) => kinds.includes(kind));
    return rank === -1 ? APPLY_ORDER.length : rank;
  };
  return [...objects].sort((a, b) => rankOf(a) - rankOf(b));
}

/** A value that must be an object or a list of objects, and the way to it. */
interface Place extends RawDocument {
  readonly path: ValuePath;
  /** Whether it was no text. */
  readonly isHandedIn: boolean;
  /** Whether places within its objects would take too much memory to be kept. */
  readonly isLong: boolean;
}

/** What a typed list says of its items. */
interface Inherited {
  readonly apiVersion?: string;
  readonly kind?: string;
}

function flatten(place: Place, inherited: Inherited): ManifestDocument[] {
  const { value, path, positionOf, duplicates, isHandedIn, isLong } = place;
  if (!isMapping(value))
    refuse(place, [], `a manifest must be a mapping with apiVersion and kind, got ${printed(value)}`);
  const kind = textAt(place, 'kind', value['kind'] ?? inherited.kind, 'the name of a kind such as Pod');
  const apiVersion = textAt(
    place,
    'apiVersion',
    value['apiVersion'] ?? inherited.apiVersion,
    'a text such as v1 or apps/v1',
  );
  if (kind.endsWith('List') && 'items' in value) {
    const { items } = value;
    if (!Array.isArray(items)) refuse(place, ['items'], `must be a list of objects, got ${printed(items)}`);
    const ofItem: Inherited = kind === 'List' ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) };
    return items.flatMap((item: unknown, index) =>
      flatten({ ...place, value: item, path: [...path, 'items', index] }, ofItem),
    );
  }
  const { name, namespace } = checkMetadata(place, value['metadata']);
  const draft = { ...value, apiVersion, kind };
  const placeOf = (below: ValuePath): SourcePosition => positionOf([...path, ...below]);
  const isText = !isHandedIn || placesOf.has(value);
  const source = positionOf(path);
  if (isText) placesOf.set(draft, isLong ? () => source : placeOf);
  return [
    {
      draft,
      apiVersion,
      kind,
      name,
      namespace,
      source,
      positionOf: placeOf,
      isText,
      duplicates: duplicates.flatMap((each) => {
        const isBelow = path.every((step, index) => each.path[index] === step);
        return isBelow ? { ...each, path: each.path.slice(path.length) } : [];
      }),
    },
  ];
}

function checkMetadata(place: Place, metadata: unknown): { name: string; namespace: string | undefined } {
  if (metadata === undefined || metadata === null)
    refuse(place, ['metadata'], 'is missing, must be a mapping with a name');
  if (!isMapping(metadata)) refuse(place, ['metadata'], `must be a mapping with a name, got ${printed(metadata)}`);
  for (const field of ['name', 'generateName', 'namespace']) {
    const text = metadata[field];
    if (text === undefined || typeof text === 'string') continue;
    refuse(place, ['metadata', field], `must be a text, got ${printed(text)}`);
  }
  for (const field of ['labels', 'annotations']) checkTexts(place, field, metadata[field]);
  const { name = '', generateName = '', namespace } = metadata as Partial<Record<string, string>>;
  if (name === '' && generateName === '')
    refuse(place, ['metadata', 'name'], 'is missing, must be the name of the object');
  return { name, namespace };
}

/** YAML reads an unquoted `true` or `1` as something else than a text, which labels may not be. */
function checkTexts(place: Place, field: string, map: unknown): void {
  if (map === undefined || map === null) return;
  if (!isMapping(map)) refuse(place, ['metadata', field], `must be a mapping of texts, got ${printed(map)}`);
  for (const [key, text] of Object.entries(map)) {
    if (typeof text === 'string') continue;
    refuse(place, ['metadata', field, key], `must be a text (put it in quotes), got ${printed(text)}`);
  }
}

function textAt(place: Place, field: string, text: unknown, allowed: string): string {
  if (typeof text === 'string' && text !== '') return text;
  const isMissing = text === undefined || text === null;
  return refuse(
    place,
    [field],
    isMissing ? `is missing, must be ${allowed}` : `must be ${allowed}, got ${printed(text)}`,
  );
}

function refuse({ path, positionOf }: Place, field: readonly string[], problem: string): never {
  throw new ManifestError(positionOf([...path, ...field]), field.join('.'), problem);
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
