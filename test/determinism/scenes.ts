/** Scenes that touch whatever an engine might do differently: sorting, drawing, formatting, time zones, threads. */
import {
  createCluster,
  defaultScene,
  playPlan,
  runScene,
  type Cluster,
  type ClusterOptions,
  type Draft,
} from '../../src/index.js';
import { drawPlan } from '../../src/laboratory/fuzz/draw-plan.js';
import { randomStream } from '../../src/kernel/random.js';
import { arrivalTimes } from '../../src/workload/arrival-process.js';
import { timedDrafts } from '../../src/workload/arrivals.js';

const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Chatham'];

async function hashOf(options: ClusterOptions, play: (cluster: Cluster) => Promise<unknown>): Promise<string> {
  const cluster = createCluster(options);
  try {
    await play(cluster);
    return cluster.traceHash;
  } finally {
    await cluster.dispose();
  }
}

/** A rolling update, and then scaling down by steps: which pods go is decided among many that are nearly equal. */
function rollout(): Promise<string> {
  const scene = defaultScene({ nodes: 10, pods: 250 });
  return hashOf({ nodes: scene.nodeGroups, seed: 3 }, async (cluster) => {
    await runScene(cluster, scene, { limit: '10m' });
    for (const replicas of [30, 20, 8]) {
      cluster.scale('Deployment', { namespace: 'shop', name: 'frontend' }, replicas);
      await cluster.run({ limit: '20s' });
    }
  });
}

const LIVES = [
  { 'run-for': 'lognormal(20s, 0.8)', 'image-pull': '3' },
  { 'crash-after': 'exponential(30s)', 'start-delay': 'uniform(1s, 9s)' },
  { 'crash-after': 'choice(5s, 40s)', 'ready-after': 'lognormal(3s, 1.5)' },
];

/** Pods with lives drawn from every distribution, and with arrivals as the customers of a shop have them. */
function drawnLives(workers: number): Promise<string> {
  return hashOf({ nodes: 4, seed: 'lives', workers }, async (cluster) => {
    await cluster.ready();
    const times = arrivalTimes({ type: 'poisson', perSecond: 3 }, randomStream('lives', 'arrivals'));
    cluster.submit(timedDrafts(times, 60, (index) => ({ kind: 'Pod', draft: drawnPod(index) })));
    await cluster.run({ limit: '6m' });
  });
}

function drawnPod(index: number): Draft {
  const life = Object.entries(LIVES[index % LIVES.length] ?? {});
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `drawn-${index}`,
      annotations: Object.fromEntries(life.map(([name, value]) => [`kubeloom.dev/${name}`, value])),
    },
    spec: { containers: [{ name: 'c', image: 'app:1', resources: { requests: { cpu: '50m' } } }] },
  };
}

/** Cron jobs by clocks on the wall, over the night in which those of Europe are put forward. */
function wallClocks(): Promise<string> {
  return hashOf({ nodes: 2, seed: 4, epoch: '2030-03-30T22:00:00Z' }, async (cluster) => {
    for (const [index, timeZone] of ZONES.entries()) {
      const container = { name: 'c', image: 'tick:1' };
      cluster.create('CronJob', {
        metadata: { name: `tick-${index}` },
        spec: {
          schedule: `${index * 7} */2 * * *`,
          timeZone,
          jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
        },
      });
    }
    await cluster.run({ limit: '9h' });
  });
}

/** A node full of pods that started within a few seconds, and more important ones that displace some of them. */
function displaced(): Promise<string> {
  return hashOf({ nodes: [{ count: 2, allocatable: { cpu: '6', memory: '64Gi', pods: '200' } }], seed: 5 }, displace);
}

async function displace(cluster: Cluster): Promise<void> {
  cluster.create('PriorityClass', { metadata: { name: 'high' }, value: 1000 });
  await cluster.ready();
  const pod = (name: string, cpu: string, priorityClassName: string | undefined): void => {
    const containers = [{ name: 'c', image: 'app:1', resources: { requests: { cpu } } }];
    const priority = priorityClassName === undefined ? {} : { priorityClassName };
    cluster.create('Pod', { metadata: { name }, spec: { ...priority, containers } });
  };
  for (let index = 0; index < 110; index += 1) pod(`low-${index}`, '100m', undefined);
  await cluster.run({ limit: '1m' });
  for (let index = 0; index < 5; index += 1) pod(`high-${index}`, `${index + 7}00m`, 'high');
  await cluster.run({ limit: '2m' });
}

async function drawnFaults(): Promise<string> {
  const hashes: string[] = [];
  for (const seed of ['11', '12', '13']) hashes.push((await playPlan(drawPlan(seed))).traceHash);
  return hashes.join(' ');
}

/** By name, what comes of each. */
export const SCENES: Readonly<Record<string, () => Promise<string>>> = {
  rollout,
  'drawn lives': () => drawnLives(0),
  'drawn lives, with a worker thread': () => drawnLives(1),
  'wall clocks': wallClocks,
  displaced,
  'drawn faults': drawnFaults,
};
