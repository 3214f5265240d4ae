import type { PodSpec } from '../../api/objects/objects.js';
import { configReferences } from '../../api/pods/config-references.js';

/**
 * What a pod names of the API, and a static pod may not; `undefined` = nothing (HasAPIObjectReference of
 * pkg/api/pod/util.go, v1.34).
 */
export function apiReference(spec: PodSpec): string | undefined {
  if ((spec.serviceAccountName || spec.serviceAccount || '') !== '') return 'serviceaccounts';
  const references = configReferences(spec);
  if (references.some(({ kind }) => kind === 'Secret')) return 'secrets';
  if (references.length > 0) return 'configmaps';
  if ((spec.resourceClaims ?? []).length > 0) return 'resourceclaims';
  for (const { csi, persistentVolumeClaim, ephemeral, projected } of spec.volumes ?? []) {
    if (csi !== undefined) return 'csidrivers (via CSI volumes)';
    if (persistentVolumeClaim !== undefined) return 'persistentvolumeclaims';
    if (ephemeral !== undefined) return 'persistentvolumeclaims (via ephemeral volumes)';
    if (projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken !== undefined) === true) {
      return 'serviceaccounts (via projected volumes)';
    }
  }
  return undefined;
}
