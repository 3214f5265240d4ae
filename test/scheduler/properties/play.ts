import assert from 'node:assert/strict';
import { detailsOf, type DecisionDetails } from '../../../bench/conformance/decision-details.js';
import { World, type Forms } from '../../../bench/conformance/world.js';
import type { Pod } from '../../../src/api/objects/objects.js';
import { fitErrorText } from '../../../src/scheduler/cycle/attempt/node-statuses.js';
import type { PostFilterResult } from '../../../src/scheduler/framework/interface.js';
import type { PreemptionReport } from '../../../src/scheduler/preemption/preemption-report.js';
import { lowerNominations } from '../../../src/scheduler/preemption/victim-removal.js';
import { at, IN_ORDER, scenarioOf, type NodeNames, type Plan, type Template } from './random-plan.js';

/** One attempt with all that came of it. */
export interface Step {
  readonly pod: Pod;
  readonly template: Template;
  readonly details: DecisionDetails;
  readonly postFilter: PostFilterResult | undefined;
  readonly report: PreemptionReport | undefined;
  readonly message: string;
}

/** Decides the pods of a plan in order and does as decided; a pod that made room is tried again at the end. */
export class Play {
  readonly world: World;
  /** Pods on nodes by name: index of the machine and template. */
  readonly placed = new Map<string, { readonly machine: number; readonly template: Template }>();
  readonly #machines: ReadonlyMap<string, number>;

  constructor(
    readonly plan: Plan,
    forms: Forms = {},
    readonly nameOf: NodeNames = IN_ORDER,
  ) {
    this.world = new World(scenarioOf(plan, nameOf), forms);
    this.#machines = new Map(plan.machines.map((_machine, index) => [nameOf(index), index]));
    plan.bound.forEach(([node, index], number) => {
      this.placed.set(`bound-${number}`, {
        machine: node % plan.machines.length,
        template: at(plan.templates, index),
      });
    });
  }

  machineOf(nodeName: string): number {
    const index = this.#machines.get(nodeName);
    assert(index !== undefined);
    return index;
  }

  attempt(name: string): Step {
    const { world, plan } = this;
    const attempt = world.attempt(name);
    const { pod, decision } = attempt;
    const details = detailsOf(world, decision);
    const postFilter = world.postFilter(attempt);
    if (decision.kind === 'placed') assert.equal(world.reserve(attempt, decision.nodeName), undefined);
    const message = decision.kind === 'unfit' ? fitErrorText(decision.diagnosis, world.snapshot.size) : '';
    const index = plan.pending[Number(name.slice('pending-'.length))] ?? 0;
    return { pod, template: at(plan.templates, index), details, postFilter, report: world.preemption, message };
  }

  /** Says whether the pod deserves another attempt; `target` is a machine. */
  follow(step: Step, target: number | undefined, victims: readonly string[]): boolean {
    const { world } = this;
    const nodeName = target === undefined ? '' : this.nameOf(target);
    if (step.details.decision.kind === 'placed' && target !== undefined) {
      world.place(step.pod, nodeName, '2030-01-01T00:01:00Z');
      this.placed.set(step.pod.metadata.name, { machine: target, template: step.template });
      return false;
    }
    for (const victim of victims) {
      world.remove(victim);
      this.placed.delete(victim);
    }
    if (target !== undefined) {
      for (const lower of lowerNominations(world.nominations, step.pod, nodeName)) world.renominate(lower, '');
      world.renominate(step.pod, nodeName);
    } else if (step.postFilter?.nominatedNodeName === '') world.renominate(step.pod, '');
    return target !== undefined;
  }

  /** Where the step leads by itself. */
  outcomeOf({ details: { decision }, report }: Step): readonly [number | undefined, readonly string[]] {
    if (decision.kind === 'placed') return [this.machineOf(decision.nodeName), []];
    if (report?.picked === undefined) return [undefined, []];
    const { nodeName, victims } = report.picked.candidate;
    return [this.machineOf(nodeName), victims.map(({ metadata }) => metadata.name)];
  }

  /** `look` is called before anything is done about a step. */
  run(look: (step: Step, target: number | undefined) => void): void {
    const queue = this.plan.pending.map((_template, index) => `pending-${index}`);
    let retries = queue.length;
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      const step = this.attempt(name);
      const [target, victims] = this.outcomeOf(step);
      look(step, target);
      retries -= 1;
      if (this.follow(step, target, victims) && retries > -this.plan.pending.length) queue.push(name);
    }
  }
}
