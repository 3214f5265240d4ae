import type { PodSpec } from '../../api/objects/objects.js';

/** Names of the volumes that some container of a pod mounts, or has as a device: the others are never set up. */
export function mountedVolumes({ initContainers = [], containers }: PodSpec): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { volumeMounts = [], volumeDevices = [] } of [...initContainers, ...containers]) {
    for (const { name } of [...volumeMounts, ...volumeDevices]) names.add(name);
  }
  return names;
}
