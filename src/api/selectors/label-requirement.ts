/** One condition on labels, as selectors of pods and of nodes are made of (apimachinery's pkg/labels, v1.34). */
import type { StringMap } from '../objects/objects.js';

/** How a requirement compares. */
export type LabelOperator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';

/** One condition on labels. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** Whether one requirement holds. `Gt` and `Lt` compare whole 64-bit numbers. */
export function holds({ key, operator, values }: LabelRequirement, labels: StringMap): boolean {
  const label = labels[key];
  // `constructor` is a legal key, and what objects inherit under it is no text.
  const value = typeof label === 'string' ? label : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt': {
      if (value === undefined || values.length !== 1) return false;
      const [left, right] = [parseInt64(value), parseInt64(values[0])];
      if (left === undefined || right === undefined) return false;
      return operator === 'Gt' ? left > right : left < right;
    }
  }
}

const MAX_INT64 = 9_223_372_036_854_775_807n;

/** A whole number of 64 bits with an optional sign, as Go reads it. */
export function parseInt64(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[-+]?\d+$/.test(text)) return undefined;
  const number = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return number > MAX_INT64 || number < -MAX_INT64 - 1n ? undefined : number;
}
