/**
 * A cluster that a real control plane of Kubernetes 1.34.2 had, as `kubectl get … -A -o json` wrote it down at rest:
 * six nodes, workloads of each kind, a pod that no node has room for (recorded/cluster.json.gz; values of config maps
 * of the system are cut). The real one writes nothing in such minutes but leases.
 */
import test from 'ava';
import { createCluster, keyOf, readCluster, type Cluster, type Kind } from '../../src/index.js';
import { kindRegistry } from '../../src/api/kinds/registry.js';

const RECORDED = 'test/transfer/recorded/cluster.json.gz';
const TOLD_ANEW: readonly Kind[] = ['Event', 'Lease'];

/** Everything that is written from now on but leases and events, and which pods events are about. */
function writes(cluster: Cluster): { readonly objects: string[]; readonly events: string[] } {
  const noted = { objects: [] as string[], events: [] as string[] };
  for (const { kind } of Object.values(kindRegistry)) {
    cluster.watch(kind).subscribe((event) => {
      // The recorded cluster had no metrics to follow, and this one has.
      if (event.by === undefined || kind === 'Lease' || kind === 'HorizontalPodAutoscaler') return;
      if (kind !== 'Event') noted.objects.push(`${event.by} ${event.type} ${kind} ${keyOf(event.object)}`);
    });
  }
  cluster.events$.subscribe(({ event }) => noted.events.push(event.reason ?? ''));
  return noted;
}

test('a cluster at rest stays at rest: nothing is written but leases, and events that a real control plane repeats', async (t) => {
  const cluster = createCluster({ from: readCluster(RECORDED), seed: 1 });
  t.is(new Date(cluster.epochMs).toISOString(), '2026-11-23T12:57:05.000Z');
  const { objects, events } = writes(cluster);
  await cluster.run({ limit: '10m' });
  t.deepEqual(objects, []);
  const autoscaling = ['FailedComputeMetricsReplicas', 'FailedGetResourceMetric'];
  t.deepEqual([...new Set(events)].sort(), [...autoscaling, 'FailedScheduling', 'LeaderElection']);
  t.deepEqual(cluster.pods.byPhase, { Pending: 1, Running: 16, Succeeded: 3, Failed: 0, Unknown: 0 });
  await cluster.dispose();
});

test('every object has the identity, the spec and the status that it had', async (t) => {
  const picture = readCluster(RECORDED);
  const cluster = createCluster({ from: picture });
  for (const { kind, draft } of picture.objects) {
    if (TOLD_ANEW.includes(kind)) continue;
    const { name = '', namespace, uid, creationTimestamp, generation, ownerReferences } = draft.metadata;
    const stored = cluster.get(kind, { name, ...(namespace === undefined ? {} : { namespace }) });
    const place = `${kind} ${keyOf(stored)}`;
    t.is(stored.metadata.uid, uid as string, place);
    t.is(stored.metadata.creationTimestamp, creationTimestamp as string, place);
    t.is(stored.metadata.generation, generation, place);
    t.deepEqual(stored.metadata.ownerReferences, ownerReferences, place);
    const { spec, status } = stored as { readonly spec?: unknown; readonly status?: unknown };
    if (kind !== 'CronJob' && kind !== 'StatefulSet')
      t.deepEqual(withoutNulls(spec), withoutNulls(draft['spec']), place);
    t.deepEqual(withoutNulls(status), withoutNulls(draft['status']), place);
  }
  await cluster.dispose();
});

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutNulls(each));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(fields.map(([field, each]) => [field, withoutNulls(each)]));
}

test('its workloads go on: what is scaled, drained and deleted is answered by the controllers that had made the pods', async (t) => {
  const cluster = createCluster({ from: readCluster(RECORDED), seed: 1 });
  const before = new Map(cluster.list('Pod').map((pod) => [keyOf(pod), pod.metadata.uid]));
  cluster.scale('Deployment', 'shop/web', 7);
  cluster.delete('Pod', 'shop/db-1');
  await cluster.run({ until: () => cluster.get('Deployment', 'shop/web').status.availableReplicas === 7, limit: '2m' });
  await cluster.run({ until: () => cluster.get('StatefulSet', 'shop/db').status.readyReplicas === 3, limit: '2m' });
  const pods = cluster.list('Pod', { labelSelector: 'app=web' });
  t.is(pods.length, 7);
  t.is(pods.filter((pod) => before.get(keyOf(pod)) === pod.metadata.uid).length, 5);
  t.not(cluster.get('Pod', 'shop/db-1').metadata.uid, before.get('shop/db-1') as string);
  const uids = cluster.list('Pod').map(({ metadata }) => metadata.uid);
  t.is(new Set(uids).size, uids.length);
  const addresses = cluster.list('Pod').flatMap(({ status }) => status.podIP ?? []);
  t.is(new Set(addresses).size, addresses.length);
  await cluster.dispose();
});

async function hashOf(seed: number): Promise<string> {
  const cluster = createCluster({ from: readCluster(RECORDED), seed });
  cluster.scale('Deployment', 'shop/web', 8);
  await cluster.run({ limit: '1m' });
  const { traceHash } = cluster;
  await cluster.dispose();
  return traceHash;
}

test('the same file, options and seed give the same trace hash; another seed gives another one', async (t) => {
  const first = await hashOf(1);
  t.is(await hashOf(1), first);
  t.not(await hashOf(2), first);
});
