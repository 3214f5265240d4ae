import type { Pod } from '../objects/objects.js';

/** `name_namespace(uid)`, as kubelets name pods. */
export function podFullName({ metadata: { name, namespace = '', uid } }: Pod): string {
  return `${name}_${namespace}(${uid})`;
}
