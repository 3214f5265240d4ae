import { isPodTerminal } from '../../api/objects/conditions.js';
import { compileLabelSelector } from '../../api/selectors/labels.js';
import { keyOf, type Deployment, type Pod, type ReplicaSet } from '../../api/objects/objects.js';
import type { Lister } from '../../bus/bus-types.js';
import { BY_NAMESPACE, BY_OWNER } from '../../bus/object-index.js';
import { controllerOf } from '../../api/objects/owners.js';
import { BY_ORPHANAGE } from '../shared/orphans.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { isEmpty } from '../shared/is-empty.js';

/** The memory of a run of the deployment controller: which events concern which Deployment. */
export class DeploymentMemory {
  readonly deployments: Lister<'Deployment'>;
  readonly replicaSets: Lister<'ReplicaSet'>;
  readonly #pods: Lister<'Pod'>;
  readonly #queue: ControllerContext['queue'];

  constructor(context: ControllerContext) {
    this.#queue = context.queue;
    this.deployments = context.informer('Deployment', BY_NAMESPACE);
    this.replicaSets = context.informer('ReplicaSet', { ...BY_OWNER, ...BY_ORPHANAGE });
    this.#pods = context.informer('Pod', BY_OWNER);
    const enqueue = (deployment: Deployment): void => this.#queue.add(keyOf(deployment));
    context.watch('Deployment', {
      onAdd: enqueue,
      onUpdate: (_previous, deployment) => enqueue(deployment),
      onDelete: enqueue,
    });
    context.watch('ReplicaSet', {
      onAdd: (replicaSet) => this.#replicaSetSeen(replicaSet),
      onUpdate: (previous, replicaSet) => {
        if (previous.metadata.ownerReferences !== replicaSet.metadata.ownerReferences) this.#ownerSeen(previous);
        this.#replicaSetSeen(replicaSet);
      },
      onDelete: (replicaSet) => this.#ownerSeen(replicaSet),
    });
    context.watch('Pod', { onDelete: (pod) => this.#podDeleted(pod) });
  }

  /** Replica sets controlled by that Deployment. */
  replicaSetsOf({ metadata: { uid } }: Deployment): ReplicaSet[] {
    return [...this.replicaSets.byIndex('owner', uid)].filter(
      ({ metadata }) => controllerOf({ metadata })?.uid === uid,
    );
  }

  /** Replica sets without a controller in a namespace. */
  orphansIn(namespace: string | undefined): Iterable<ReplicaSet> {
    return this.replicaSets.byIndex('orphan', namespace ?? '');
  }

  /** Whether a pod of these replica sets, other than `except`, is not over yet; a terminating one is not. */
  hasRunningPods(replicaSets: readonly ReplicaSet[], except: ReplicaSet | undefined): boolean {
    return replicaSets.some(({ metadata: { uid } }) => {
      if (uid === except?.metadata.uid) return false;
      for (const pod of this.#pods.byIndex('owner', uid)) if (!isPodTerminal(pod)) return true;
      return false;
    });
  }

  #replicaSetSeen(replicaSet: ReplicaSet): void {
    if (this.#ownerSeen(replicaSet)) return;
    for (const deployment of this.deployments.byIndex('namespace', replicaSet.metadata.namespace ?? '')) {
      const selector = compileLabelSelector(deployment.spec.selector);
      if (selector.matches(replicaSet.metadata.labels)) this.#queue.add(keyOf(deployment));
    }
  }

  /** Adds the Deployment that owns a replica set; `false` when the replica set has no controller. */
  #ownerSeen({ metadata }: ReplicaSet): boolean {
    const owner = this.#deploymentOf(metadata);
    if (owner !== undefined) this.#queue.add(keyOf(owner));
    return controllerOf({ metadata }) !== undefined;
  }

  /** A Deployment that recreates waits for the last of its old pods. */
  #podDeleted(pod: Pod): void {
    const controller = controllerOf(pod);
    if (controller?.kind !== 'ReplicaSet') return;
    const replicaSet = this.replicaSets.get({ namespace: pod.metadata.namespace, name: controller.name });
    if (replicaSet?.metadata.uid !== controller.uid) return;
    const deployment = this.#deploymentOf(replicaSet.metadata);
    if (deployment?.spec.strategy?.type !== 'Recreate') return;
    const hasPods = this.replicaSetsOf(deployment).some(
      ({ metadata }) => !isEmpty(this.#pods.byIndex('owner', metadata.uid)),
    );
    if (!hasPods) this.#queue.add(keyOf(deployment));
  }

  #deploymentOf(metadata: ReplicaSet['metadata']): Deployment | undefined {
    const controller = controllerOf({ metadata });
    if (controller?.kind !== 'Deployment') return undefined;
    const deployment = this.deployments.get({ namespace: metadata.namespace, name: controller.name });
    return deployment?.metadata.uid === controller.uid ? deployment : undefined;
  }
}
