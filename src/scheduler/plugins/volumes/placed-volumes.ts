import type { PodSpec } from '../../../api/objects/objects.js';

/**
 * Whether a pod has volumes that may tie it to nodes. Those that the kubelet makes out of the API's objects or of its
 * own disk are wherever the pod is; no plugin of upstream's looks at them (v1.34 framework/plugins/volumebinding,
 * volumerestrictions, volumezone, nodevolumelimits).
 */
export function hasPlacedVolumes({ volumes }: Pick<PodSpec, 'volumes'>): boolean {
  if (volumes === undefined) return false;
  for (const { configMap, secret, projected, emptyDir, downwardAPI } of volumes) {
    if ((configMap ?? secret ?? projected ?? emptyDir ?? downwardAPI) === undefined) return true;
  }
  return false;
}
