/**
 * A zone of a large cluster is cut off, and comes back after hours: its nodes are declared Unknown, their
 * pods are sent away as fast as the eviction rate lets them (a node every ten seconds), replacements run
 * elsewhere, and after the healing every node and every Deployment is whole again. Each row tells how far that
 * has come, and at which rate nodes have been tainted since the row before.
 */
import { createCluster, type Cluster, type Draft, type Node } from '../../src/index.js';
import { runUntil } from '../full-path/run-until.js';
import { SCENE_CLIENT_LIMITS, type SceneLine, type SceneRun } from './scene.js';

const APPS = 10;
const CAPACITY = { cpu: '32', memory: '128Gi', pods: '110' };
const ZONE = 'topology.kubernetes.io/zone';
const ROWS = 12;

/** How large the scene is. */
export interface LostZoneSize {
  /** Nodes of the zone that is lost. */
  readonly lost: number;
  /** Nodes of the two others together. */
  readonly kept: number;
  /** Pods that run in the lost zone. */
  readonly pods: number;
  /** How long it is lost, virtual seconds. */
  readonly seconds: number;
}

/** See the file header. @throws UnmetBarrierError when the cluster does not become whole */
export async function runLostZone({ seed, tell }: SceneRun, size: LostZoneSize): Promise<void> {
  const { lost, kept, pods, seconds } = size;
  const half = Math.ceil(kept / 2);
  const cluster = createCluster({
    seed,
    nodes: [
      { namePrefix: 'a', count: lost, zones: ['zone-a'], capacity: CAPACITY },
      { namePrefix: 'b', count: half, zones: ['zone-b'], capacity: CAPACITY },
      { namePrefix: 'c', count: kept - half, zones: ['zone-c'], capacity: CAPACITY },
    ],
    controllers: CONTROLLERS,
    clientLimits: SCENE_CLIENT_LIMITS,
  });
  try {
    const scene = new LostZone(cluster, tell);
    await cluster.ready();
    cluster.apply(deployments(pods));
    await runUntil(cluster, () => cluster.readyPods >= pods, '2h', 'not every pod became Ready');
    scene.row('running');
    const links = cluster.list('Node', { labelSelector: `${ZONE}=zone-a` }).map(({ metadata }) => metadata.name);
    const cuts = links.map((node) => cluster.faults.cut({ node }));
    for (let row = 1; row <= ROWS; row += 1) {
      await cluster.run({ limit: (seconds * 1000) / ROWS });
      scene.row('lost');
    }
    const healedMs = cluster.nowMs;
    for (const cut of cuts) cut.heal();
    await runUntil(cluster, () => scene.isWhole(pods), '2h', 'the cluster did not become whole again');
    scene.row('healed');
    tell({ note: `whole again ${Math.round((cluster.nowMs - healedMs) / 1000)} s after the healing` });
    tell({ note: `trace ${cluster.traceHash}` });
  } finally {
    await cluster.dispose();
  }
}

const CONTROLLERS = [
  'node-lifecycle-controller',
  'taint-eviction-controller',
  'pod-garbage-collector-controller',
  'deployment-controller',
  'replicaset-controller',
];

/** They would rather run in the zone that is going to be lost. */
function deployments(pods: number): Draft[] {
  const preference = { matchExpressions: [{ key: ZONE, operator: 'In', values: ['zone-a'] }] };
  const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference }] };
  const containers = [{ name: 'app', image: 'app:1', resources: { requests: { cpu: '100m', memory: '256Mi' } } }];
  return Array.from({ length: APPS }, (_, index) => {
    const labels = { app: `app-${index}` };
    const replicas = Math.floor(pods / APPS) + (index < pods % APPS ? 1 : 0);
    return {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: `app-${index}` },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { affinity: { nodeAffinity }, containers } },
      },
    };
  });
}

/** What the rows count, as it changes. */
class LostZone {
  readonly #cluster: Cluster;
  readonly #tell: (line: SceneLine) => void;
  readonly #ready = new Set<string>();
  readonly #tainted = new Set<string>();
  #nodes = 0;
  /** Pods that were deleted. */
  readonly #evicted = new Set<string>();
  /** Nodes that have been tainted, and when the last row told of them, ms. */
  #taintings = 0;
  #toldTaintings = 0;
  #toldMs = 0;

  constructor(cluster: Cluster, tell: (line: SceneLine) => void) {
    this.#cluster = cluster;
    this.#tell = tell;
    cluster.watch('Pod').subscribe((event) => {
      if (event.type !== 'MODIFIED') return;
      const { uid, deletionTimestamp } = event.object.metadata;
      if (deletionTimestamp !== undefined) this.#evicted.add(uid);
    });
    cluster.watch('Node').subscribe((event) => {
      if (event.type === 'ADDED') this.#nodes += 1;
      this.#note(event.object);
    });
  }

  row(state: string): void {
    const { pods, nowMs } = this.#cluster;
    const taintings = this.#taintings - this.#toldTaintings;
    const seconds = (nowMs - this.#toldMs) / 1000;
    this.#toldTaintings = this.#taintings;
    this.#toldMs = nowMs;
    this.#tell({
      state,
      nodesReady: this.#ready.size,
      nodesLost: this.#nodes - this.#ready.size,
      nodesTainted: this.#tainted.size,
      taintedPerSecond: Number((taintings / seconds).toFixed(3)),
      podsEvicted: this.#evicted.size,
      pods: pods.total,
      podsReady: pods.ready,
      virtualSeconds: Math.round(nowMs / 1000),
    });
  }

  /** Every node is ready and bears nothing, and no pod is too many or too few. */
  isWhole(pods: number): boolean {
    if (this.#ready.size < this.#nodes || this.#tainted.size > 0) return false;
    const counts = this.#cluster.pods;
    return counts.total === pods && counts.ready === pods;
  }

  #note({ metadata: { name }, spec, status }: Node): void {
    const isReady = status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True');
    if (isReady === true) this.#ready.add(name);
    else this.#ready.delete(name);
    if (spec.taints?.some(({ effect }) => effect === 'NoExecute') !== true) this.#tainted.delete(name);
    else if (!this.#tainted.has(name)) {
      this.#tainted.add(name);
      this.#taintings += 1;
    }
  }
}
