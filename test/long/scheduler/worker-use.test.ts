import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import type { Pod } from '../../../src/api/objects/objects.js';
import type { SchedulerOptions } from '../../../src/scheduler/scheduler.js';
import { testNode, testPod } from '../../scheduler/support/objects.js';
import { createScheduledCluster, type ScheduledCluster } from '../../scheduler/support/scheduled-cluster.js';

const NODES = 200;
/** Pods that are created together. */
const WAVE = 64 * 12;
/** There is room for so many. */
const MAX_WAVES = 6;
/** Real milliseconds in which a thread starts, on a host that has other things to do. */
const THREADS_START_MS = 2000;

/** No two pods are alike; some have node affinity, and some look at other pods. */
function podOf(index: number): Pod {
  const zone = { key: 'topology.kubernetes.io/zone', operator: 'In', values: [`z${index % 3}`, 'z9'] };
  const spread = {
    maxSkew: 3,
    topologyKey: 'topology.kubernetes.io/zone',
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: { app: 'spread' } },
  } as const;
  return testPod(`p${index}`, {
    requests: { cpu: `${10 + (index % 89)}m`, memory: `${16 + index}Ki` },
    ...(index % 7 === 0 ? { labels: { app: 'spread' } } : {}),
    spec: {
      ...(index % 7 === 0 ? { topologySpreadConstraints: [spread] } : {}),
      ...(index % 3 === 0
        ? {
            affinity: {
              nodeAffinity: {
                preferredDuringSchedulingIgnoredDuringExecution: [
                  { weight: 1 + (index % 9), preference: { matchExpressions: [zone] } },
                ],
              },
            },
          }
        : {}),
      ...(index % 5 === 0 ? { tolerations: [{ key: 'odd', operator: 'Exists' }] } : {}),
    },
  });
}

function addNode(cluster: ScheduledCluster, index: number): void {
  const taints = index % 4 === 0 ? [{ key: 'odd', value: `${index % 8}`, effect: 'NoSchedule' }] : [];
  const allocatable = { cpu: `${2 + (index % 3)}`, memory: '4Gi', pods: '40' };
  cluster.create(testNode(`n${index}`, { zone: `z${index % 3}`, allocatable, taints }));
}

/** Nodes come, go and change while pods of the next ticks are with the workers. */
function disturb({ server, kernel }: ScheduledCluster): void {
  for (let step = 0; step < 40; step += 1) {
    kernel.clock.schedule(step, () => {
      const name = `n${(step * 13) % NODES}`;
      server.change('Node', { name }, (node) => ({
        ...node,
        metadata: { ...node.metadata, labels: { ...node.metadata.labels, step: `${step}` } },
        spec: step % 3 === 0 ? { ...node.spec, unschedulable: true } : node.spec,
      }));
    });
  }
}

interface Outcome {
  readonly waves: number;
  readonly hash: string;
  readonly placements: Record<string, string>;
  readonly judgedAhead: number;
}

/** @param waves - so many; absent = until the workers have come in */
async function run(options: SchedulerOptions, waves?: number): Promise<Outcome> {
  // Time in which shapes that workers have judged are cheap.
  let nowMs = 0;
  let seen = 0;
  const hostTime = (): number => {
    const { judgedAhead } = cluster.scheduler.stats;
    nowMs += judgedAhead > seen ? 0.1 : 1;
    seen = judgedAhead;
    return nowMs;
  };
  const cluster = createScheduledCluster({ hostTime, ...options });
  for (let index = 0; index < NODES; index += 1) addNode(cluster, index);
  await cluster.run(10);
  let wave = 0;
  const isEnough = (): boolean => (waves === undefined ? wave >= MAX_WAVES || seen >= WAVE / 2 : wave >= waves);
  while (!isEnough()) {
    for (let index = 0; index < WAVE; index += 1) cluster.create(podOf(wave * WAVE + index));
    disturb(cluster);
    await cluster.run(10_000);
    wave += 1;
    // Threads come up in real time, of which waves take less than a busy host needs for that.
    if (!isEnough() && waves === undefined) await pause(THREADS_START_MS);
  }
  const { judgedAhead } = cluster.scheduler.stats;
  const placements = cluster.placements();
  const outcome = { waves: wave, hash: cluster.kernel.trace.digest(), placements, judgedAhead };
  await cluster.dispose();
  return outcome;
}

test('placements and trace are the same with 0, 1 and 2 workers, used always, never and by measure', async (t) => {
  const all = { percentageOfNodesToScore: 100 };
  const measured = await run({ ...all, workers: 2 });
  const { waves } = measured;
  // The engine's own rehearsals are 64 of them.
  t.true(measured.judgedAhead >= WAVE / 2, `${measured.judgedAhead} of ${waves} waves were judged ahead`);
  const alone = await run({ ...all, workers: 0 }, waves);
  t.is(Object.keys(alone.placements).length, waves * WAVE);
  t.is(alone.judgedAhead, 0);
  const others = [
    measured,
    await run({ ...all, workers: 1 }, waves),
    await run({ ...all, workers: 1, minPrefetchWork: 1 }, waves),
    await run({ ...all, workers: 2, minPrefetchWork: 1 }, waves),
    await run({ ...all, workers: 2, minPrefetchWork: Infinity }, waves),
  ];
  for (const { hash, placements } of others) {
    t.is(hash, alone.hash);
    t.deepEqual(placements, alone.placements);
  }
  const [, , ...set] = others.map(({ judgedAhead }) => judgedAhead > (waves * WAVE) / 2);
  t.deepEqual(set, [true, true, false]);
});

test('where scans end before they have seen all nodes nothing is sent', async (t) => {
  const { judgedAhead, placements } = await run({ percentageOfNodesToScore: 60, workers: 2, minPrefetchWork: 1 }, 1);
  t.is(judgedAhead, 0);
  t.is(Object.keys(placements).length, WAVE);
});
