/** The order of versions (apimachinery/pkg/version/helpers.go, v1.34). */

const VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const STAGES: Readonly<Record<string, number>> = { alpha: 0, beta: 1 };
const STABLE = 2;

/** Stable ones first, then by number, as apimachinery's version helpers have it. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [VERSION.exec(a), VERSION.exec(b)];
  if (left === null || right === null) {
    if (left === null && right === null) return a < b ? -1 : 1;
    return left === null ? 1 : -1;
  }
  const [before, after] = [rankOf(left), rankOf(right)];
  for (const [index, rank] of before.entries()) {
    const other = after[index] ?? 0;
    if (rank !== other) return other - rank;
  }
  return 0;
}

function rankOf([, major = '', stage = '', minor = '0']: RegExpExecArray): readonly number[] {
  return [STAGES[stage] ?? STABLE, Number(major), Number(minor)];
}
