/** Whether a number is as it should be, within so much. */
export function isNear(value: number | undefined, expected: number, within: number): boolean {
  return value !== undefined && Math.abs(value - expected) <= within;
}
