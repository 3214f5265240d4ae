import type { Cluster, Deployment, Pod, PodFocus } from '../../index.js';
import { UsageError } from './usage-error.js';

/** A pod as a user names it. */
export interface PodArgument {
  readonly kind: 'pod' | 'deployment';
  /** Absent = any. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/** A pod by its full name. */
export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

/** Flag and description of the option that narrows {@link parsePodArgument} down. */
export const NAMESPACE_OPTION = ['-n, --namespace <name>', 'namespace of the pod (default: any)'] as const;

/** Names listed where an argument fits several. */
const MAX_LISTED = 3;

/** Reads `name`, `namespace/name` or `deployment/name`. @throws UsageError */
export function parsePodArgument(text: string, namespace: string | undefined): PodArgument {
  const parts = text.split('/');
  const [first = '', second] = parts;
  if (parts.length > 2 || parts.includes('')) {
    throw new UsageError(`POD must be NAME, NAMESPACE/NAME or deployment/NAME, got ${JSON.stringify(text)}`);
  }
  if (second === undefined) return { kind: 'pod', namespace, name: first };
  if (first === 'deployment' || first === 'deploy') return { kind: 'deployment', namespace, name: second };
  if (namespace !== undefined && namespace !== first) {
    throw new UsageError(`--namespace ${namespace} and POD ${text} name two namespaces`);
  }
  return { kind: 'pod', namespace: first, name: second };
}

/** The pods that the argument may turn out to name. */
export function focusOf({ kind, namespace, name }: PodArgument): PodFocus {
  return { namespace, namePrefix: kind === 'deployment' ? `${name}-` : name };
}

/** The pod that is meant, in a cluster as it is now. @throws UsageError when there is none, or no single one */
export function findPod(cluster: Pick<Cluster, 'list' | 'explain'>, argument: PodArgument): PodName {
  if (argument.kind === 'deployment') return podOfDeployment(cluster, argument);
  const { namespace, name } = argument;
  const pods = cluster.list('Pod').filter((pod) => isIn(pod, namespace) && pod.metadata.name.startsWith(name));
  const exact = pods.filter((pod) => pod.metadata.name === name);
  const [found, ...others] = exact.length > 0 ? exact : pods;
  if (found === undefined) return deletedPod(cluster, argument);
  if (others.length > 0) {
    const what = exact.length > 0 ? 'have this name' : 'begin with it';
    throw new UsageError(`pod ${JSON.stringify(name)} is not unique: ${listed([found, ...others])} ${what}`);
  }
  return nameOf(found);
}

/** A pod that is gone may be known to the scheduler all the same. */
function deletedPod(cluster: Pick<Cluster, 'explain'>, { namespace = 'default', name }: PodArgument): PodName {
  if (cluster.explain({ namespace, name }) !== undefined) return { namespace, name };
  throw new UsageError(`pod ${JSON.stringify(`${namespace}/${name}`)} not found`);
}

/** The first pod that has no node, or else the first. */
function podOfDeployment(cluster: Pick<Cluster, 'list'>, { namespace, name }: PodArgument): PodName {
  const found = cluster.list('Deployment').filter((each) => isIn(each, namespace) && each.metadata.name === name);
  const [deployment, ...others] = found;
  if (deployment === undefined) throw new UsageError(`deployment ${JSON.stringify(name)} not found`);
  if (others.length > 0) {
    throw new UsageError(`deployment ${JSON.stringify(name)} is not unique: ${listed(found)} have this name`);
  }
  const replicaSets = new Set(
    cluster
      .list('ReplicaSet')
      .filter((each) => isOwned(each, new Set([deployment.metadata.uid])))
      .map(({ metadata }) => metadata.uid),
  );
  const pods = cluster.list('Pod').filter((pod) => isOwned(pod, replicaSets));
  const pod = pods.find(({ spec }) => (spec.nodeName ?? '') === '') ?? pods[0];
  if (pod === undefined) throw new UsageError(`deployment ${JSON.stringify(name)} has no pods`);
  return nameOf(pod);
}

function isIn({ metadata }: Pod | Deployment, namespace: string | undefined): boolean {
  return namespace === undefined || metadata.namespace === namespace;
}

function isOwned({ metadata }: Pick<Pod, 'metadata'>, owners: ReadonlySet<string>): boolean {
  return metadata.ownerReferences?.some(({ uid }) => owners.has(uid)) ?? false;
}

function nameOf({ metadata: { namespace = 'default', name } }: Pod | Deployment): PodName {
  return { namespace, name };
}

function listed(objects: readonly (Pod | Deployment)[]): string {
  const names = objects.slice(0, MAX_LISTED).map((each) => {
    const { namespace, name } = nameOf(each);
    return `${namespace}/${name}`;
  });
  const rest = objects.length - names.length;
  return rest === 0 ? names.join(' and ') : `${names.join(', ')} and ${rest} more`;
}
