/**
 * Plans of random small clusters, with spread constraints, inter-pod affinity, taints, budgets and
 * priorities, and the scenarios they are written down as.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Scenario } from '../../../bench/conformance/recording.js';
import type { core, Pod } from '../../../src/api/objects/objects.js';

export const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';
const MAX_NODES = 6;
const MAX_TEMPLATES = 3;

export interface Machine {
  readonly zone: string | undefined;
  readonly disk: string;
  readonly cores: number;
  readonly memoryGi: number;
  readonly slots: number;
  readonly gpus: number | undefined;
  readonly isTainted: boolean;
  readonly hasImage: boolean;
}

export interface Template {
  readonly app: string;
  readonly milli: number;
  readonly memoryGi: number;
  readonly gpus: number;
  readonly priority: number;
  readonly never: boolean;
  readonly disk: string | undefined;
  readonly tolerates: boolean;
  readonly spread: readonly core.TopologySpreadConstraint[];
  readonly podAffinity: core.PodAffinity | undefined;
  readonly podAntiAffinity: core.PodAntiAffinity | undefined;
}

/** A cluster: pods are indices of templates, their nodes indices of machines, both modulo. */
export interface Plan {
  readonly machines: readonly Machine[];
  readonly templates: readonly Template[];
  readonly bound: readonly (readonly [machine: number, template: number])[];
  readonly pending: readonly number[];
  readonly budgets: readonly { readonly app: string; readonly allowed: number }[];
}

const app = fc.constantFrom('a', 'b');
const disk = fc.constantFrom('hdd', 'ssd');
const topologyKey = fc.constantFrom(ZONE, HOST);
const labelSelector = app.map((name) => ({ matchLabels: { app: name } }));
const policy = fc.constantFrom('Honor', 'Ignore');
const seldom = fc.integer({ min: 0, max: 5 }).map((drawn) => drawn === 0);

const machine: fc.Arbitrary<Machine> = fc.record({
  zone: fc.constantFrom('z1', 'z2', 'z3', undefined),
  disk,
  cores: fc.integer({ min: 1, max: 4 }),
  memoryGi: fc.integer({ min: 1, max: 6 }),
  slots: fc.integer({ min: 1, max: 5 }),
  gpus: fc.constantFrom(undefined, 1, 2),
  isTainted: seldom,
  hasImage: fc.boolean(),
});
const hardConstraint = fc.record(
  {
    topologyKey,
    maxSkew: fc.integer({ min: 1, max: 2 }),
    whenUnsatisfiable: fc.constant('DoNotSchedule'),
    labelSelector,
    minDomains: fc.integer({ min: 1, max: 3 }),
    nodeAffinityPolicy: policy,
    nodeTaintsPolicy: policy,
  },
  { requiredKeys: ['topologyKey', 'maxSkew', 'whenUnsatisfiable', 'labelSelector'] },
);
const softConstraint = fc.record({
  topologyKey,
  maxSkew: fc.integer({ min: 1, max: 2 }),
  whenUnsatisfiable: fc.constant('ScheduleAnyway'),
  labelSelector,
});
const spread = fc.uniqueArray(fc.oneof(hardConstraint, softConstraint), {
  maxLength: 2,
  selector: (constraint) => `${constraint.topologyKey} ${constraint.whenUnsatisfiable}`,
});
const affinityTerm = fc.record({ topologyKey, labelSelector });
const affinity = fc.option(
  fc.record(
    {
      requiredDuringSchedulingIgnoredDuringExecution: fc.array(affinityTerm, { minLength: 1, maxLength: 1 }),
      preferredDuringSchedulingIgnoredDuringExecution: fc.array(
        fc.record({ weight: fc.integer({ min: 1, max: 100 }), podAffinityTerm: affinityTerm }),
        { minLength: 1, maxLength: 2 },
      ),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined, freq: 1 },
);
const requests = {
  app,
  milli: fc.integer({ min: 0, max: 6 }).map((halves) => halves * 500),
  memoryGi: fc.integer({ min: 0, max: 3 }),
  gpus: fc.constantFrom(0, 0, 1),
  priority: fc.integer({ min: -2, max: 3 }),
  never: seldom,
};
/** Pods of every kind. */
export const template: fc.Arbitrary<Template> = fc.record({
  ...requests,
  disk: fc.constantFrom(undefined, undefined, 'hdd', 'ssd'),
  tolerates: fc.boolean(),
  spread,
  podAffinity: affinity,
  podAntiAffinity: affinity,
});
/** Pods for which a node is a matter of room alone. */
export const plainTemplate: fc.Arbitrary<Template> = fc.record({
  ...requests,
  disk: fc.constant(undefined),
  tolerates: fc.constant(true),
  spread: fc.constant([]),
  podAffinity: fc.constant(undefined),
  podAntiAffinity: fc.constant(undefined),
});

/** Clusters; nodes may be fuller than they can be when `bound` has no limit. */
export function plans(of: fc.Arbitrary<Template>, maxBound: number, minPending: number): fc.Arbitrary<Plan> {
  const which = fc.nat(MAX_TEMPLATES - 1);
  return fc.record({
    machines: fc.array(machine, { minLength: 1, maxLength: MAX_NODES }),
    templates: fc.array(of, { minLength: 1, maxLength: MAX_TEMPLATES }),
    bound: fc.array(fc.tuple(fc.nat(MAX_NODES - 1), which), { maxLength: maxBound }),
    pending: fc.array(which, { minLength: minPending, maxLength: 12 }),
    budgets: fc.array(fc.record({ app, allowed: fc.nat(2) }), { maxLength: 1 }),
  });
}

export function at<T>(list: readonly T[], index: number): T {
  const found = list[index % list.length];
  assert(found !== undefined);
  return found;
}

export type NodeNames = (machineIndex: number) => string;
export const IN_ORDER: NodeNames = (index) => `n${index}`;

export function scenarioOf(plan: Plan, nameOf: NodeNames = IN_ORDER): Scenario {
  const { machines, templates, bound, pending, budgets } = plan;
  const pod = (name: string, index: number, more: Partial<Pod['spec']> = {}): ReturnType<typeof podOf> =>
    podOf(name, at(templates, index), more);
  return {
    name: 'random',
    config: { percentageOfNodesToScore: 100 },
    nodes: machines.map((each, index) => nodeOf(nameOf(index), `host-${index}`, each)),
    pods: bound.map(([node, index], number) =>
      pod(`bound-${number}`, index, { nodeName: nameOf(node % machines.length) }),
    ),
    pending: pending.map((index, number) => pod(`pending-${number}`, index)),
    pdbs: budgets.map(({ app: name, allowed }, index) => ({
      metadata: { name: `budget-${index}` },
      spec: { selector: { matchLabels: { app: name } } },
      status: { disruptionsAllowed: allowed },
    })),
  };
}

function nodeOf(name: string, host: string, plan: Machine): NonNullable<Scenario['nodes']>[number] {
  const { zone, cores, memoryGi, slots, gpus, isTainted, hasImage } = plan;
  return {
    metadata: { name, labels: { [HOST]: host, disk: plan.disk, ...(zone === undefined ? {} : { [ZONE]: zone }) } },
    spec: isTainted ? { taints: [{ key: 'only', value: 'some', effect: 'NoSchedule' }] } : {},
    status: {
      allocatable: {
        cpu: String(cores),
        memory: `${memoryGi}Gi`,
        pods: String(slots),
        ...(gpus === undefined ? {} : { 'example.com/gpu': String(gpus) }),
      },
      images: hasImage ? [{ names: ['app:1'], sizeBytes: 400_000_000 }] : [],
    },
  };
}

function podOf(name: string, plan: Template, more: Partial<Pod['spec']>): NonNullable<Scenario['pods']>[number] {
  const { milli, memoryGi, gpus, podAffinity, podAntiAffinity } = plan;
  return {
    metadata: { name, labels: { app: plan.app } },
    spec: {
      containers: [
        {
          name: 'c',
          image: 'app:1',
          resources: {
            requests: {
              ...(milli === 0 ? {} : { cpu: `${milli}m` }),
              ...(memoryGi === 0 ? {} : { memory: `${memoryGi}Gi` }),
              ...(gpus === 0 ? {} : { 'example.com/gpu': String(gpus) }),
            },
          },
        },
      ],
      priority: plan.priority,
      preemptionPolicy: plan.never ? 'Never' : 'PreemptLowerPriority',
      topologySpreadConstraints: [...plan.spread],
      affinity: {
        ...(podAffinity === undefined ? {} : { podAffinity }),
        ...(podAntiAffinity === undefined ? {} : { podAntiAffinity }),
      },
      ...(plan.disk === undefined ? {} : { nodeSelector: { disk: plan.disk } }),
      tolerations: plan.tolerates ? [{ key: 'only', operator: 'Exists' }] : [],
      ...more,
    },
    status: { phase: more.nodeName === undefined ? 'Pending' : 'Running', startTime: '2030-01-01T00:00:00Z' },
  };
}
