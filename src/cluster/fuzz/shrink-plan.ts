/** Makes a plan smaller as long as it still goes wrong in the same way. */
import type { PlanDocument, PlannedAction } from './plan-document.js';

/** Whether a plan goes wrong in the way that is looked for. */
export type GoesWrong = (plan: PlanDocument) => Promise<boolean>;

/**
 * Leaves out actions, then workloads, in ever smaller parts, until each that is left is needed (Zeller's
 * delta debugging). Which are left follows from the plan alone.
 *
 * @param plan - goes wrong
 * @param limit - plans to try at most
 */
export async function shrinkPlan(plan: PlanDocument, goesWrong: GoesWrong, limit = 200): Promise<PlanDocument> {
  let left = limit;
  const tries: GoesWrong = async (candidate) => {
    if (left === 0) return false;
    left -= 1;
    return goesWrong(candidate);
  };
  const actions = await minimal<PlannedAction>(plan.actions, (kept) => tries({ ...plan, actions: kept }));
  const fewer = { ...plan, actions };
  const workloads = await minimal(fewer.workloads, (kept) => tries({ ...fewer, workloads: kept }));
  return { ...fewer, workloads };
}

async function minimal<T>(
  all: readonly T[],
  goesWrong: (kept: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let kept = all;
  if (kept.length > 0 && (await goesWrong([]))) return [];
  let parts = 2;
  while (kept.length > 1) {
    const size = Math.ceil(kept.length / parts);
    const fewer = await firstWrong(kept, size, goesWrong);
    if (fewer !== undefined) {
      kept = fewer;
      parts = Math.max(2, parts - 1);
    } else if (size === 1) return kept;
    else parts = Math.min(kept.length, 2 * parts);
  }
  return kept;
}

/** The rest without one part, if it still goes wrong. */
async function firstWrong<T>(
  all: readonly T[],
  size: number,
  goesWrong: (kept: readonly T[]) => Promise<boolean>,
): Promise<readonly T[] | undefined> {
  for (let from = 0; from < all.length; from += size) {
    const kept = [...all.slice(0, from), ...all.slice(from + size)];
    if (await goesWrong(kept)) return kept;
  }
  return undefined;
}
