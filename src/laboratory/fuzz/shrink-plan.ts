/** Makes a plan smaller as long as it still goes wrong in the same way. */
import type { PlanDocument, PlannedAction } from './plan-document.js';

/** Whether a plan goes wrong in the way that is looked for. */
export type GoesWrong = (plan: PlanDocument) => Promise<boolean>;

type PlannedObject = PlanDocument['workloads'][number];

/** Its pods are those of the workload: their names end in an ordinal. */
const ORDINAL = /-\d+$/;

/**
 * Leaves out workloads with all that belongs to them and all that is done to them, then actions, then single objects,
 * in ever smaller parts, until each that is left is needed (Zeller's delta debugging). Which are left follows from the
 * plan alone.
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
  const families = [...new Set(plan.workloads.map(familyOf))];
  const needed = await minimal(families, (kept) => tries(withFamilies(plan, families, kept)));
  const of = withFamilies(plan, families, needed);
  const actions = await minimal<PlannedAction>(of.actions, (kept) => tries({ ...of, actions: kept }));
  const fewer = { ...of, actions };
  const workloads = await minimal(fewer.workloads, (kept) => tries({ ...fewer, workloads: kept }));
  return { ...fewer, workloads };
}

/** What belongs together has one name, such as a deployment, its budget and its service, or one namespace. */
function familyOf({ metadata }: PlannedObject): string {
  const { name = '', namespace } = (metadata ?? {}) as { readonly name?: string; readonly namespace?: string };
  return namespace === undefined || namespace === 'default' ? name : namespace;
}

/** The plan without the objects of other families, and without what is done to those. */
function withFamilies(plan: PlanDocument, all: readonly string[], kept: readonly string[]): PlanDocument {
  const isLeftOut = (name: string | undefined): boolean =>
    name !== undefined && all.includes(name) && !kept.includes(name);
  const workloads = plan.workloads.filter((object) => !isLeftOut(familyOf(object)));
  const actions = plan.actions.filter((action) => !targetsOf(action).some(isLeftOut));
  return { ...plan, workloads, actions };
}

/** The names of what an action is done to, as they stand in `kind/name`, or of their namespace. */
function targetsOf(action: PlannedAction): readonly string[] {
  return Object.values(action).flatMap((value) => {
    const target = typeof value === 'string' ? { object: value } : (value as Target | null);
    const { object, namespace } = target ?? {};
    if (typeof namespace === 'string' && namespace !== 'default') return [namespace];
    if (typeof object !== 'string' || !object.includes('/')) return [];
    const name = object.slice(object.indexOf('/') + 1);
    return object.startsWith('pod/') ? [name, name.replace(ORDINAL, '')] : [name];
  });
}

interface Target {
  readonly object?: unknown;
  readonly namespace?: unknown;
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
