/**
 * What a cluster has come to, in words that do not depend on how: what users asked for and what stands for it. Left
 * out is what chance and time decide in real clusters as well: which node, which random suffix, when; attempts of jobs
 * that failed on their way; what cron jobs have started; pods that have ended and wait for their collection; claims that
 * stateful sets have left behind.
 */
import { getCondition, isPodReady, isPodTerminal } from '../../api/objects/conditions.js';
import type { AnyObject, Kind, KindMap, Pod } from '../../api/objects/objects.js';
import { controllerOf } from '../../api/objects/owners.js';
import type { PersistentVolumeClaim } from '../../api/objects/storage-objects.js';
import type { Cluster } from '../../cluster/cluster.js';
import type { SetClaims } from './set-claims.js';

type Reader = Pick<Cluster, 'list'>;
type Facts = Readonly<Record<string, unknown>>;

/** What the pods of one template are told apart by, by the kind of their owner. */
const TEMPLATE_LABELS = ['pod-template-hash', 'controller-revision-hash'];

/** What is said of each object of a kind; nothing of those that others have made as they needed them. */
const TELLERS: { readonly [K in Kind]?: (object: KindMap[K], cluster: Reader) => Facts } = {
  Deployment: ({ metadata, spec, status }, cluster) => ({
    spec,
    replicas: [status.replicas, status.updatedReplicas, status.readyReplicas, status.availableReplicas],
    pods: cluster
      .list('ReplicaSet')
      .filter((set) => controllerOf(set)?.uid === metadata.uid)
      .flatMap((set) => podsOf(cluster, set))
      .sort(),
  }),
  ReplicaSet: (set, cluster) => ({ spec: set.spec, ready: set.status.readyReplicas, pods: podsOf(cluster, set) }),
  ReplicationController: (set, cluster) => ({
    spec: set.spec,
    ready: set.status.readyReplicas,
    pods: podsOf(cluster, set),
  }),
  StatefulSet: (set, cluster) => {
    const { replicas, readyReplicas, updatedReplicas } = set.status;
    const { partition = 0 } = set.spec.updateStrategy?.rollingUpdate ?? {};
    // What the pods below it are of depends on whether the set ever was without pods: then its update is complete
    // (completeRollingUpdate, v1.34).
    const updated = partition === 0 ? [updatedReplicas] : [];
    const pods = podsOf(cluster, set, ({ metadata: { name } }) => ordinalOf(name) >= partition);
    return { spec: set.spec, replicas: [replicas, readyReplicas, ...updated], pods };
  },
  DaemonSet: (set, cluster) => ({
    spec: set.spec,
    ready: [set.status.desiredNumberScheduled, set.status.numberReady, set.status.updatedNumberScheduled],
    pods: podsOf(cluster, set),
  }),
  Job: ({ spec, status }) => ({
    completions: spec.completions,
    succeeded: status.succeeded,
    end: ['Complete', 'Failed'].filter((type) => getCondition(status.conditions, type)?.status === 'True'),
  }),
  CronJob: ({ spec }) => ({ spec }),
  PodDisruptionBudget: ({ spec, status }) => ({
    spec,
    pods: [status?.expectedPods, status?.desiredHealthy, status?.currentHealthy, status?.disruptionsAllowed],
  }),
  Service: (service, cluster) => ({ spec: service.spec.selector, endpoints: endpointsOf(cluster, service) }),
  PersistentVolumeClaim: ({ status }) => ({ phase: status?.phase }),
  Node: ({ spec, status }) => ({
    taints: spec.taints?.map(({ key }) => key),
    ready: getCondition(status.conditions, 'Ready')?.status,
  }),
};

/** One line for each object and for each pod without an owner, in the order of their names. */
export function endState(cluster: Reader, claims: Pick<SetClaims, 'isLeft'>): readonly string[] {
  const lines: string[] = [];
  const sets = cluster.list('StatefulSet');
  for (const kind of Object.keys(TELLERS) as readonly (keyof typeof TELLERS)[]) {
    const tell = TELLERS[kind] as (object: AnyObject, cluster: Reader) => Facts;
    for (const object of cluster.list(kind)) {
      if (controllerOf(object) !== undefined) continue;
      if (kind === 'PersistentVolumeClaim' && claims.isLeft(object as PersistentVolumeClaim, sets)) continue;
      lines.push(`${kind} ${nameOf(object)}: ${JSON.stringify(tell(object, cluster))}`);
    }
  }
  for (const pod of cluster.list('Pod')) {
    if (controllerOf(pod) === undefined) lines.push(`Pod ${nameOf(pod)}: ${podText(pod)}`);
  }
  return lines;
}

/** What one end has and the other has not, each with the sign of its side; empty when they are the same. */
export function differences(end: readonly string[], reference: readonly string[]): readonly string[] {
  const missing = reference.filter((line) => !end.includes(line));
  const more = end.filter((line) => !reference.includes(line));
  return [...more.map((line) => `with faults ${line}`), ...missing.map((line) => `without ${line}`)];
}

/** Those that run, by readiness and by template, where that is to be told. */
function podsOf(cluster: Reader, owner: AnyObject, isOfTemplate?: (pod: Pod) => boolean): readonly string[] {
  const { uid } = owner.metadata;
  const pods = cluster.list('Pod').filter((pod) => controllerOf(pod)?.uid === uid && !isPodTerminal(pod));
  return pods.map((pod) => podText(pod, isOfTemplate?.(pod))).sort();
}

function podText(pod: Pod, isOfTemplate = true): string {
  const { labels = {} } = pod.metadata;
  const template = isOfTemplate ? TEMPLATE_LABELS.flatMap((label) => labels[label] ?? []) : [];
  return [pod.status.phase, isPodReady(pod) ? 'Ready' : 'not Ready', ...template].join(' ');
}

function endpointsOf(cluster: Reader, { metadata: { namespace, name } }: KindMap['Service']): number {
  return cluster
    .list('EndpointSlice')
    .filter((slice) => slice.metadata.namespace === namespace)
    .filter(({ metadata: { labels = {} } }) => labels['kubernetes.io/service-name'] === name)
    .flatMap(({ endpoints }) => endpoints)
    .filter(({ conditions }) => conditions?.ready !== false).length;
}

function ordinalOf(name: string): number {
  return Number(name.slice(name.lastIndexOf('-') + 1));
}

function nameOf({ metadata: { namespace, name } }: AnyObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
