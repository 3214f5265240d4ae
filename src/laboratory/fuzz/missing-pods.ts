import { controllerOf } from '../../api/objects/owners.js';
import type { AnyObject } from '../../api/objects/objects.js';
import type { Cluster } from '../../cluster/cluster.js';
import { serves } from '../../observers/registers/pod-register.js';
import { wantedDaemonsOf } from '../scene/workload-state.js';

type Reader = Pick<Cluster, 'list'>;

/** What is missing of workloads by their pods, each counted: what controllers write of them is not asked. */
export function missingPods(cluster: Reader): readonly string[] {
  const serving = new Map<string, number>();
  for (const pod of cluster.list('Pod')) {
    const owner = controllerOf(pod)?.uid;
    if (owner !== undefined && serves(pod)) serving.set(owner, (serving.get(owner) ?? 0) + 1);
  }
  const missing: string[] = [];
  const compare = (kind: string, { metadata }: AnyObject, have: number, wanted: number): void => {
    if (have !== wanted)
      missing.push(`${kind} ${metadata.namespace}/${metadata.name}: ${have} of ${wanted} pods serve`);
  };
  const sets = cluster.list('ReplicaSet');
  for (const deployment of cluster.list('Deployment')) {
    const own = sets.filter((set) => controllerOf(set)?.uid === deployment.metadata.uid);
    const have = own.reduce((sum, { metadata }) => sum + (serving.get(metadata.uid) ?? 0), 0);
    compare('Deployment', deployment, have, deployment.spec.replicas ?? 1);
  }
  const single = [
    ...sets.filter((set) => controllerOf(set) === undefined),
    ...cluster.list('ReplicationController'),
    ...cluster.list('StatefulSet'),
  ];
  for (const set of single) compare(set.kind, set, serving.get(set.metadata.uid) ?? 0, set.spec.replicas ?? 1);
  for (const set of cluster.list('DaemonSet')) {
    const wanted = wantedDaemonsOf(set, cluster);
    compare('DaemonSet', set, serving.get(set.metadata.uid) ?? 0, wanted);
  }
  return missing;
}
