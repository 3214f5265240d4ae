import type { InvariantViolation } from '../../observers/invariants/invariant-monitor.js';

/** The endings of names that are dealt out: of pods, with the template or the minute before it. */
const DEALT = /(?:-[0-9a-z]{8,10})?-[bcdfghjklmnpqrstvwxz2-9]{5}$/;

/** Whether two plans have gone wrong for the same cause: one promise to one object, or to another pod of its workload. */
export function isSameCause(
  left: Pick<InvariantViolation, 'invariant' | 'object'> | undefined,
  right: Pick<InvariantViolation, 'invariant' | 'object'> | undefined,
): boolean {
  if (left === undefined || right === undefined) return left === right;
  return left.invariant === right.invariant && familyOf(left.object) === familyOf(right.object);
}

function familyOf(object: string): string {
  return object.replace(DEALT, '');
}
