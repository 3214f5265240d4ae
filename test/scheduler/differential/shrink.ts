/** Makes a plan that fails smaller, as long as it still fails. */
import type { NodePlan, Operation, Plan, Template } from './operations.js';

/** Plays that a shrink may cost. */
const MAX_PLAYS = 1500;

/** What went wrong in a play; nothing if all was well. */
export type Play = (plan: Plan) => Promise<unknown>;

/** The smallest plan found that fails. A plan that does not fail is given back as it is. */
export async function shrink(plan: Plan, play: Play): Promise<Plan> {
  const budget = { plays: MAX_PLAYS };
  const fails = async (each: Plan): Promise<boolean> => {
    if (budget.plays <= 0) return false;
    budget.plays -= 1;
    return (await play(each)) !== undefined;
  };
  if (!(await fails(plan))) return plan;
  let smaller = await withFewerOperations(plan, fails);
  smaller = await firstThatFails(smaller, [{ ...smaller, configuration: {} }], fails);
  smaller = await withPlainerTemplates(smaller, fails);
  smaller = await withPlainerNodes(smaller, fails);
  return withFewerOperations(smaller, fails);
}

type Fails = (plan: Plan) => Promise<boolean>;

async function firstThatFails(plan: Plan, candidates: readonly Plan[], fails: Fails): Promise<Plan> {
  for (const candidate of candidates) if (await fails(candidate)) return candidate;
  return plan;
}

/** Leaves out stretches of operations, long ones first. */
async function withFewerOperations(plan: Plan, fails: Fails): Promise<Plan> {
  let { operations } = plan;
  for (let length = Math.ceil(operations.length / 2); length >= 1; length = Math.floor(length / 2)) {
    for (let end = operations.length; end > 0; end -= length) {
      const begin = Math.max(0, end - length);
      const left = [...operations.slice(0, begin), ...operations.slice(end)];
      if (await fails({ ...plan, operations: left })) operations = left;
    }
  }
  return { ...plan, operations };
}

/** Leaves out fields of the pods. */
async function withPlainerTemplates(plan: Plan, fails: Fails): Promise<Plan> {
  let smaller = plan;
  const used = new Set(plan.operations.flatMap((each) => ('template' in each ? [each.template] : [])));
  for (const index of used) {
    for (const field of Object.keys(plan.templates[index]?.spec ?? {})) {
      if (field === 'containers') continue;
      const templates = smaller.templates.map((each, at) => (at === index ? withoutSpecField(each, field) : each));
      smaller = await firstThatFails(smaller, [{ ...smaller, templates }], fails);
    }
  }
  return smaller;
}

function withoutSpecField(template: Template, field: string): Template {
  const { [field as 'volumes']: _dropped, ...spec } = template.spec;
  return { ...template, spec };
}

/** Leaves out fields of the nodes, and labels. */
async function withPlainerNodes(plan: Plan, fails: Fails): Promise<Plan> {
  let smaller = plan;
  const tryAll = async (change: (node: NodePlan) => NodePlan): Promise<void> => {
    for (const [index, operation] of smaller.operations.entries()) {
      if (operation.do !== 'addNode') continue;
      const next: Operation = { ...operation, plan: change(operation.plan) };
      const operations = smaller.operations.map((each, at) => (at === index ? next : each));
      smaller = await firstThatFails(smaller, [{ ...smaller, operations }], fails);
    }
  };
  for (const field of ['taints', 'unschedulable', 'images'] as const) {
    await tryAll((node) => {
      const { [field]: _dropped, ...rest } = node;
      return rest;
    });
  }
  for (const label of new Set(
    smaller.operations.flatMap((each) => (each.do === 'addNode' ? Object.keys(each.plan.labels) : [])),
  )) {
    await tryAll((node) => {
      const { [label]: _dropped, ...labels } = node.labels;
      return { ...node, labels };
    });
  }
  return smaller;
}
