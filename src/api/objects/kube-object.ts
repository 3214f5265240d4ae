/** What every stored object has, and the parts that several kinds share. Read-only, and shared between objects. */
import type * as core from 'kubernetes-types/core/v1.js';
import type * as meta from 'kubernetes-types/meta/v1.js';

/** A string map such as labels or annotations. */
export type StringMap = Readonly<Record<string, string>>;

/** Resource name to quantity text, such as `{cpu: '500m'}`. */
export type ResourceList = Readonly<Record<string, string>>;

/** A set of paths into an object: `{}` is a member, `.` a member that has others below it. */
export interface FieldsV1 {
  readonly [step: string]: FieldsV1;
}

/** An entry of `metadata.managedFields`: which fields a manager wrote last. */
export interface ManagedFieldsEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: FieldsV1;
  readonly subresource?: string;
}

/** Metadata of a stored object. */
export interface ObjectMeta {
  readonly name: string;
  readonly generateName?: string;
  /** Absent on cluster-scoped objects. */
  readonly namespace?: string;
  /** What a client said of it in its last update: the server says nothing. */
  readonly selfLink?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  readonly generation?: number;
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  /** Kept where writes are tracked. */
  readonly managedFields?: readonly meta.ManagedFieldsEntry[];
}

/** A reference to the object that this one depends on. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** What every stored object has. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** A type of kubernetes-types as the API server stores it. */
export type Stored<T> = Readonly<Omit<T, 'apiVersion' | 'kind' | 'metadata'>> & KubeObject;

/** A pod's specification; `resources` are the pod-level ones of 1.34. */
export type PodSpec = Readonly<core.PodSpec> & { readonly resources?: core.ResourceRequirements };
/** What pods are made from. */
export type PodTemplateSpec = Readonly<Omit<core.PodTemplateSpec, 'spec'>> & { readonly spec: PodSpec };
