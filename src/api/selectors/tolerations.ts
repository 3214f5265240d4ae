/** Taints and tolerations of them (component-helpers scheduling/corev1, v1.34). */
import { isSameJson } from '../values/canonical-json.js';
import type { Taint, Toleration } from '../objects/objects.js';

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

/**
 * Both lists in one, without those that another one covers; of equals the first stays (MergeTolerations of
 * pkg/util/tolerations, v1.34).
 */
export function mergedTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  for (const [index, each] of all.entries()) {
    if (merged.some((other) => covers(other, each))) continue;
    if (all.slice(index + 1).some((other) => !isSameJson(other, each) && covers(other, each))) continue;
    merged.push(each);
  }
  return merged;
}

/** Whether whatever `part` tolerates, `whole` does as well. */
function covers(whole: Toleration, part: Toleration): boolean {
  if (isSameJson(whole, part)) return true;
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = whole;
  if (key !== (part.key ?? '') && (key !== '' || operator !== 'Exists')) return false;
  if (effect !== '' && effect !== (part.effect ?? '')) return false;
  if (effect === 'NoExecute' && tolerationSeconds !== undefined) {
    if (part.tolerationSeconds === undefined || part.tolerationSeconds > tolerationSeconds) return false;
  }
  return operator === 'Exists' || (part.operator === 'Equal' && value === (part.value ?? ''));
}

/** Says of a node that nothing of it runs any more: its pods may be removed and its volumes taken away. */
export const OUT_OF_SERVICE_TAINT = 'node.kubernetes.io/out-of-service';

/** Whether the node with these taints was declared out of service. */
export function isOutOfService(taints: readonly Pick<Taint, 'key'>[] | undefined): boolean {
  return taints?.some(({ key }) => key === OUT_OF_SERVICE_TAINT) === true;
}
