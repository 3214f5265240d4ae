/** A cluster that is written down and taken over again is the same one, and goes on where it was. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import {
  createCluster,
  readCluster,
  saveCluster,
  type Cluster,
  type ClusterExport,
  type Pod,
} from '../../src/index.js';
import type { SavedState } from '../../src/transfer/saved-state.js';

const NODES = 100;
const WORKLOADS = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 300
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: nginx, resources: { requests: { cpu: 100m } }, readinessProbe: { httpGet: { port: 80 } } }] }
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db }
spec:
  serviceName: db
  replicas: 3
  selector: { matchLabels: { app: db } }
  template: { metadata: { labels: { app: db } }, spec: { containers: [{ name: c, image: db, volumeMounts: [{ name: d, mountPath: /d }] }] } }
  volumeClaimTemplates: [{ metadata: { name: d }, spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } } }]
---
apiVersion: batch/v1
kind: Job
metadata: { name: long }
spec:
  completions: 4
  parallelism: 2
  template:
    metadata: { annotations: { kubeloom.dev/run-for: 100s } }
    spec: { restartPolicy: Never, containers: [{ name: j, image: job }] }
---
apiVersion: v1
kind: Pod
metadata: { name: crash, annotations: { kubeloom.dev/crash-after: 5s } }
spec: { containers: [{ name: c, image: crash }] }
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
---
apiVersion: v1
kind: Secret
metadata: { name: s }
stringData: { a: hello }
`;

async function warmCluster(nodes: number): Promise<Cluster> {
  const cluster = createCluster({ nodes, seed: 3, clientLimits: 'unlimited' });
  await cluster.ready();
  cluster.apply(WORKLOADS);
  await cluster.run({ limit: '4m' });
  return cluster;
}

const restartsOf = (each: Cluster): number | undefined =>
  each.get('Pod', 'crash').status.containerStatuses?.[0]?.restartCount;

const readyOf = (each: Cluster): readonly unknown[] =>
  each.list('Node').map(({ status }) => status.conditions?.find(({ type }) => type === 'Ready')?.status);

const isRunningJob = ({ spec, status }: Pod): boolean => spec.restartPolicy === 'Never' && status.phase === 'Running';

/** All but the digest of how it came about. */
function withoutHash({ items }: ClusterExport): readonly unknown[] {
  return items.map((item) => ('traceHash' in item ? { ...item, traceHash: '' } : item));
}

test('export → import → export is the identity, through a file as well', async (t) => {
  const cluster = await warmCluster(NODES);
  const exported = cluster.export();
  const again = createCluster({ from: exported, seed: 3 });
  t.deepEqual(withoutHash(again.export()), withoutHash(exported));
  const path = join(mkdtempSync(join(tmpdir(), 'kubeloom-export-')), 'cluster.json.gz');
  saveCluster(exported, path);
  const read = createCluster({ from: readCluster(path), seed: 3 });
  t.deepEqual(withoutHash(read.export()), JSON.parse(JSON.stringify(withoutHash(exported))));
  await Promise.all([cluster, again, read].map((each) => each.dispose()));
});

test('a cluster that is taken over goes on as the first one does: jobs count on, volumes stay, back-offs end when they do', async (t) => {
  const cluster = await warmCluster(5);
  const again = createCluster({ from: cluster.export(), seed: 9, clientLimits: 'unlimited', invariants: true });
  const job = again.get('Job', 'long').status;
  t.deepEqual(job, cluster.get('Job', 'long').status);
  const written: string[] = [];
  for (const kind of ['Pod', 'StatefulSet', 'PersistentVolumeClaim', 'PersistentVolume', 'VolumeAttachment'] as const) {
    again.watch(kind).subscribe((event) => {
      if (event.by === undefined) return;
      const { name } = event.object.metadata;
      if (/^(?:web|db|d-db|pvc|csi)-/.test(name)) written.push(`${event.by} ${event.type} ${kind} ${name}`);
    });
  }
  const restarts = restartsOf(cluster) ?? 0;
  t.true(restarts > 1);
  for (const each of [cluster, again]) await each.run({ until: () => restartsOf(each) === restarts + 1, limit: '10m' });
  // The kubelet looks again at times that it draws.
  t.true(Math.abs(cluster.nowMs - 240_000 - again.nowMs) < 20_000, `${cluster.nowMs - 240_000} ${again.nowMs}`);
  for (const each of [cluster, again])
    await each.run({ until: () => each.get('Job', 'long').status.succeeded === 4, limit: '10m' });
  t.is(again.get('Job', 'long').status.succeeded, 4);
  t.deepEqual(written, []);
  t.deepEqual(again.invariants.violations, []);
  await Promise.all([cluster.dispose(), again.dispose()]);
});

test('a run that ends before its kubelet has looked at the pod is told all the same', async (t) => {
  const cluster = await warmCluster(4);
  const { items, ...list } = cluster.export();
  const state = items.at(-1) as SavedState;
  const ending = cluster.list('Pod').filter(isRunningJob);
  const end = { atMs: 1, code: 0, reason: 'Completed' } as const;
  const soon = Object.fromEntries(ending.map(({ metadata }) => [metadata.uid, { containers: { j: { end } } }]));
  const nodes: SavedState['nodes'] = Object.fromEntries(
    Object.entries(state.nodes).map(([name, node]) => [name, { ...node, pods: { ...node.pods, ...soon } }] as const),
  );
  const from = { ...list, items: [...items.slice(0, -1), { ...state, nodes }] };
  const again = createCluster({ from, seed: 3 });
  await again.run({ limit: '5s' });
  const phases = ending.map(({ metadata: { name } }) => again.get('Pod', name).status.phase);
  t.deepEqual(phases, ['Succeeded']);
  await Promise.all([cluster.dispose(), again.dispose()]);
});

test('forks of one present are the same with the same seed, and know the contents of secrets', async (t) => {
  const cluster = await warmCluster(4);
  const hashOf = async (seed: number): Promise<string> => {
    const fork = cluster.fork({ seed });
    t.deepEqual(fork.get('Secret', 's').data, { a: 'aGVsbG8=' });
    fork.scale('Deployment', 'web', 310);
    await fork.run({ limit: '1m' });
    const { traceHash } = fork;
    await fork.dispose();
    return traceHash;
  };
  const [first, same, other] = [await hashOf(1), await hashOf(1), await hashOf(2)];
  t.is(first, same);
  t.not(first, other);
  await cluster.dispose();
});

test('a machine that is off, and one of which the kubelet does not run, are so again', async (t) => {
  const cluster = await warmCluster(4);
  cluster.faults.inject({ powerOff: { node: 'node-1' } });
  cluster.faults.inject({ stopKubelet: { node: 'node-2' } });
  await cluster.run({ limit: '2m' });
  const again = createCluster({ from: cluster.export(), seed: 1 });
  await again.run({ limit: '2m' });
  t.deepEqual(readyOf(again), readyOf(cluster));
  await Promise.all([cluster.dispose(), again.dispose()]);
});
