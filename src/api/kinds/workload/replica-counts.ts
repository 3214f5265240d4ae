/** Counts in the status of workloads: none below zero, none above the replicas (pkg/apis/apps/validation and core, v1.34). */
import { invalid } from '../../errors/field-errors.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { nonNegative } from '../rules/number-validation.js';

/** Some numbers of a status, by field; absent = 0. */
type Counts<F extends string> = { readonly [Field in F | 'replicas' | 'readyReplicas' | 'availableReplicas']?: number };

/** Which counts a kind has, each list in the order in which upstream judges them. */
export interface CountRules<F extends string> {
  /** None may be below zero. */
  readonly counts: readonly F[];
  /** None may be above `replicas`. */
  readonly parts: readonly F[];
  /** What the text calls the pods that are ready. @defaultValue 'readyReplicas' */
  readonly readyName?: string;
}

/** Those of replica sets and replication controllers. */
export const SET_COUNTS = {
  counts: ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
  parts: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
} as const;

/** What is wrong with the counts by themselves. */
export function validateCounts<F extends string>(status: Counts<F>, rules: CountRules<F>): FieldError[] {
  const { counts, parts, readyName = 'readyReplicas' } = rules;
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  const errors = counts.flatMap((count) => nonNegative(status[count], `status.${count}`));
  for (const part of parts) {
    const value = status[part] ?? 0;
    if (value > replicas) errors.push(invalid(`status.${part}`, value, 'cannot be greater than status.replicas'));
  }
  if (availableReplicas > readyReplicas) {
    errors.push(invalid('status.availableReplicas', availableReplicas, `cannot be greater than ${readyName}`));
  }
  return errors;
}

/** A count of collisions only rises; where there was none, it may be any. */
export function validateCollisions(
  { collisionCount }: { readonly collisionCount?: number },
  { collisionCount: before }: { readonly collisionCount?: number },
): FieldError[] {
  if (before === undefined || (collisionCount !== undefined && collisionCount >= before)) return [];
  return [invalid('status.collisionCount', collisionCount ?? 0, 'cannot be decremented')];
}
