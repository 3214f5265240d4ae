/** Taints and who tolerates them (component-helpers scheduling/corev1, v1.34). */
import type { Taint, Toleration } from './objects.js';

/** Whether one toleration covers one taint. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { effect = '', key = '', operator = '', value = '' } = toleration;
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return (operator === '' || operator === 'Equal') && value === (taint.value ?? '');
}

/** Whether any toleration covers the taint. */
export function isTolerated(taint: Taint, tolerations: readonly Toleration[] | undefined): boolean {
  if (tolerations === undefined) return false;
  for (const toleration of tolerations) if (tolerates(toleration, taint)) return true;
  return false;
}

/** The first taint, in list order, with one of `effects` (all if absent) that no toleration covers. */
export function findUntolerated(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects?: readonly string[],
): Taint | undefined {
  if (taints === undefined) return undefined;
  for (const taint of taints) {
    if (effects !== undefined && !effects.includes(taint.effect)) continue;
    if (!isTolerated(taint, tolerations)) return taint;
  }
  return undefined;
}

/** Says of a node that nothing of it runs any more: its pods may be removed and its volumes taken away. */
export const OUT_OF_SERVICE_TAINT = 'node.kubernetes.io/out-of-service';

/** Whether somebody has declared the node with these taints out of service. */
export function isOutOfService(taints: readonly Pick<Taint, 'key'>[] | undefined): boolean {
  return taints?.some(({ key }) => key === OUT_OF_SERVICE_TAINT) === true;
}
