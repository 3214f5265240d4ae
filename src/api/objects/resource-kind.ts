/**
 * What the generic store must know of a kind. A kind is a description, not code of its own in the
 * API server: adding one means a type in objects.ts and a description in kinds/.
 */
import type { Draft, Kind, KindMap } from './objects.js';

/** Kubernetes' classes of field errors; the text is `<path>: <Type text>: …`. */
export type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueTypeInvalid'
  | 'FieldValueDuplicate'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueNotFound'
  | 'InternalError';

/** One thing that is wrong with an object. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** Such as `spec.containers[0].image`. */
  readonly field: string;
  /** What follows the path, such as `Required value` or `Invalid value: "-1": must be …`. */
  readonly detail: string;
}

/** Which changes of the main resource raise `metadata.generation`; one of changes of the spec begins with the first. */
export type GenerationRule =
  | 'none'
  /** By the spec as a request states it, also where nothing of that is kept. */
  | 'stated-spec'
  | 'fixed'
  | 'spec'
  | 'changes-of-spec'
  | 'spec-and-annotations'
  /** By everything but the metadata. */
  | 'content'
  | 'content-and-labels';

/** An update beyond its objects. */
export interface AskedUpdate {
  /** API group of the request; absent = one of the cluster's own, in the group of the kind. */
  readonly group?: string | undefined;
  /** Parts of metadata that were to be changed, and may not. */
  readonly kept?: readonly FieldError[];
  /** Tells of what is wrong, but was so before. */
  readonly warn?: ((text: string) => void) | undefined;
}

/** See the file header. All functions are pure and never change their arguments. */
export interface ResourceKind<K extends Kind = Kind> {
  readonly kind: K;
  /** What its objects are kept as: its kind, and of one that a definition has brought with its group, such as `Service.serving.knative.dev`. */
  readonly storedAs: K;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Of the type of its objects, where it does not follow from the names. */
  readonly typeKey?: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly isNamespaced: boolean;
  readonly hasStatus: boolean;
  readonly generation: GenerationRule;
  /** Updates without a resourceVersion are refused. */
  readonly requiresVersionOnUpdate: boolean;
  /** A PUT of a missing object creates it. */
  readonly createsOnUpdate: boolean;
  /** DELETE answers with the object instead of a Status. */
  readonly deleteReturnsObject: boolean;
  /** Paths that field selectors may name (besides metadata.name and metadata.namespace) and their values. */
  readonly selectableFields: Readonly<Record<string, (object: KindMap[K]) => string>>;
  /** Reads a draft, for kinds whose types are not among those of the program; `onUnknown` is told of dropped paths. */
  readonly decode?: (draft: Draft, onUnknown?: (path: string) => void, isApplied?: boolean) => Draft;
  /** A stored object in the version of another one; absent = the kind has one version. */
  readonly inVersionOf?: (object: Readonly<Record<string, unknown>>, like: { readonly apiVersion?: unknown }) => object;
  /** An object in the version in which it is stored. */
  readonly kept?: (object: Readonly<Record<string, unknown>>) => object;
  /** Server-side defaults; returns the argument itself when there is nothing to fill in. */
  applyDefaults(draft: Draft): Draft;
  /**
   * What creation sets or drops besides metadata (status reset, phase Pending, qosClass, …).
   *
   * @param warn - told of what is replaced
   */
  prepareForCreate(object: KindMap[K], warn?: (text: string) => void): KindMap[K];
  /** What an update of the main resource keeps from the stored object (status is kept by the store). */
  prepareForUpdate(next: KindMap[K], previous: KindMap[K]): KindMap[K];
  /** What an update of the status subresource keeps besides the spec. */
  prepareForStatusUpdate(next: KindMap[K], previous: KindMap[K]): KindMap[K];
  /** @param group - API group of the request; absent = one of the cluster's own, in the group of the kind */
  validateCreate(object: KindMap[K], group?: string): readonly FieldError[];
  /** As {@link validateCreate}, of an object that was created before: it may have what came by updates alone. */
  validateStored(object: KindMap[K]): readonly FieldError[];
  validateUpdate(next: KindMap[K], previous: KindMap[K], asked?: AskedUpdate): readonly FieldError[];
  /** How often a refused update names a part of metadata that may not change. */
  changesTold(group?: string): number;
  validateStatusUpdate(next: KindMap[K], previous: KindMap[K], asked?: AskedUpdate): readonly FieldError[];
}

/** Every kind's description, by kind. */
export type KindRegistry = { readonly [K in Kind]: ResourceKind<K> };
