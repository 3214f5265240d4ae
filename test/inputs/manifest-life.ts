/** The life of the workloads of a manifest, each with a budget: up, scaled, rolled out, and drained under load. */
import {
  compileLabelSelector,
  createCluster,
  isPodReady,
  keyOf,
  type Cluster,
  type Deployment,
  type Draft,
  type Pod,
  type StatefulSet,
} from '../../src/index.js';
import type { PodDisruptionBudget } from '../../src/api/objects/workload-objects.js';

const NODES = 6;
/** Budgets in turn. */
const BUDGETS = [{ maxUnavailable: 1 }, { minAvailable: '50%' }, { maxUnavailable: '34%' }] as const;
const JOBS = { count: 60, periodMs: 7000 } as const;

type Workload = Deployment | StatefulSet;

/** What became of a manifest. */
export interface ManifestLife {
  /** Names of its workloads, as `Kind name`. */
  readonly workloads: readonly string[];
  /** Kinds that were not simulated. */
  readonly ignored: readonly string[];
  /** After which stage something was missing, and what. */
  readonly missing: readonly string[];
  readonly nodesDrained: number;
  readonly evicted: number;
  /** Evictions that left a budget with fewer pods that serve than it wants. */
  readonly broken: readonly string[];
  /** Promises that were not kept. */
  readonly violations: readonly string[];
  readonly traceHash: string;
}

/** Lives through all of it. */
export async function liveManifest(text: string, seed: string): Promise<ManifestLife> {
  const cluster = createCluster({ nodes: NODES, seed, invariants: true });
  await cluster.ready();
  const ignored = cluster.apply(text).flatMap((each) => (each.action === 'ignored' ? [each.ignored.kind] : []));
  const workloads = workloadsOf(cluster);
  const budgets = addBudgets(cluster, workloads);
  const evictions = watchEvictions(cluster, workloads, budgets);
  const missing: string[] = [];
  await settle(cluster, 'up', missing);
  for (const workload of workloads) scaleBy(cluster, workload, 4);
  await settle(cluster, 'grown', missing);
  for (const workload of workloads) scaleBy(cluster, workload, -1);
  await settle(cluster, 'shrunk', missing);
  for (const workload of workloads) roll(cluster, workload);
  await settle(cluster, 'rolled', missing);
  const nodesDrained = await drainAll(cluster, workloads, missing);
  await settle(cluster, 'drained', missing);
  const { traceHash, invariants } = cluster;
  await cluster.dispose();
  return {
    workloads: workloads.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    ignored,
    missing,
    nodesDrained,
    ...evictions,
    violations: invariants.violations.map(({ invariant, object, text: what }) => `${invariant}: ${object} ${what}`),
    traceHash,
  };
}

function workloadsOf(cluster: Cluster): readonly Workload[] {
  return [...cluster.list('Deployment'), ...cluster.list('StatefulSet')];
}

function addBudgets(cluster: Cluster, workloads: readonly Workload[]): readonly PodDisruptionBudget[] {
  return workloads.map(({ metadata: { name, namespace = 'default' }, spec: { selector } }, index) =>
    cluster.create('PodDisruptionBudget', {
      metadata: { name, namespace },
      spec: { ...BUDGETS[index % BUDGETS.length], selector },
    }),
  );
}

/** Runs until every workload has what it asks for, of its newest template, and no pod is on its way out. */
async function settle(cluster: Cluster, stage: string, missing: string[]): Promise<void> {
  const isSettled = (): boolean => workloadsOf(cluster).every((each) => isWhole(cluster, each));
  await cluster.run({ until: isSettled, limit: '6h' });
  const lacking = workloadsOf(cluster).filter((each) => !isWhole(cluster, each));
  missing.push(...lacking.map((each) => `${stage}: ${statusText(each)}`));
}

function isWhole(cluster: Cluster, { kind, metadata, spec, status }: Workload): boolean {
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, observedGeneration } = status;
  if (observedGeneration !== metadata.generation) return false;
  if (kind === 'StatefulSet' && (status as StatefulSet['status']).currentRevision !== updateRevision(status))
    return false;
  if ([replicas, updatedReplicas, availableReplicas].some((count) => count !== spec.replicas)) return false;
  return podsOf(cluster, spec, metadata.namespace).length === spec.replicas;
}

function updateRevision(status: Workload['status']): string | undefined {
  return (status as StatefulSet['status']).updateRevision;
}

function podsOf(cluster: Cluster, { selector }: Pick<Workload['spec'], 'selector'>, namespace = ''): readonly Pod[] {
  const compiled = compileLabelSelector(selector);
  return cluster.list('Pod', { namespace }).filter(({ metadata }) => compiled.matches(metadata.labels));
}

function statusText({ kind, metadata: { name, generation }, spec, status }: Workload): string {
  return `${kind} ${name} wants ${spec.replicas} at generation ${generation}: ${JSON.stringify(status)}`;
}

function present(cluster: Cluster, { kind, metadata }: Workload): Workload {
  return kind === 'StatefulSet' ? cluster.get('StatefulSet', metadata) : cluster.get('Deployment', metadata);
}

function scaleBy(cluster: Cluster, workload: Workload, change: number): void {
  const kind = workload.kind === 'StatefulSet' ? 'StatefulSet' : 'Deployment';
  cluster.scale(kind, workload.metadata, (present(cluster, workload).spec.replicas ?? 1) + change);
}

/** As `kubectl rollout restart` does. */
function roll(cluster: Cluster, workload: Workload): void {
  const kind = workload.kind === 'StatefulSet' ? 'StatefulSet' : 'Deployment';
  const annotations = { 'kubectl.kubernetes.io/restartedAt': `${cluster.nowMs} ms` };
  cluster.patch(kind, workload.metadata, { spec: { template: { metadata: { annotations } } } });
}

/** Drains every node in turn, while jobs come and go, one workload is scaled and another one rolled out. */
async function drainAll(cluster: Cluster, workloads: readonly Workload[], missing: string[]): Promise<number> {
  const jobs = cluster.submit(
    Array.from({ length: JOBS.count }, (_, index) => ({
      atMs: index * JOBS.periodMs,
      kind: 'Job' as const,
      draft: jobDraft(`load-${index}`),
    })),
  );
  let drained = 0;
  for (const [index, { metadata }] of cluster.list('Node').entries()) {
    const [scaled, rolled] = [index, index + 1].map((each) => workloads[each % workloads.length]);
    if (scaled !== undefined) scaleBy(cluster, scaled, index % 2 === 0 ? 2 : -2);
    if (rolled !== undefined) roll(cluster, rolled);
    const left = await drain(cluster, metadata.name);
    if (left.length === 0) drained += 1;
    else missing.push(`node ${metadata.name} was not drained: ${left.join(', ')}`);
    cluster.patch('Node', metadata.name, { spec: { unschedulable: false } });
  }
  await cluster.run({ until: () => jobs.isDone, limit: '1h' });
  return drained;
}

/** What is left on the node, or why it was not drained. */
async function drain(cluster: Cluster, node: string): Promise<readonly string[]> {
  let end: 'drained' | Error | undefined;
  const drain$ = cluster.drain(node, { ignoreDaemonSets: true, deleteEmptyDirData: true });
  drain$.subscribe({ error: (error: Error) => (end = error), complete: () => (end = 'drained') });
  await cluster.run({ until: () => end !== undefined, limit: '24h' });
  if (end !== 'drained') return [end?.message ?? 'it takes more than a day'];
  return cluster.list('Pod', { fieldSelector: `spec.nodeName=${node}` }).map(keyOf);
}

/** A pod that works for half a minute. */
function jobDraft(name: string): Draft {
  const metadata = { annotations: { 'kubeloom.dev/run-for': '30s' } };
  const container = { name: 'work', image: 'work', resources: { requests: { cpu: '50m' } } };
  const spec = { template: { metadata, spec: { restartPolicy: 'Never', containers: [container] } } };
  return { metadata: { name, namespace: 'default' }, spec };
}

type Evictions = Pick<ManifestLife, 'broken' | 'evicted'>;

/** Counts evictions, and those after which fewer pods serve than the budget asks for of its size. */
function watchEvictions(
  cluster: Cluster,
  workloads: readonly Workload[],
  budgets: readonly PodDisruptionBudget[],
): Evictions {
  const seen = { evicted: 0, broken: [] as string[] };
  const serving = new Set<string>();
  cluster.watch('Pod').subscribe((event) => {
    const { metadata, status } = event.object;
    const wasServing = serving.has(metadata.uid);
    if (event.type !== 'DELETED' && isServing(event.object)) serving.add(metadata.uid);
    else serving.delete(metadata.uid);
    const isEvicted = status.conditions?.some(({ reason }) => reason === 'EvictionByEvictionAPI') === true;
    if (!wasServing || serving.has(metadata.uid) || !isEvicted) return;
    seen.evicted += 1;
    for (const [index, budget] of budgets.entries()) {
      const { selector = {} } = budget.spec;
      if (!compileLabelSelector(selector).matches(metadata.labels)) continue;
      const healthy = podsOf(cluster, { selector }, budget.metadata.namespace).filter(isServing).length;
      const desired = desiredHealthy(cluster, budget, workloads[index]);
      if (healthy < desired) seen.broken.push(`${keyOf(event.object)}: ${healthy} of ${desired} serve`);
    }
  });
  return seen;
}

function isServing(pod: Pod): boolean {
  return isPodReady(pod) && pod.metadata.deletionTimestamp === undefined;
}

/**
 * By the size that the budget last heard of, or by the one that its workload has been scaled down to meanwhile: it
 * hears of another one when a pod of it changes, and pods may be evicted before that.
 */
function desiredHealthy(cluster: Cluster, budget: PodDisruptionBudget, workload: Workload | undefined): number {
  const { expectedPods } = cluster.get('PodDisruptionBudget', budget.metadata).status;
  const wanted = workload === undefined ? undefined : present(cluster, workload).spec.replicas;
  const size = Math.min(expectedPods, wanted ?? expectedPods);
  const { minAvailable, maxUnavailable = 0 } = budget.spec;
  const share = (value: number | string): number =>
    typeof value === 'number' ? value : Math.ceil((size * Number.parseInt(value, 10)) / 100);
  return minAvailable === undefined ? size - share(maxUnavailable) : share(minAvailable);
}
