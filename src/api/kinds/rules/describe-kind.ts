/**
 * How a kind is described: the little that differs from what most kinds do. A later kind is one file
 * that calls {@link describeKind}, and a line in registry.ts.
 */
import { joinedErrors } from '../../errors/field-errors.js';
import { dns1123Subdomain, type NameCheck } from '../../values/names.js';
import type { Draft, Kind, KindMap } from '../../objects/objects.js';
import type { AskedUpdate, FieldError, GenerationRule, ResourceKind } from '../../objects/resource-kind.js';
import { droppingOf } from './dropped-fields.js';
import {
  metadataErrors,
  validateObjectMeta,
  validateObjectMetaUpdate,
  type MetaErrors,
  type MetaRules,
} from './object-meta.js';
import { changesTold, inOrderOfLooks, updateLooks, type UpdateLook } from './update-looks.js';

type ChangeCheck<K extends Kind> = (
  next: KindMap[K],
  previous: KindMap[K],
  metadata: readonly FieldError[],
  warn?: AskedUpdate['warn'],
) => readonly FieldError[];

/** A kind's own traits; whatever is left out is as for most kinds. */
export interface KindTraits<K extends Kind> {
  readonly kind: K;
  /** @defaultValue '' (core) */
  readonly group?: string;
  /** @defaultValue 'v1' */
  readonly version?: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  /** @defaultValue true */
  readonly isNamespaced?: boolean;
  /** @defaultValue false */
  readonly hasStatus?: boolean;
  /** @defaultValue 'none' */
  readonly generation?: GenerationRule;
  readonly requiresVersionOnUpdate?: boolean;
  readonly createsOnUpdate?: boolean;
  readonly deleteReturnsObject?: boolean;
  /** Whether finalizers need no domain; see `ANY_FINALIZERS` for those of Kubernetes. @defaultValue false */
  readonly takesAnyFinalizer?: boolean;
  /** @defaultValue a DNS-1123 subdomain */
  readonly nameCheck?: NameCheck;
  readonly selectableFields?: ResourceKind<K>['selectableFields'];
  readonly applyDefaults?: (draft: Draft) => Draft;
  /** Fields of features that are off by default, which nothing that is written keeps; see {@link droppingOf}. */
  readonly droppedFields?: readonly string[];
  readonly prepareForCreate?: (object: KindMap[K], warn?: (text: string) => void) => KindMap[K];
  readonly prepareForUpdate?: (next: KindMap[K], previous: KindMap[K]) => KindMap[K];
  readonly prepareForStatusUpdate?: (next: KindMap[K], previous: KindMap[K]) => KindMap[K];
  /**
   * What is wrong beyond the metadata, on creation and on update alike. What the object has of a stored one before it
   * need not be looked at again.
   */
  readonly validate?: (object: KindMap[K], stored?: KindMap[K]) => readonly FieldError[];
  /** What no new object may have, though a stored one may. */
  readonly refusedAsNew?: (object: KindMap[K]) => readonly FieldError[];
  /** What never changes, or only by {@link KindTraits.validateChange}. @param metadata - what is wrong with the metadata, as in the two below */
  readonly validateNew?: (object: KindMap[K], metadata: readonly FieldError[]) => readonly FieldError[];
  /** How an update is looked at. @defaultValue as the strategy of Kubernetes' own kind of this name does */
  readonly looks?: readonly UpdateLook[];
  /** What an update may not change. */
  readonly validateChange?: ChangeCheck<K>;
  readonly validateStatusChange?: ChangeCheck<K>;
}

const same = <T>(object: T): T => object;
const nothingWrong = (): readonly FieldError[] => NO_ERRORS;
const NO_ERRORS: readonly FieldError[] = Object.freeze([]);
const NOTHING_ASKED: AskedUpdate = Object.freeze({});
const NOTHING_WRONG: MetaErrors = {
  segment: NO_ERRORS,
  base: NO_ERRORS,
  client: NO_ERRORS,
  names: NO_ERRORS,
  qualified: NO_ERRORS,
};

/** Kinds whose strategies look at finalizers as the machinery of all API servers does, and no closer. */
const ANY_FINALIZERS: ReadonlySet<string> = new Set([
  'APIService',
  'CustomResourceDefinition',
  'Lease',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'MutatingWebhookConfiguration',
  'PodDisruptionBudget',
  'RuntimeClass',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
]);

/** The whole description of a kind. */
export function describeKind<K extends Kind>(traits: KindTraits<K>): ResourceKind<K> {
  const { kind, nameCheck = dns1123Subdomain, isNamespaced = true } = traits;
  const { validate = nothingWrong, validateNew = nothingWrong, refusedAsNew = nothingWrong } = traits;
  const { validateChange = nothingWrong, validateStatusChange = nothingWrong } = traits;
  const looks = traits.looks ?? updateLooks(kind);
  const { prepareForCreate = same, prepareForUpdate = same, prepareForStatusUpdate = same } = traits;
  const dropping = droppingOf(traits.droppedFields ?? []);
  const takesAny = traits.takesAnyFinalizer ?? ANY_FINALIZERS.has(kind);
  const rules: MetaRules = { isNamespaced, nameCheck, hasQualifiedFinalizers: !takesAny };
  return {
    kind,
    storedAs: kind,
    group: traits.group ?? '',
    version: traits.version ?? 'v1',
    plural: traits.plural,
    singular: kind.toLowerCase(),
    shortNames: traits.shortNames ?? [],
    isNamespaced,
    hasStatus: traits.hasStatus ?? false,
    generation: traits.generation ?? 'none',
    requiresVersionOnUpdate: traits.requiresVersionOnUpdate ?? false,
    createsOnUpdate: traits.createsOnUpdate ?? false,
    deleteReturnsObject: traits.deleteReturnsObject ?? false,
    selectableFields: traits.selectableFields ?? {},
    applyDefaults: traits.applyDefaults ?? ((draft) => draft),
    prepareForCreate: (object, warn) => prepareForCreate(dropping(object), warn),
    prepareForUpdate: (next, previous) => prepareForUpdate(dropping(next, previous), previous),
    prepareForStatusUpdate: (next, previous) => prepareForStatusUpdate(dropping(next, previous), previous),
    validateCreate(object) {
      const metadata = validateObjectMeta(object.metadata, rules);
      return joinedErrors(metadata, validate(object), refusedAsNew(object), validateNew(object, metadata));
    },
    validateStored(object) {
      const metadata = validateObjectMeta(object.metadata, rules);
      return joinedErrors(metadata, validate(object), validateNew(object, metadata));
    },
    changesTold: () => changesTold(looks),
    validateUpdate(next, previous, { kept = NO_ERRORS, warn }: AskedUpdate = NOTHING_ASKED) {
      const metadata = metadataErrors(next.metadata, previous.metadata, rules);
      const whole = validate(next, previous);
      const isJudgedAsNew = looks.includes('new');
      const change = validateChange(
        next,
        previous,
        metadata === undefined ? NO_ERRORS : Object.values(metadata).flat(),
        warn,
      );
      const isRight = whole.length + change.length + kept.length === 0 && metadata === undefined;
      if (isRight && !isJudgedAsNew) return NO_ERRORS;
      const found = { whole, change, new: isJudgedAsNew ? validate(next) : NO_ERRORS };
      return inOrderOfLooks(looks, metadata ?? NOTHING_WRONG, kept, found);
    },
    validateStatusUpdate(next, previous, { warn } = NOTHING_ASKED) {
      const metadata = validateObjectMetaUpdate(next.metadata, previous.metadata, rules);
      return joinedErrors(metadata, validateStatusChange(next, previous, metadata, warn));
    },
  };
}
