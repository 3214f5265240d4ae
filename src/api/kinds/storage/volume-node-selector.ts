import type { core } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { validateAffinity } from '../pod/affinity-validation.js';

const REQUIRED_AFFINITY = 'requiredDuringSchedulingIgnoredDuringExecution';

/** The selector of the nodes that a volume can be reached from: a pod's terms under another name. */
export function validateVolumeNodeSelector(selector: core.NodeSelector, field: string): FieldError[] {
  const asPods = validateAffinity({ nodeAffinity: { [REQUIRED_AFFINITY]: selector } }, field);
  const prefix = `${field}.nodeAffinity.${REQUIRED_AFFINITY}`;
  return asPods.map((error) => ({ ...error, field: field + error.field.slice(prefix.length) }));
}
