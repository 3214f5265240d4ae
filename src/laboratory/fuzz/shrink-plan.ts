/** Makes a plan smaller as long as it still goes wrong in the same way. */
import type { PlanDocument, PlannedAction } from './plan-document.js';

/** Whether a plan goes wrong in the way that is looked for. */
export type GoesWrong = (plan: PlanDocument) => Promise<boolean>;

type PlannedObject = PlanDocument['workloads'][number];

/** Fields by which an object names another that it cannot do without. */
const REFERENCES: readonly string[] = [
  'claimName',
  'volumeName',
  'storageClassName',
  'priorityClassName',
  'runtimeClassName',
  'serviceAccountName',
  'secretName',
];
/** The same with the name within. */
const NAMED_WITHIN = /^(?:configMap|secret)(?:Ref|KeyRef)?$/;

/** Its pods are those of the workload: their names end in an ordinal. */
const ORDINAL = /-\d+$/;

/**
 * Leaves out workloads with all that belongs to them and all that is done to them, then actions, then single objects,
 * in ever smaller parts, until each that is left is needed (Zeller's delta debugging). Which are left follows from the
 * plan alone. What is left keeps the objects that it names, such as claims and their class, and what is tainted is
 * untainted: a plan without them goes wrong by itself.
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
  const withSteps = (kept: readonly Step[]): PlanDocument => ({ ...of, actions: inOrder(kept, of) });
  const fewer = withSteps(await minimal(stepsOf(of), (kept) => tries(withSteps(kept))));
  const withObjects = (kept: readonly PlannedObject[]): PlanDocument => {
    const whole = new Set(withNamed(kept, fewer.workloads));
    return { ...fewer, workloads: fewer.workloads.filter((object) => whole.has(object)) };
  };
  return withObjects(await minimal(fewer.workloads, (kept) => tries(withObjects(kept))));
}

/** Actions that are left out together, or not at all. */
type Step = readonly PlannedAction[];

/** A taint with the action that takes it away; each other action by itself. */
function stepsOf({ actions }: PlanDocument): readonly Step[] {
  const untaints = new Map<string, PlannedAction[]>();
  for (const action of actions) {
    if (action['untaint'] === undefined) continue;
    const key = JSON.stringify(action['untaint']);
    untaints.set(key, [...(untaints.get(key) ?? []), action]);
  }
  const paired = new Set<PlannedAction>();
  const steps = actions.map((action): Step => {
    const untaint = action['taint'] === undefined ? undefined : untaints.get(JSON.stringify(action['taint']))?.shift();
    if (untaint === undefined) return [action];
    paired.add(untaint);
    return [action, untaint];
  });
  return steps.filter(([action]) => action !== undefined && !paired.has(action));
}

/** The actions of steps, as they stand in the plan. */
function inOrder(steps: readonly Step[], { actions }: PlanDocument): readonly PlannedAction[] {
  const kept = new Set(steps.flat());
  return actions.filter((action) => kept.has(action));
}

/** Objects with those that they name, and those that these name. */
function withNamed(kept: readonly PlannedObject[], all: readonly PlannedObject[]): readonly PlannedObject[] {
  const names = new Set(kept.flatMap((object) => [...namesIn(object)]));
  const added = all.filter((object) => !kept.includes(object) && names.has(nameOf(object)));
  return added.length === 0 ? kept : withNamed([...kept, ...added], all);
}

function* namesIn(value: unknown): Iterable<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [field, inner] of Object.entries(value as Readonly<Record<string, unknown>>)) {
    const within = NAMED_WITHIN.test(field) ? (inner as { readonly name?: unknown } | null)?.name : undefined;
    const name = REFERENCES.includes(field) ? inner : within;
    if (typeof name === 'string') yield name;
    yield* namesIn(inner);
  }
}

function nameOf({ metadata }: PlannedObject): string {
  return (metadata as { readonly name?: string } | undefined)?.name ?? '';
}

/** What belongs together has one name, such as a deployment, its budget and its service, or one namespace. */
function familyOf({ metadata }: PlannedObject): string {
  const { name = '', namespace } = (metadata ?? {}) as { readonly name?: string; readonly namespace?: string };
  return namespace === undefined || namespace === 'default' ? name : namespace;
}

/** The plan without the objects of other families that are not named by these, and without what is done to those. */
function withFamilies(plan: PlanDocument, all: readonly string[], chosen: readonly string[]): PlanDocument {
  const own = plan.workloads.filter((object) => chosen.includes(familyOf(object)));
  const kept = new Set([...chosen, ...withNamed(own, plan.workloads).map(familyOf)]);
  const isLeftOut = (name: string | undefined): boolean => name !== undefined && all.includes(name) && !kept.has(name);
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
