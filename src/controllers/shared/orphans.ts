import type { Kind } from '../../api/objects/objects.js';
import { controllerOf } from '../../api/objects/owners.js';
import type { Indexers } from '../../bus/bus-types.js';

const NO_VALUES: readonly string[] = [];

/** Objects without a controller by namespace: `byIndex('orphan', 'default')`. */
export const BY_ORPHANAGE = {
  orphan: (object) => (controllerOf(object) === undefined ? [object.metadata.namespace ?? ''] : NO_VALUES),
} satisfies Indexers<Kind>;
