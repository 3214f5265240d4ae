/**
 * A cluster that a real control plane of Kubernetes 1.34.2 had, as `kubectl get … -A -o json` wrote it down at rest:
 * six nodes, workloads of each kind, a pod that no node has room for (recorded/cluster.json.gz; values of config maps
 * of the system are cut). The real one writes nothing in such minutes but leases.
 */
import test from 'ava';
import { createCluster, keyOf, KINDS, readCluster, type Cluster, type Kind } from '../../src/index.js';
import { pictureFrom } from '../../src/transfer/import/read-from.js';

const RECORDED = 'test/transfer/recorded/cluster.json.gz';
const TOLD_ANEW: readonly Kind[] = ['Event', 'Lease'];

/** Everything that is written from now on but leases and events, and which pods events are about. */
function writes(cluster: Cluster): { readonly objects: string[]; readonly events: string[] } {
  const noted = { objects: [] as string[], events: [] as string[] };
  for (const kind of KINDS) {
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

/** Words of a real scheduler and of real controllers of 1.34.2 about a cluster without a metrics server. */
const HELD_UP = `
apiVersion: v1
kind: Node
metadata: { name: a, uid: n-1, creationTimestamp: "2026-11-28T14:00:00Z" }
spec: { taints: [{ key: maint, value: now, effect: NoSchedule }] }
status:
  capacity: { cpu: "4", memory: 8Gi, pods: "110" }
  allocatable: { cpu: "4", memory: 8Gi, pods: "110" }
  conditions: [{ type: Ready, status: "True", reason: KubeletReady, lastTransitionTime: "2026-11-28T14:00:00Z" }]
---
apiVersion: v1
kind: Pod
metadata: { name: waits, namespace: default, uid: p-1, generation: 1, creationTimestamp: "2026-11-28T14:00:00Z" }
spec: { containers: [{ name: c, image: busybox }] }
status:
  phase: Pending
  qosClass: BestEffort
  conditions:
  - type: PodScheduled
    status: "False"
    observedGeneration: 1
    reason: Unschedulable
    lastProbeTime: null
    lastTransitionTime: "2026-11-28T14:00:01Z"
    message: "0/1 nodes are available: 1 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
---
apiVersion: v1
kind: Namespace
metadata: { name: going, uid: ns-1, creationTimestamp: "2026-11-28T14:00:00Z", deletionTimestamp: "2026-11-28T14:01:00Z" }
spec: { finalizers: [kubernetes] }
status:
  phase: Terminating
  conditions:
  - { type: NamespaceDeletionDiscoveryFailure, status: "True", reason: DiscoveryFailed, lastTransitionTime: "2026-11-28T14:01:05Z", message: "Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: metrics.example.com/v1beta1: stale GroupVersion discovery: metrics.example.com/v1beta1" }
  - { type: NamespaceDeletionGroupVersionParsingFailure, status: "False", reason: ParsedGroupVersions, lastTransitionTime: "2026-11-28T14:01:05Z", message: All legacy kube types successfully parsed }
  - { type: NamespaceDeletionContentFailure, status: "False", reason: ContentDeleted, lastTransitionTime: "2026-11-28T14:01:05Z", message: "All content successfully deleted, may be waiting on finalization" }
  - { type: NamespaceContentRemaining, status: "False", reason: ContentRemoved, lastTransitionTime: "2026-11-28T14:01:05Z", message: All content successfully removed }
  - { type: NamespaceFinalizersRemaining, status: "False", reason: ContentHasNoFinalizers, lastTransitionTime: "2026-11-28T14:01:05Z", message: All content-preserving finalizers finished }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: web, namespace: default, uid: h-1, creationTimestamp: "2026-11-28T14:00:00Z" }
spec:
  maxReplicas: 8
  minReplicas: 1
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  metrics: [{ type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 70 } } }]
status:
  desiredReplicas: 0
  currentMetrics: null
  conditions:
  - type: ScalingActive
    status: "False"
    reason: FailedGetResourceMetric
    lastTransitionTime: "2026-11-28T14:00:15Z"
    message: "the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)"
`;

test('what waits, hangs or cannot be measured goes on to do so, in the words of its cluster, also once it was saved', async (t) => {
  const cluster = createCluster({ from: HELD_UP, seed: 1 });
  const saved = createCluster({ from: cluster.export(), seed: 1 });
  for (const each of [cluster, saved]) {
    const { objects } = writes(each);
    await each.run({ limit: '10m' });
    const ofThese = objects.filter(
      (write) => !/ServiceAccount|ConfigMap|Namespace (?!going)|Service|Node /.test(write),
    );
    t.deepEqual(ofThese, []);
    t.true(each.list('Namespace').some(({ metadata }) => metadata.name === 'going'));
    const picture = pictureFrom(each.export());
    t.deepEqual([picture.hasMetrics, picture.namesTaints], [false, false]);
    t.regex(picture.discoveryFailure, /metrics\.example\.com/);
    await each.dispose();
  }
});
