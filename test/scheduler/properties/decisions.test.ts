/**
 * What holds for every decision of the whole default profile, over random small clusters. What is
 * expected is computed from the plan of the cluster, not by anything of the scheduler.
 */
import assert from 'node:assert/strict';
import test from 'ava';
import fc from 'fast-check';
import type { core } from '../../../src/api/objects/objects.js';
import { codeName, type Status } from '../../../src/scheduler/framework/status.js';
import { Play, type Step } from './play.js';
import { plainTemplate, plans, template, ZONE, type Machine, type Plan, type Template } from './random-plan.js';

const SEED = 20_340;

/** Deterministic; prints the smallest counterexample. */
function holds(numRuns: number, of: fc.Arbitrary<Plan>, property: (plan: Plan) => void): void {
  fc.assert(fc.property(of, property), { seed: SEED, numRuns });
}

function plainStatus({ plugin, code, reasons }: Status): unknown {
  return { plugin, code: codeName(code), reasons: [...reasons].sort() };
}

function sortedBy<T>(entries: Iterable<readonly [string, T]>): [string, T][] {
  return [...entries].map(([name, value]): [string, T] => [name, value]).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Everything about a step that no tie decides, by machine. */
function factsOf(play: Play, { details, report, message, postFilter }: Step): unknown {
  const { decision, feasible, rejected, raw, normalized, totals, best } = details;
  const machine = (name: string): string => String(play.machineOf(name));
  const byMachine = (scores: Readonly<Record<string, number>>): unknown =>
    sortedBy(Object.entries(scores).map(([name, score]) => [machine(name), score] as const));
  const byPlugin = (scores: Readonly<Record<string, Readonly<Record<string, number>>>>): unknown =>
    Object.entries(scores).map(([plugin, each]) => [plugin, byMachine(each)]);
  const picked = report?.picked;
  return {
    kind: decision.kind,
    feasible: feasible.map(machine).sort(),
    rejected: sortedBy([...rejected].map(([name, status]) => [machine(name), plainStatus(status)])),
    raw: byPlugin(raw),
    normalized: byPlugin(normalized),
    totals: byMachine(totals),
    best: best.map(machine).sort(),
    message,
    postFilter: postFilter?.status === undefined ? undefined : plainStatus(postFilter.status),
    outcome: report?.outcome,
    candidates: sortedBy(
      (report?.candidates ?? []).map(({ nodeName, victims, violations }) => [
        machine(nodeName),
        [violations, ...victims.map(({ metadata }) => metadata.name)],
      ]),
    ),
    picked:
      picked === undefined || picked.ties.length > 0
        ? picked?.ties.map(machine).sort()
        : machine(picked.candidate.nodeName),
  };
}

/** Everything about a step, including what chance decided. */
function wholeOf(play: Play, step: Step): unknown {
  const { decision, feasible } = step.details;
  const chance =
    decision.kind === 'placed' ? { ...decision, diagnosis: undefined } : { kind: decision.kind, diagnosis: undefined };
  return { facts: factsOf(play, step), chance, feasible, picked: step.report?.picked?.candidate.nodeName };
}

/** Lets `second` follow `first` through all pods and compares what they say. */
function compare(first: Play, second: Play, of: (play: Play, step: Step) => unknown): void {
  first.run((step, target) => {
    const other = second.attempt(step.pod.metadata.name);
    assert.deepStrictEqual(of(second, other), of(first, step));
    second.follow(other, target, first.outcomeOf(step)[1]);
  });
}

test('decision › the order of the nodes changes no verdict, score or candidate, only the choice among the best', (t) => {
  holds(80, plans(template, 10, 1), (plan) => {
    const last = plan.machines.length - 1;
    compare(new Play(plan), new Play(plan, {}, (index) => `n${last - index}`), factsOf);
    const mixed = new Play(plan, {}, (index) => `n${(index * 5 + 3) % 7}`);
    mixed.world.start.index = 2;
    compare(new Play(plan), mixed, factsOf);
  });
  t.pass();
});

test('decision › the column forms of the plugins decide as their plain forms do', (t) => {
  holds(150, plans(template, 10, 4), (plan) => {
    compare(new Play(plan, { isEager: true }), new Play(plan, { isPlain: true }), wholeOf);
  });
  t.pass();
});

type Load = Pick<Template, 'milli' | 'memoryGi' | 'gpus'> & { readonly pods: number };

function loadOf(play: Play, machine: number): Load {
  const load = { milli: 0, memoryGi: 0, gpus: 0, pods: 0 };
  for (const pod of play.placed.values()) {
    if (pod.machine !== machine) continue;
    load.milli += pod.template.milli;
    load.memoryGi += pod.template.memoryGi;
    load.gpus += pod.template.gpus;
    load.pods += 1;
  }
  return load;
}

function hasRoom({ cores, memoryGi, gpus = 0, slots }: Machine, load: Load, pod?: Template): boolean {
  return (
    load.milli + (pod?.milli ?? 0) <= cores * 1000 &&
    load.memoryGi + (pod?.memoryGi ?? 0) <= memoryGi &&
    load.gpus + (pod?.gpus ?? 0) <= gpus &&
    load.pods + (pod === undefined ? 0 : 1) <= slots
  );
}

test('decision › no sequence of placements and preemptions asks more of a node than it has', (t) => {
  let placements = 0;
  holds(150, plans(template, 0, 6), (plan) => {
    const play = new Play(plan);
    play.run(() => {
      plan.machines.forEach((machine, index) => assert(hasRoom(machine, loadOf(play, index))));
    });
    plan.machines.forEach((machine, index) => assert(hasRoom(machine, loadOf(play, index))));
    placements += play.placed.size;
  });
  t.true(placements > 300, `only ${placements} placements`);
});

test('preemption › takes only less important pods, and none while the pod has room anywhere', (t) => {
  let preemptions = 0;
  holds(200, plans(plainTemplate, 0, 6), (plan) => {
    const play = new Play(plan);
    play.run(({ template: pod, report, details }) => {
      const isFree = (machine: Machine, index: number): boolean => hasRoom(machine, loadOf(play, index), pod);
      // Room that is kept for nominated pods counts as taken: then there may be room and no placement.
      if (!plan.machines.some(isFree)) assert.notEqual(details.decision.kind, 'placed');
      if (play.world.nominations.nominatedCount === 0 && plan.machines.some(isFree)) {
        assert.equal(details.decision.kind, 'placed');
        assert.equal(report, undefined);
      }
      for (const { nodeName, victims } of report?.candidates ?? []) {
        assert(victims.length > 0 && victims.every(({ spec }) => (spec.priority ?? 0) < pod.priority));
        assert(victims.every(({ spec }) => spec.nodeName === nodeName));
      }
      if (report?.picked !== undefined) preemptions += 1;
    });
  });
  t.true(preemptions > 30, `only ${preemptions} preemptions`);
});

test('preemption › takes only less important pods whatever else the pods ask for', (t) => {
  let preemptions = 0;
  holds(250, plans(template, 10, 4), (plan) => {
    new Play(plan).run(({ template: pod, report, details: { decision, feasible } }) => {
      if (report === undefined) return;
      assert.equal(decision.kind, 'unfit');
      assert.deepEqual(feasible, []);
      for (const { victims } of report.candidates) {
        assert(victims.length > 0 && victims.every(({ spec }) => (spec.priority ?? 0) < pod.priority));
      }
      if (report.picked !== undefined) preemptions += 1;
    });
  });
  t.true(preemptions > 30, `only ${preemptions} preemptions`);
});

test('preemption › a pod with preemptionPolicy Never nominates no node and takes no pod', (t) => {
  const allNever = plans(template, 10, 4).map((plan) => ({
    ...plan,
    templates: plan.templates.map((each) => ({ ...each, never: true })),
  }));
  let refusals = 0;
  holds(100, allNever, (plan) => {
    new Play(plan).run(({ report, postFilter, details: { decision } }) => {
      if (decision.kind !== 'unfit') return;
      assert.equal(postFilter?.nominatedNodeName ?? '', '');
      assert.deepEqual(report?.candidates ?? [], []);
      assert.equal(report?.picked, undefined);
      if (report?.outcome === 'ineligible') refusals += 1;
    });
  });
  t.true(refusals > 30, `only ${refusals} refusals`);
});

/** The value of a machine's label that a constraint is about. */
function domainOf({ topologyKey }: core.TopologySpreadConstraint, machine: Machine, index: number): string | undefined {
  return topologyKey === ZONE ? machine.zone : `host-${index}`;
}

/** The most that a domain is ahead of the emptiest one; domains that are missing count as empty. */
function skewOf(play: Play, pod: Template, constraint: core.TopologySpreadConstraint): number {
  const { machines } = play.plan;
  const hard = pod.spread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');
  const isEligible = (machine: Machine, index: number): boolean =>
    hard.every((each) => domainOf(each, machine, index) !== undefined) &&
    (constraint.nodeAffinityPolicy === 'Ignore' || pod.disk === undefined || machine.disk === pod.disk) &&
    (constraint.nodeTaintsPolicy !== 'Honor' || !machine.isTainted || pod.tolerates);
  const counts = new Map<string, number>();
  machines.forEach((machine, index) => {
    const domain = domainOf(constraint, machine, index);
    if (domain === undefined || !isEligible(machine, index)) return;
    const matching = [...play.placed.values()].filter(
      (each) => each.machine === index && each.template.app === constraint.labelSelector?.matchLabels?.['app'],
    );
    counts.set(domain, (counts.get(domain) ?? 0) + matching.length);
  });
  const emptiest = counts.size < (constraint.minDomains ?? 1) ? 0 : Math.min(...counts.values());
  return Math.max(...counts.values()) - emptiest;
}

test('PodTopologySpread › a placement never takes the skew of a hard constraint past maxSkew, nor further past it', (t) => {
  let constrained = 0;
  holds(500, plans(template, 6, 6), (plan) => {
    const play = new Play(plan);
    let check: (() => void) | undefined;
    play.run((step, target) => {
      check?.();
      check = undefined;
      if (step.details.decision.kind !== 'placed' || target === undefined) return;
      const hard = step.template.spread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');
      const before = hard.map((constraint) => skewOf(play, step.template, constraint));
      check = () => {
        hard.forEach((constraint, index) => {
          const allowed = Math.max(constraint.maxSkew, before[index] ?? 0);
          assert(skewOf(play, step.template, constraint) <= allowed);
          constrained += 1;
        });
      };
    });
    check?.();
  });
  t.true(constrained > 200, `only ${constrained} placements under a constraint`);
});
