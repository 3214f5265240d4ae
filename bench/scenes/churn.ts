/**
 * A day of a cluster in which nothing stays: by a seeded plan Deployments are scaled and rolled, pods
 * deleted, and nodes lost for a while. Each row is a few virtual hours: what happened in them, and the
 * memory that is held after a collection. It must stay flat.
 */
import { createCluster, type Cluster, type Draft } from '../../src/index.js';
import { randomStream, type RandomStream } from '../../src/kernel/random.js';
import { runUntil } from '../full-path/run-until.js';
import type { SceneRun } from './scene.js';

/** How large the scene is. */
export interface ChurnSize {
  readonly nodes: number;
  readonly deployments: number;
  /** On average, of each Deployment. */
  readonly replicas: number;
  /** Virtual hours. */
  readonly hours: number;
  readonly hoursPerRow: number;
  /** Deeds of the plan in an hour. */
  readonly deedsPerHour: number;
}

const HOUR_MS = 3_600_000;
const MIB = 1 << 20;

/** See the file header. */
export async function runChurn({ seed, tell }: SceneRun, size: ChurnSize): Promise<void> {
  const { nodes, deployments, replicas, hours, hoursPerRow, deedsPerHour } = size;
  const cluster = createCluster({ seed, nodes });
  try {
    const churn = new Churn(cluster, randomStream(seed, 'churn'), size);
    await cluster.ready();
    for (let index = 0; index < deployments; index += 1) cluster.apply(deployment(index, replicas));
    await runUntil(cluster, () => cluster.readyPods === deployments * replicas, '2h', 'not every pod became Ready');
    tell({ hours: 0, ...churn.figures() });
    for (let hour = 0; hour < hours; hour += hoursPerRow) {
      for (let deed = 0; deed < deedsPerHour * hoursPerRow; deed += 1) {
        await cluster.run({ limit: HOUR_MS / deedsPerHour });
        churn.act();
      }
      tell({ hours: hour + hoursPerRow, ...churn.figures() });
    }
    tell({ note: `trace ${cluster.traceHash}` });
  } finally {
    await cluster.dispose();
  }
}

function deployment(index: number, replicas: number): Draft {
  const labels = { app: `app-${index}` };
  const containers = [{ name: 'app', image: 'app:1', resources: { requests: { cpu: '100m', memory: '128Mi' } } }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `app-${index}` },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

/** The plan, and what came of it. */
class Churn {
  readonly #cluster: Cluster;
  readonly #random: RandomStream;
  readonly #size: ChurnSize;
  #rollouts = 0;

  constructor(cluster: Cluster, random: RandomStream, size: ChurnSize) {
    this.#cluster = cluster;
    this.#random = random;
    this.#size = size;
  }

  /** One deed of the plan. */
  act(): void {
    const { deployments, replicas } = this.#size;
    const ref = `app-${this.#random.int(0, deployments - 1)}`;
    const kind = this.#random.int(0, 9);
    if (kind < 4) this.#cluster.scale('Deployment', ref, this.#random.int(Math.ceil(replicas / 2), replicas * 2));
    else if (kind < 8) this.#deletePod(ref);
    else if (kind === 8) this.#roll(ref);
    else this.#cutNode();
  }

  figures(): Readonly<Record<string, number>> {
    const { gc } = globalThis;
    gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    const { pods, podsCreated } = this.#cluster.stats();
    return {
      pods: pods.total,
      podsReady: pods.ready,
      podsCreated,
      rollouts: this.#rollouts,
      heapMiB: Math.round(heapUsed / MIB),
      rssMiB: Math.round(rss / MIB),
    };
  }

  #deletePod(app: string): void {
    const pods = this.#cluster.list('Pod', { labelSelector: `app=${app}` });
    const pod = pods[this.#random.int(0, Math.max(0, pods.length - 1))];
    if (pod !== undefined) this.#cluster.delete('Pod', pod.metadata);
  }

  #cutNode(): void {
    const nodes = this.#cluster.list('Node');
    const node = nodes[this.#random.int(0, nodes.length - 1)];
    if (node !== undefined) this.#cluster.faults.inject({ cut: { node: node.metadata.name }, for: '10m' });
  }

  #roll(app: string): void {
    this.#rollouts += 1;
    const annotations = { 'kubectl.kubernetes.io/restartedAt': String(this.#rollouts) };
    this.#cluster.patch('Deployment', app, { spec: { template: { metadata: { annotations } } } });
  }
}
