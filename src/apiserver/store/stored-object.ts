import type { KubeObject } from '../../api/objects/objects.js';

/** Any stored object as the generic parts of the store see it. */
export interface StoredObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}
