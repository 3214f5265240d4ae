/**
 * The rules of metadata: what the server sets, what a client may change, and when the generation
 * rises. Mirrors staging/src/k8s.io/apiserver/pkg/registry/rest (create.go, update.go, meta.go).
 */
import { forbidden, invalid } from '../../api/errors/field-errors.js';
import type { DraftMeta, ObjectMeta } from '../../api/objects/objects.js';
import type { FieldError, GenerationRule, ResourceKind } from '../../api/objects/resource-kind.js';
import type { StoredObject } from '../store/stored-object.js';
import { isSameJson } from '../../api/values/canonical-json.js';

/** What the server sets on a new object. */
export interface SystemFields {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly uid: string;
  readonly creationTimestamp: string;
  readonly generation: number | undefined;
}

/** Metadata of a new object; whatever else the client wrote is dropped. The version comes with the write. */
export function newMetadata(draft: DraftMeta, system: SystemFields): ObjectMeta {
  const { generateName = '', labels, annotations, ownerReferences, finalizers } = draft;
  if (labels !== undefined && ownerReferences !== undefined && annotations === undefined && finalizers === undefined) {
    const { name, namespace, uid, generation, creationTimestamp } = system;
    // What controllers make, pods above all: what is added to a literal lies in a second part.
    if (namespace !== undefined && generation !== undefined && generateName !== '') {
      return {
        name,
        generateName,
        namespace,
        uid,
        resourceVersion: '',
        generation,
        creationTimestamp,
        labels,
        ownerReferences,
      };
    }
  }
  const metadata = firstFields(system, generateName);
  if (labels !== undefined) metadata.labels = labels;
  if (annotations !== undefined) metadata.annotations = annotations;
  if (ownerReferences !== undefined) metadata.ownerReferences = ownerReferences;
  if (finalizers !== undefined) metadata.finalizers = finalizers;
  return metadata;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** One literal for what most objects have: cheaper than to put it together. */
function firstFields(system: SystemFields, generateName: string): Writable<ObjectMeta> {
  const { name, namespace, uid, generation, creationTimestamp } = system;
  const resourceVersion = '';
  if (namespace !== undefined && generation !== undefined) {
    return generateName === ''
      ? { name, namespace, uid, resourceVersion, generation, creationTimestamp }
      : { name, generateName, namespace, uid, resourceVersion, generation, creationTimestamp };
  }
  return {
    name,
    ...(generateName === '' ? {} : { generateName }),
    ...(namespace === undefined ? {} : { namespace }),
    uid,
    resourceVersion,
    ...(generation === undefined ? {} : { generation }),
    creationTimestamp,
  };
}

/**
 * Metadata of an object after a request that sent `draft`: the base of a generated name, labels, annotations, owner
 * references and finalizers are the request's, the rest stays. Returns `previous` when nothing changes.
 */
export function updatedMetadata(previous: ObjectMeta, draft: DraftMeta | undefined): ObjectMeta {
  if (draft === previous || isSameClientPart(previous, draft ?? {})) return previous;
  const { generateName = '', selfLink = '', labels, annotations, ownerReferences, finalizers } = draft ?? {};
  const { generateName: _g, selfLink: _s, labels: _l, annotations: _a, ...rest } = previous;
  const { ownerReferences: _o, finalizers: _f, ...kept } = rest;
  const { name, ...others } = kept;
  return {
    ...(generateName === '' ? kept : { name, generateName, ...others }),
    ...(selfLink === '' ? {} : { selfLink }),
    ...(labels === undefined ? {} : { labels: reuse(previous.labels, labels) }),
    ...(annotations === undefined ? {} : { annotations: reuse(previous.annotations, annotations) }),
    ...(ownerReferences === undefined ? {} : { ownerReferences: reuse(previous.ownerReferences, ownerReferences) }),
    ...(finalizers === undefined || finalizers.length === 0
      ? {}
      : { finalizers: reuse(previous.finalizers, finalizers) }),
  };
}

function isSameClientPart(a: ObjectMeta, b: DraftMeta): boolean {
  return (
    (a.generateName ?? '') === (b.generateName ?? '') &&
    (a.selfLink ?? '') === (b.selfLink ?? '') &&
    isSameJson(a.labels, b.labels) &&
    isSameJson(a.annotations, b.annotations) &&
    isSameJson(a.finalizers, b.finalizers) &&
    isSameJson(a.ownerReferences, b.ownerReferences)
  );
}

/** Keeps the shared reference where the content is the same. */
function reuse<T>(previous: T | undefined, next: T): T {
  return previous !== undefined && isSameJson(previous, next) ? previous : next;
}

const NOTHING_WRONG: readonly FieldError[] = Object.freeze([]);

/** An object that is being deleted takes no new finalizers. */
export function validateFinalizers(next: ObjectMeta, previous: ObjectMeta): readonly FieldError[] {
  if (previous.deletionTimestamp === undefined || next.finalizers === previous.finalizers) return [];
  const added = (next.finalizers ?? []).filter((each) => previous.finalizers?.includes(each) !== true);
  if (added.length === 0) return [];
  const list = added.map((each) => JSON.stringify(each)).join(', ');
  const rule = 'no new finalizers can be added if the object is being deleted';
  return [forbidden('metadata.finalizers', `${rule}, found new finalizers []string{${list}}`)];
}

/** Which object it is, when and how soon it goes is the server's to say. */
export function validateKept(wanted: DraftMeta | undefined, previous: ObjectMeta): readonly FieldError[] {
  if (wanted === undefined || wanted === previous) return NOTHING_WRONG;
  const { uid = '', deletionTimestamp, deletionGracePeriodSeconds: grace } = wanted;
  const errors: FieldError[] = [];
  if (uid !== '' && uid !== previous.uid) errors.push(invalid('metadata.uid', uid, 'field is immutable'));
  if (deletionTimestamp !== undefined && previous.deletionTimestamp === undefined) {
    errors.push(invalid('metadata.deletionTimestamp', deletionTimestamp, 'field is immutable'));
  }
  if (grace !== undefined && grace !== previous.deletionGracePeriodSeconds) {
    errors.push(invalid('metadata.deletionGracePeriodSeconds', grace, 'field is immutable'));
  }
  return errors.length === 0 ? NOTHING_WRONG : errors;
}

/** Parts of metadata that were to be changed and may not, each as often as its kind names it. */
export function keptAsOften(
  { changesTold }: Pick<ResourceKind, 'changesTold'>,
  errors: readonly FieldError[],
  group?: string,
): readonly FieldError[] {
  return errors.length === 0 ? errors : Array.from({ length: changesTold(group) }, () => errors).flat();
}

/** Generation of a new object; kinds that have none keep what the client says. */
export function initialGeneration(rule: GenerationRule, { generation }: DraftMeta): number | undefined {
  if (rule !== 'none' && rule !== 'changes-of-spec') return 1;
  return generation === 0 ? undefined : generation;
}

/**
 * Generation after an update of the main resource. Parts with equal content must be shared by reference.
 *
 * @param next - as it is to be stored; under `stated-spec` as the request has it
 */
export function updatedGeneration(
  rule: GenerationRule,
  next: StoredObject,
  previous: StoredObject,
): number | undefined {
  const { generation } = previous.metadata;
  if (rule === 'changes-of-spec') return next.spec === previous.spec ? generation : (generation ?? 0) + 1;
  if (generation === undefined || rule === 'none' || rule === 'fixed') return generation;
  return isRaised(rule, next, previous) ? generation + 1 : generation;
}

function isRaised(rule: GenerationRule, next: StoredObject, previous: StoredObject): boolean {
  const { labels, annotations } = previous.metadata;
  if (rule === 'content') return hasOtherFields(next, previous);
  if (rule === 'content-and-labels') return next.metadata.labels !== labels || hasOtherFields(next, previous);
  return next.spec !== previous.spec || (rule === 'spec-and-annotations' && next.metadata.annotations !== annotations);
}

/** Whether anything outside the metadata differs. */
function hasOtherFields(next: StoredObject, previous: StoredObject): boolean {
  const before: Readonly<Record<string, unknown>> = { ...previous };
  const after: Readonly<Record<string, unknown>> = { ...next };
  const fields = [...Object.keys(after), ...Object.keys(before)];
  return fields.some((field) => field !== 'metadata' && after[field] !== before[field]);
}

/** Upstream's MaxGeneratedNameLength: 63 less the suffix of 5. */
const GENERATED_NAME_BASE_LENGTH = 58;
/** Upstream's maxNameGenerationCreateAttempts. */
const NAME_GENERATION_ATTEMPTS = 8;

/** The base, cut to size, and five letters; the last attempt's name even if that one is taken too. */
export function generatedName(generateName = '', drawSuffix: () => string, isFree: (name: string) => boolean): string {
  if (generateName === '') return '';
  const base = generateName.slice(0, GENERATED_NAME_BASE_LENGTH);
  let name = '';
  for (let attempt = 0; attempt < NAME_GENERATION_ATTEMPTS; attempt += 1) {
    name = base + drawSuffix();
    if (isFree(name)) break;
  }
  return name;
}
