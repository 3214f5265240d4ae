/** What a plugin of admission is (staging/src/k8s.io/apiserver/pkg/admission/interfaces.go, v1.34). */
import type { Kind } from '../../../api/objects/objects.js';
import type { ResourceKind } from '../../../api/objects/resource-kind.js';
import type { AdmissionOperation, Attributes } from './attributes.js';

/** What a request is about, as far as it decides which plugins see it. */
export interface AdmissionSubject {
  readonly operation: AdmissionOperation;
  readonly resource: ResourceKind;
  /** Empty for the object itself. */
  readonly subresource: string;
}

/** See the file header. Both phases are synchronous; a plugin that waits throws an AdmissionPending. */
export interface AdmissionPlugin {
  /** Upstream's. */
  readonly name: string;
  /** Whether it sees such requests at all: asked once for each subject, and again when a source has changed. */
  handles(subject: AdmissionSubject): boolean;
  /** The kinds whose objects `handles` reads. @defaultValue none: its answers are for good */
  readonly sources?: readonly { readonly table: { readonly revision: number } }[];
  /** Whether it may have a request wait: requests of several writes are then all or nothing. @defaultValue false */
  readonly mayWait?: boolean;
  /** Whether it sees what is made below objects and stored nowhere. @defaultValue false */
  readonly seesBelow?: boolean;
  /** Changes the object by setting `attributes.object`, or refuses it. @throws ApiError */
  readonly mutate?: (attributes: Attributes<Kind>) => void;
  /** Refuses the object in its final form. @throws ApiError */
  readonly validate?: (attributes: Attributes<Kind>) => void;
}
