import type { Deployment, KindMap, ReplicaSet } from '../../api/objects/objects.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { REVISION, withScale } from './annotations.js';
import { newCondition, withCondition, type DeploymentStatus } from './conditions.js';
import { calculateStatus, rolloutStatus, stuckCheckInMs, type ReplicaSets } from './deployment-status.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import { maxSurgeOf, replicasOf } from './rolling-arithmetic.js';

/**
 * One sync of one Deployment: the object as the sync sees it, and the writes that several steps share.
 *
 * As upstream, the sync goes on with its own version of the object after a write, so that a second
 * write within one sync is refused with a conflict and the next sync makes it: that is why a new
 * replica set is told of before `observedGeneration` moves.
 */
export class DeploymentSync {
  /** The object with what this sync has changed of it so far. */
  deployment: Deployment;

  constructor(
    readonly context: ControllerContext,
    /** The work queue's key. */
    readonly key: string,
    deployment: Deployment,
  ) {
    this.deployment = deployment;
  }

  get nowMs(): number {
    return this.context.kernel.clock.now();
  }

  /** Sets the Progressing condition; it is written with the next {@link putStatus}. */
  setProgress(status: 'True' | 'False' | 'Unknown', reason: string, message: string): void {
    const condition = newCondition('Progressing', status, reason, message, this.context.timestamp());
    this.deployment = { ...this.deployment, status: withCondition(this.deployment.status, condition) };
  }

  /** Sets the revision annotation; `false` when it has that value already. */
  setRevision(revision: string): boolean {
    const { metadata } = this.deployment;
    if (metadata.annotations?.[REVISION] === revision) return false;
    const annotations = { ...metadata.annotations, [REVISION]: revision };
    this.deployment = { ...this.deployment, metadata: { ...metadata, annotations } };
    return true;
  }

  /** Writes annotations and status through the status subresource, which leaves the generation alone. */
  async putStatus(): Promise<void> {
    const { metadata, status } = this.deployment;
    const { annotations } = metadata;
    await this.#change((current) => ({
      ...current,
      metadata: annotations === undefined ? current.metadata : { ...current.metadata, annotations },
      status,
    }));
  }

  /** Writes what the replica sets say, without a word on progress. */
  async syncStatus(sets: ReplicaSets): Promise<void> {
    await this.#write(calculateStatus(this.deployment, sets, this.context.timestamp()));
  }

  /** Writes what the replica sets say; without news, sees to it that the deadline is not missed. */
  async syncRolloutStatus(sets: ReplicaSets): Promise<void> {
    const { timestamps } = this.context.kernel;
    const status = rolloutStatus(this.deployment, sets, this.nowMs, timestamps);
    if (await this.#write(status)) return;
    const checkInMs = stuckCheckInMs(this.deployment, status, this.nowMs, timestamps);
    if (checkInMs !== undefined) this.context.queue.addAfter(this.key, checkInMs);
  }

  /** Gives a replica set this size and the marks of the present scale; `undefined` when it has them. */
  async scaleReplicaSet(replicaSet: ReplicaSet, replicas: number): Promise<ReplicaSet | undefined> {
    const { deployment } = this;
    const desired = replicasOf(deployment);
    const former = replicasOf(replicaSet);
    const annotations = withScale(replicaSet.metadata.annotations, desired, desired + maxSurgeOf(deployment));
    if (former === replicas && annotations === replicaSet.metadata.annotations) return undefined;
    const scaled = await this.updateReplicaSet(replicaSet, (current) => ({
      ...current,
      metadata: { ...current.metadata, annotations },
      spec: former === replicas ? current.spec : { ...current.spec, replicas },
    }));
    if (former === replicas) return scaled;
    const direction = former < replicas ? 'up' : 'down';
    this.record(`Scaled ${direction} replica set ${replicaSet.metadata.name} from ${former} to ${replicas}`);
    return scaled;
  }

  /** {@link scaleReplicaSet}, but the marks alone are no reason to write. */
  async resizeReplicaSet(replicaSet: ReplicaSet, replicas: number): Promise<ReplicaSet | undefined> {
    return replicasOf(replicaSet) === replicas ? undefined : this.scaleReplicaSet(replicaSet, replicas);
  }

  /** Writes a replica set; refused if it was written since it was read. */
  updateReplicaSet(
    replicaSet: ReplicaSet,
    change: (current: ReplicaSet) => ReplicaSet,
  ): Promise<KindMap['ReplicaSet']> {
    const { uid, resourceVersion } = replicaSet.metadata;
    return this.context.api.change('ReplicaSet', replicaSet.metadata, change, {
      preconditions: { uid, resourceVersion },
    });
  }

  /** Tells of a change of scale. */
  record(message: string): void {
    this.context.recorder.record(this.deployment, 'Normal', 'ScalingReplicaSet', message);
  }

  async #write(status: DeploymentStatus): Promise<boolean> {
    if (isSameJson(this.deployment.status, status)) return false;
    await this.#change((current) => ({ ...current, status }));
    return true;
  }

  async #change(change: (current: Deployment) => Deployment): Promise<void> {
    const { metadata } = this.deployment;
    const { uid, resourceVersion } = metadata;
    await this.context.api.change('Deployment', metadata, change, {
      subresource: 'status',
      preconditions: { uid, resourceVersion },
    });
  }
}
