import test from 'ava';
import type { Pod } from '../../../src/api/objects/objects.js';
import type { PodMetrics } from '../../../src/controllers/horizontal-pod-autoscaler/pod-groups.js';
import {
  replicasForShare,
  replicasForUsage,
  replicasForUtilization,
  replicasForValue,
  type Proposal,
  type Situation,
} from '../../../src/controllers/horizontal-pod-autoscaler/replica-arithmetic.js';
import { SelectedPods } from '../../../src/controllers/horizontal-pod-autoscaler/selected-pods.js';
import { NOT_MEASURED, type UsageReading } from '../../../src/controllers/runtime/usage-reading.js';
import { parseLabelSelector } from '../../../src/api/selectors/labels.js';
import { createKernel } from '../../../src/kernel/engine/kernel.js';

/** Facts of upstream's replica_calculator_test.go (v1.34): what comes in, and what comes out. */
interface Case {
  readonly current: number;
  readonly expected: number;
  /** Of each pod `y` or `n`; ready unless said otherwise. */
  readonly ready?: string;
  /** Whether it was started within the initialization period of CPU; absent = at the beginning of time. */
  readonly young?: string;
  /** Of each pod the first letter of its phase. */
  readonly phase?: string;
  readonly leaving?: string;
  /** How many there are. @defaultValue those that the scale asks for */
  readonly pods?: number;
  /** Of each pod that has a metric, in thousandths; of a resource it is that of each of two containers. */
  readonly levels: readonly number[];
  readonly usage: number;
}

/** A target in percent of what is requested. */
interface ResourceCase extends Case {
  readonly requests: readonly number[];
  readonly percent: number;
  readonly utilization: number;
}

/** A target in amounts. */
interface ValueCase extends Case {
  readonly target: number;
  readonly of: 'pods' | 'value' | 'share';
  /** Tolerance of scaling up. */
  readonly up?: number;
}

const RESOURCE_CASES: Readonly<Record<string, ResourceCase>> = {
  'scale up': {
    current: 3,
    expected: 5,
    requests: [1000, 1000, 1000],
    levels: [300, 500, 700],
    percent: 30,
    utilization: 50,
    usage: 1000,
  },
  'scale up unready less scale': {
    current: 3,
    expected: 4,
    ready: 'nyy',
    requests: [1000, 1000, 1000],
    levels: [300, 500, 700],
    percent: 30,
    utilization: 60,
    usage: 1200,
  },
  'scale up hot cpu less scale': {
    current: 3,
    expected: 4,
    young: 'ynn',
    requests: [1000, 1000, 1000],
    levels: [300, 500, 700],
    percent: 30,
    utilization: 60,
    usage: 1200,
  },
  'scale up unready no scale': {
    current: 3,
    expected: 3,
    ready: 'ynn',
    requests: [1000, 1000, 1000],
    levels: [400, 500, 700],
    percent: 30,
    utilization: 40,
    usage: 800,
  },
  'scale hot cpu no scale': {
    current: 3,
    expected: 3,
    ready: 'ynn',
    young: 'nyy',
    requests: [1000, 1000, 1000],
    levels: [400, 500, 700],
    percent: 30,
    utilization: 40,
    usage: 800,
  },
  'scale up ignores failed pods': {
    current: 2,
    expected: 4,
    ready: 'yynn',
    phase: 'RRFF',
    pods: 4,
    requests: [1000, 1000, 1000, 1000],
    levels: [500, 700],
    percent: 30,
    utilization: 60,
    usage: 1200,
  },
  'scale up ignores deletion pods': {
    current: 2,
    expected: 4,
    ready: 'yynn',
    pods: 4,
    leaving: 'nnyy',
    requests: [1000, 1000, 1000, 1000],
    levels: [500, 700],
    percent: 30,
    utilization: 60,
    usage: 1200,
  },
  'scale down': {
    current: 5,
    expected: 3,
    requests: [1000, 1000, 1000, 1000, 1000],
    levels: [100, 300, 500, 250, 250],
    percent: 50,
    utilization: 28,
    usage: 560,
  },
  'scale down exclude unready pods': {
    current: 5,
    expected: 2,
    ready: 'yyynn',
    requests: [1000, 1000, 1000, 1000, 1000],
    levels: [100, 300, 500, 250, 250],
    percent: 50,
    utilization: 30,
    usage: 600,
  },
  'scale down exclude unscheduled pods': {
    current: 5,
    expected: 1,
    ready: 'ynnnn',
    phase: 'RPPPP',
    pods: 5,
    requests: [1000, 1000, 1000, 1000, 1000],
    levels: [100],
    percent: 50,
    utilization: 10,
    usage: 200,
  },
  'scale down ignore hot cpu pods': {
    current: 5,
    expected: 2,
    young: 'nnnyy',
    requests: [1000, 1000, 1000, 1000, 1000],
    levels: [100, 300, 500, 250, 250],
    percent: 50,
    utilization: 30,
    usage: 600,
  },
  'scale down ignores failed pods': {
    current: 5,
    expected: 3,
    ready: 'yyyyynn',
    phase: 'RRRRRFF',
    pods: 7,
    requests: [1000, 1000, 1000, 1000, 1000, 1000, 1000],
    levels: [100, 300, 500, 250, 250],
    percent: 50,
    utilization: 28,
    usage: 560,
  },
  'scale down ignores deletion pods': {
    current: 5,
    expected: 3,
    ready: 'yyyyynn',
    pods: 7,
    leaving: 'nnnnnyy',
    requests: [1000, 1000, 1000, 1000, 1000, 1000, 1000],
    levels: [100, 300, 500, 250, 250],
    percent: 50,
    utilization: 28,
    usage: 560,
  },
  tolerance: {
    current: 3,
    expected: 3,
    requests: [900, 1000, 1100],
    levels: [1010, 1030, 1020],
    percent: 100,
    utilization: 102,
    usage: 2040,
  },
  'superfluous metrics': {
    current: 4,
    expected: 24,
    requests: [1000, 1000, 1000, 1000],
    levels: [4000, 9500, 3000, 7000, 3200, 2000],
    percent: 100,
    utilization: 587,
    usage: 11750,
  },
  'missing metrics': {
    current: 4,
    expected: 3,
    requests: [1000, 1000, 1000, 1000],
    levels: [400, 95],
    percent: 100,
    utilization: 24,
    usage: 495,
  },
  'missing metrics no change eq': {
    current: 2,
    expected: 2,
    requests: [1000, 1000],
    levels: [1000],
    percent: 100,
    utilization: 100,
    usage: 2000,
  },
  'missing metrics no change gt': {
    current: 2,
    expected: 2,
    requests: [1000, 1000],
    levels: [1900],
    percent: 100,
    utilization: 190,
    usage: 3800,
  },
  'missing metrics no change lt': {
    current: 2,
    expected: 2,
    requests: [1000, 1000],
    levels: [600],
    percent: 100,
    utilization: 60,
    usage: 1200,
  },
  'missing metrics unready change': {
    current: 3,
    expected: 3,
    ready: 'nyy',
    requests: [1000, 1000, 1000],
    levels: [100, 450],
    percent: 50,
    utilization: 45,
    usage: 900,
  },
  'missing metrics hot cpu no change': {
    current: 3,
    expected: 3,
    young: 'ynn',
    requests: [1000, 1000, 1000],
    levels: [100, 450],
    percent: 50,
    utilization: 45,
    usage: 900,
  },
  'missing metrics unready scale up': {
    current: 3,
    expected: 4,
    ready: 'nyy',
    requests: [1000, 1000, 1000],
    levels: [100, 2000],
    percent: 50,
    utilization: 200,
    usage: 4000,
  },
  'missing metrics hot cpu scale up': {
    current: 3,
    expected: 4,
    ready: 'nyy',
    young: 'ynn',
    requests: [1000, 1000, 1000],
    levels: [100, 2000],
    percent: 50,
    utilization: 200,
    usage: 4000,
  },
  'missing metrics unready scale down': {
    current: 4,
    expected: 3,
    ready: 'nyyy',
    requests: [1000, 1000, 1000, 1000],
    levels: [100, 100, 100],
    percent: 50,
    utilization: 10,
    usage: 200,
  },
  'missing metrics scale down target over 100': {
    current: 4,
    expected: 2,
    ready: 'nyyy',
    requests: [1000, 1000, 2000, 2000],
    levels: [200, 100, 100],
    percent: 300,
    utilization: 6,
    usage: 200,
  },
  'during rolling update with max surge': {
    current: 2,
    expected: 2,
    pods: 3,
    requests: [1000, 1000, 1000],
    levels: [100, 100],
    percent: 50,
    utilization: 10,
    usage: 200,
  },
};

const VALUE_CASES: Readonly<Record<string, ValueCase>> = {
  'scale up value': { current: 3, expected: 4, levels: [20000, 10000, 30000], target: 15000, usage: 20000, of: 'pods' },
  'scale up value unready hot cpu no less scale': {
    current: 3,
    expected: 6,
    ready: 'yyn',
    young: 'nny',
    levels: [50000, 10000, 30000],
    target: 15000,
    usage: 30000,
    of: 'pods',
  },
  'scale up value unready hot cpu scale would scale down': {
    current: 3,
    expected: 7,
    ready: 'nyn',
    young: 'yny',
    levels: [50000, 15000, 30000],
    target: 15000,
    usage: 31666,
    of: 'pods',
  },
  'scale up value object': { current: 3, expected: 4, levels: [20000], target: 15000, usage: 20000, of: 'value' },
  'scale up value per pod object': { current: 3, expected: 4, levels: [20000], target: 5000, usage: 6667, of: 'share' },
  'scale up value object ignores unready pods': {
    current: 3,
    expected: 5,
    ready: 'nyn',
    levels: [50000],
    target: 10000,
    usage: 50000,
    of: 'value',
  },
  'scale up value external': { current: 1, expected: 2, levels: [8600], target: 4400, usage: 8600, of: 'pods' },
  'scale up value external ignores unready pods': {
    current: 3,
    expected: 2,
    ready: 'nyn',
    levels: [8600],
    target: 4400,
    usage: 8600,
    of: 'value',
  },
  'scale up value external no labels': {
    current: 1,
    expected: 2,
    levels: [8600],
    target: 4400,
    usage: 8600,
    of: 'pods',
  },
  'scale up per pod value external': {
    current: 3,
    expected: 4,
    levels: [8600],
    target: 2150,
    usage: 2867,
    of: 'share',
  },
  'scale down value': {
    current: 5,
    expected: 3,
    levels: [12000, 12000, 12000, 12000, 12000],
    target: 20000,
    usage: 12000,
    of: 'pods',
  },
  'scale down per pod value object': {
    current: 5,
    expected: 3,
    levels: [6000],
    target: 2000,
    usage: 1200,
    of: 'share',
  },
  'scale down value object': { current: 5, expected: 3, levels: [12000], target: 20000, usage: 12000, of: 'value' },
  'scale down value external': { current: 5, expected: 3, levels: [8600], target: 14334, usage: 8600, of: 'value' },
  'scale down per pod value external': {
    current: 5,
    expected: 3,
    levels: [8600],
    target: 2867,
    usage: 1720,
    of: 'share',
  },
  'tolerance value': {
    current: 3,
    expected: 3,
    levels: [20000, 21000, 21000],
    target: 20000,
    usage: 20666,
    of: 'pods',
  },
  'tolerance value object': { current: 3, expected: 3, levels: [20666], target: 20000, usage: 20666, of: 'value' },
  'tolerance per pod value object': {
    current: 4,
    expected: 4,
    levels: [20166],
    target: 5000,
    usage: 5042,
    of: 'share',
  },
  'tolerance value external': { current: 3, expected: 3, levels: [8600], target: 8888, usage: 8600, of: 'value' },
  'tolerance per pod value external': {
    current: 3,
    expected: 3,
    levels: [8600],
    target: 2900,
    usage: 2867,
    of: 'share',
  },
  'configurable tolerance value': {
    current: 3,
    expected: 4,
    levels: [20000, 21000, 21000],
    target: 20000,
    usage: 20666,
    up: 0.01,
    of: 'pods',
  },
  'configurable tolerance value object': {
    current: 3,
    expected: 4,
    levels: [20666],
    target: 20000,
    usage: 20666,
    up: 0.01,
    of: 'value',
  },
  'configurable tolerance per pod value object': {
    current: 4,
    expected: 5,
    levels: [20208],
    target: 5000,
    usage: 5052,
    up: 0.01,
    of: 'share',
  },
  'configurable tolerance value external': {
    current: 3,
    expected: 4,
    levels: [8900],
    target: 8800,
    usage: 8900,
    up: 0.01,
    of: 'value',
  },
  'configurable tolerance per pod value external': {
    current: 3,
    expected: 4,
    levels: [8600],
    target: 2800,
    usage: 2867,
    up: 0.01,
    of: 'share',
  },
  'during rolling update with max surge value': {
    current: 2,
    expected: 2,
    pods: 3,
    levels: [10000, 10000],
    target: 17000,
    usage: 10000,
    of: 'pods',
  },
};

const { timestamps } = createKernel({ seed: 'autoscaler' });
const NOW_MS = 1_000_000_000;
const PERIODS = { cpuInitializationMs: 120_000, initialReadinessMs: 10_000 };
const PHASES: Readonly<Record<string, string>> = { R: 'Running', F: 'Failed', P: 'Pending' };

function podsOf(given: Case, requests: readonly number[] = []): readonly Pod[] {
  const { current, pods = Math.max(current, given.phase?.length ?? 0), ready, young, phase, leaving } = given;
  return Array.from({ length: pods }, (_, index) => {
    const startedMs = young === undefined ? 0 : NOW_MS - (young[index] === 'y' ? 60_000 : 180_000);
    const resources = { requests: { cpu: `${requests[index]}m` } };
    return {
      metadata: {
        name: `pod-${index}`,
        ...(leaving?.[index] === 'y' ? { deletionTimestamp: timestamps.toTime(NOW_MS) } : {}),
      },
      spec: {
        containers: [
          { name: 'a', resources },
          { name: 'b', resources },
        ],
      },
      status: {
        phase: PHASES[phase?.[index] ?? 'R'],
        startTime: timestamps.toTime(startedMs),
        conditions: [
          {
            type: 'Ready',
            status: ready?.[index] === 'n' ? 'False' : 'True',
            lastTransitionTime: timestamps.toTime(0),
          },
        ],
      },
    } as unknown as Pod;
  });
}

function metricsOf({ levels }: Case, times: number): PodMetrics {
  const at = { atMs: 0, windowMs: 60_000 };
  return new Map(levels.map((level, index) => [`pod-${index}`, { valueMillis: level * times, ...at }]));
}

function situation(given: Case, pods: readonly Pod[], up = 0.1): Situation {
  return {
    currentReplicas: given.current,
    tolerances: { scaleDown: 0.1, scaleUp: up },
    pods,
    periods: PERIODS,
    present: { nowMs: NOW_MS, timestamps },
  };
}

/** The same as the controller has it: pods and metrics in columns. */
function inColumns(pods: readonly Pod[], metrics: PodMetrics): { columns: SelectedPods; reading: UsageReading } {
  const columns = new SelectedPods(parseLabelSelector(''), (text) => timestamps.toMs(text));
  for (const pod of pods) columns.put(pod);
  const rows = [...metrics].reverse();
  const names = [undefined, ...rows.map(([name]) => name)];
  const values = new Float64Array([NOT_MEASURED, ...rows.map(([, { valueMillis }]) => valueMillis)]);
  const sum = rows.reduce((total, [, { valueMillis }]) => total + valueMillis, 0);
  const [, first] = rows[0] ?? [];
  const { atMs = 0, windowMs = 0 } = first ?? {};
  const rowOf = (pod: string): number | undefined => {
    const row = names.indexOf(pod);
    return row < 0 ? undefined : row;
  };
  return {
    columns,
    reading: { atMs, windowMs, pods: names, values, measured: rows.length, count: rows.length, sum, rowOf },
  };
}

for (const [name, given] of Object.entries(RESOURCE_CASES)) {
  test(`replicas of a resource, in columns › ${name}`, (t) => {
    const { percent, requests, utilization, usage, expected } = given;
    const pods = podsOf(given, requests);
    const { columns, reading } = inColumns(pods, metricsOf(given, 2));
    const target = { percent, resource: 'cpu', container: undefined };
    const proposal = replicasForUtilization({ ...situation(given, pods), columns }, reading, target);
    t.deepEqual(proposal, { replicas: expected, utilization, usageMillis: usage });
  });

  test(`replicas of a resource › ${name}`, (t) => {
    const { percent, requests, utilization, usage, expected } = given;
    const target = { percent, resource: 'cpu', container: undefined };
    const proposal = replicasForUtilization(situation(given, podsOf(given, requests)), metricsOf(given, 2), target);
    t.deepEqual(proposal, { replicas: expected, utilization, usageMillis: usage });
  });
}

for (const [name, given] of Object.entries(VALUE_CASES)) {
  test(`replicas of a value › ${name}`, (t) => {
    const { target, usage, expected, of, up, levels, current } = given;
    const seen = situation(given, podsOf(given), up);
    const [value = 0] = levels;
    const proposal =
      of === 'pods'
        ? replicasForUsage(seen, metricsOf(given, 1), { millis: target })
        : of === 'value'
          ? replicasForValue(seen, value, target)
          : replicasForShare(
              seen.tolerances,
              current,
              { usageMillis: value, isExternal: name.includes('external') },
              target,
            );
    t.deepEqual(proposal, { replicas: expected, usageMillis: usage });
  });
}

test('replicas › of pods that are not there, unready or without a request there is nothing to work out', (t) => {
  const given: Case = { current: 1, expected: 1, levels: [100], usage: 0 };
  const target = { percent: 50, resource: 'cpu', container: undefined };
  const [pod] = podsOf(given, [100]);
  const other = new Map([['other', { valueMillis: 100, atMs: 0, windowMs: 0 }]]);
  const told = (pods: readonly Pod[], metrics: PodMetrics): string | undefined =>
    t.throws(() => replicasForUtilization(situation(given, pods), metrics, target))?.message;
  t.is(told([], other), 'no pods returned by selector while calculating replica count');
  t.is(told(podsOf(given, [100]), other), 'no metrics returned matched known pods');
  const unready = podsOf({ ...given, ready: 'n' }, [100]);
  t.is(told(unready, metricsOf(given, 1)), 'did not receive metrics for targeted pods (pods might be unready)');
  const bare = { ...pod, spec: { containers: [{ name: 'a' }] } } as unknown as Pod;
  t.is(told([bare], metricsOf(given, 1)), 'missing request for cpu in container a of Pod pod-0');
});

test('replicas › what no int32 and no int64 holds comes to the least one, as in upstream on amd64', (t) => {
  const given: Case = { current: 2, expected: 2, levels: [100, 100], usage: 0 };
  const seen = situation(given, podsOf(given, [100, 100]));
  const huge = 2_147_483_648_000;
  t.is(replicasForValue(seen, huge, 250).replicas, -2_147_483_648);
  const share = (present: number, usageMillis: number, isExternal = false): Proposal =>
    replicasForShare(seen.tolerances, present, { usageMillis, isExternal }, 250);
  t.is(share(2, huge).replicas, -2_147_483_648);
  t.is(share(2, huge, true).replicas, 2_147_483_647);
  t.deepEqual(share(0, 1250), { replicas: 5, usageMillis: -(2 ** 63) });
  t.deepEqual(share(0, 0), { replicas: 0, usageMillis: -(2 ** 63) });
});
