/**
 * A day of a cluster in which nothing stays but the number of pods: by a seeded plan replicas move from one
 * Deployment to another, Deployments are rolled, pods deleted, and nodes lost for a while. Each row is some
 * virtual hours: what happened in them, the objects that are kept, and the memory that is held after a
 * collection. From the hour on in which the first Event records expire, memory must stay flat.
 */
import { createCluster, type Cluster } from '../../src/index.js';
import { randomStream, type RandomStream } from '../../src/kernel/random.js';
import { runUntil } from '../full-path/run-until.js';
import { deployment } from './deployment.js';
import { SCENE_CLIENT_LIMITS, type SceneRun } from './scene.js';
import { HOUR_MS } from '../../src/kernel/time-units.js';

/** How large the scene is. */
export interface ChurnSize {
  readonly nodes: number;
  readonly deployments: number;
  /** Of each Deployment at first; later half to twice as many. */
  readonly replicas: number;
  /** Virtual hours. */
  readonly hours: number;
  readonly hoursPerRow: number;
  /** Deeds of the plan in an hour. */
  readonly deedsPerHour: number;
}

const MIB = 1 << 20;

/** See the file header. */
export async function runChurn({ seed, tell }: SceneRun, size: ChurnSize): Promise<void> {
  const { nodes, deployments, replicas, hours, hoursPerRow, deedsPerHour } = size;
  const cluster = createCluster({ seed, nodes, clientLimits: SCENE_CLIENT_LIMITS });
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

/** The plan, and what came of it. */
class Churn {
  readonly #cluster: Cluster;
  readonly #random: RandomStream;
  readonly #size: ChurnSize;
  /** Replicas that each Deployment is to have. */
  readonly #wanted: number[];
  #rollouts = 0;

  constructor(cluster: Cluster, random: RandomStream, size: ChurnSize) {
    this.#cluster = cluster;
    this.#random = random;
    this.#size = size;
    this.#wanted = Array.from({ length: size.deployments }, () => size.replicas);
  }

  /** One deed of the plan. */
  act(): void {
    const app = this.#random.int(0, this.#size.deployments - 1);
    const ref = `app-${app}`;
    const kind = this.#random.int(0, 9);
    if (kind < 4) this.#moveReplicas(app);
    else if (kind < 8) this.#deletePod(ref);
    else if (kind === 8) this.#roll(ref);
    else this.#cutNode();
  }

  figures(): Readonly<Record<string, number>> {
    const { gc } = globalThis;
    // What the first collection sets free may hold more.
    gc?.();
    gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    const { pods, podsCreated } = this.#cluster.stats();
    return {
      pods: pods.total,
      podsReady: pods.ready,
      podsCreated,
      rollouts: this.#rollouts,
      replicaSets: this.#cluster.list('ReplicaSet').length,
      events: this.#cluster.list('Event').length,
      heapMiB: Math.round((heapUsed / MIB) * 10) / 10,
      rssMiB: Math.round(rss / MIB),
    };
  }

  /** As many pods as before, elsewhere. */
  #moveReplicas(from: number): void {
    const { deployments, replicas } = this.#size;
    const to = (from + this.#random.int(1, deployments - 1)) % deployments;
    const spare = (this.#wanted[from] ?? 0) - Math.ceil(replicas / 2);
    const room = replicas * 2 - (this.#wanted[to] ?? 0);
    const moved = Math.min(spare, room, this.#random.int(1, replicas));
    if (moved <= 0) return;
    for (const [app, change] of [
      [from, -moved],
      [to, moved],
    ] as const) {
      const wanted = (this.#wanted[app] ?? 0) + change;
      this.#wanted[app] = wanted;
      this.#cluster.scale('Deployment', `app-${app}`, wanted);
    }
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
