/**
 * What it costs to keep the promises in sight: the same cluster without invariants and with all of them, in two
 * rounds, of which the second is warm. Its Deployments come up, are rolled out anew, and go. Each row is one of
 * these stages; all runs must come to the same trace.
 */
import { createCluster, type Cluster } from '../../src/index.js';
import { runUntil } from '../full-path/run-until.js';
import { deployment } from './deployment.js';
import { SCENE_CLIENT_LIMITS, type SceneRun } from './scene.js';

const APPS = 10;
const ROUNDS = 2;

/** One of the runs. */
interface Turn {
  readonly round: number;
  readonly invariants: boolean;
}

/** How large the scene is. */
export interface InvariantsCostSize {
  readonly nodes: number;
  readonly pods: number;
}

/** See the file header. @throws UnmetBarrierError when a stage does not end; Error when the runs differ */
export async function runInvariantsCost(run: SceneRun, size: InvariantsCostSize): Promise<void> {
  const traces = new Set<string>();
  for (let round = 1; round <= ROUNDS; round += 1) {
    const costs: number[] = [];
    for (const invariants of [false, true]) {
      const before = process.cpuUsage();
      traces.add(await play(run, size, { round, invariants }));
      const { user, system } = process.cpuUsage(before);
      costs.push(user + system);
    }
    const [without = 0, withAll = 0] = costs;
    run.tell({ note: `round ${round}: with invariants ${(withAll / without).toFixed(2)} times the CPU time` });
  }
  if (traces.size > 1) throw new Error(`the runs must be the same, got traces ${[...traces].join(', ')}`);
  run.tell({ note: `trace ${[...traces].join('')}` });
}

/** @returns the trace hash */
async function play({ seed, tell }: SceneRun, { nodes, pods }: InvariantsCostSize, turn: Turn): Promise<string> {
  const { round, invariants } = turn;
  const cluster = createCluster({ seed, nodes, invariants, clientLimits: SCENE_CLIENT_LIMITS });
  const row = (stage: string): void =>
    tell({ round, invariants: invariants ? 'on' : 'off', stage, evaluated: evaluations(cluster) });
  try {
    await cluster.ready();
    row('nodes');
    cluster.apply(Array.from({ length: APPS }, (_, index) => deployment(index, pods / APPS)));
    await runUntil(cluster, () => cluster.readyPods === pods, '2h', 'not every pod became Ready');
    row('up');
    for (const { metadata } of cluster.list('Deployment')) {
      cluster.patch('Deployment', metadata.name, { spec: { template: { metadata: { labels: { release: '2' } } } } });
    }
    // The new template is seen at once, and many pods are there twice until the end.
    await cluster.run({ until: () => cluster.pods.total > pods, limit: '1m' });
    await runUntil(cluster, () => isWhole(cluster, pods), '2h', 'not every pod was replaced');
    row('rolled out');
    for (const { metadata } of cluster.list('Deployment')) cluster.delete('Deployment', metadata.name);
    await runUntil(cluster, () => cluster.pods.total === 0, '2h', 'not every pod went');
    row('gone');
    return cluster.traceHash;
  } finally {
    await cluster.dispose();
  }
}

function isWhole(cluster: Cluster, pods: number): boolean {
  return cluster.pods.total === pods && cluster.readyPods === pods;
}

function evaluations({ invariants }: Cluster): number {
  return [...invariants.evaluated.values()].reduce((sum, times) => sum + times, 0);
}
