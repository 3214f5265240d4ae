import { isApiError } from '../../api/errors/api-error.js';
import type { ControllerRevision, Pod, StatefulSet } from '../../api/objects/objects.js';
import type { PersistentVolumeClaim } from '../../api/objects/storage-objects.js';
import type { Lister } from '../../bus/bus-types.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { RetryError } from '../runtime/retry-error.js';
import {
  hasUnexpectedController,
  hasWantedOwners,
  isOfPod,
  keepsScaledClaims,
  wantedOwners,
} from './claim-retention.js';
import { claimKeys, hasStorage, plannedClaims } from './claim-templates.js';
import { identityLabels, isInRange, podNameOf, type Seat } from './identity.js';
import { podDraft, podVolumes } from './pod-draft.js';
import { withOwners } from '../shared/adoption.js';

/** Creates, repairs and deletes the pods of one set and their claims, and tells of it. */
export class PodWriter {
  readonly #context: ControllerContext;
  readonly #set: StatefulSet;
  readonly #claims: Lister<'PersistentVolumeClaim'>;

  constructor(context: ControllerContext, set: StatefulSet, claims: Lister<'PersistentVolumeClaim'>) {
    this.#context = context;
    this.#set = set;
    this.#claims = claims;
  }

  /** The claim of an ordinal that still belongs to a former pod of that name, and will go as that one did. */
  staleClaimOf(ordinal: number): string | undefined {
    if (keepsScaledClaims(this.#set)) return undefined;
    const podName = podNameOf(this.#set, ordinal);
    return claimKeys(this.#set, ordinal).find((key) => {
      const claim = this.#claims.getByKey(key);
      return claim !== undefined && isOfPod(claim, podName);
    });
  }

  /** Creates the pod of an ordinal, its claims first. @throws the refusal, after telling of it */
  async create(ordinal: number, revision: ControllerRevision): Promise<void> {
    const { api } = this.#context;
    const name = podNameOf(this.#set, ordinal);
    let pod: Pod;
    try {
      await this.#createClaims(ordinal, name);
      pod = await api.create('Pod', podDraft(this.#set, revision, ordinal));
    } catch (error) {
      // The pod is there, and the cache will show it: this is no failure.
      if (!isApiError(error, 'AlreadyExists')) this.#recordPod('create', name, error);
      throw error;
    }
    await this.#settleOwnersOrTell({ ordinal, pod });
    this.#recordPod('create', name);
  }

  /** Creates claims that a pod waits for. @throws RetryError */
  async completeClaims(seat: Seat): Promise<void> {
    if (claimKeys(this.#set, seat.ordinal).length === 0) return;
    await this.#createClaims(seat.ordinal, seat.pod.metadata.name);
    await this.#settleOwnersOrTell(seat);
  }

  /** Gives a pod back the labels and claims that make it the one of its ordinal. @throws the refusal */
  async repair(seat: Seat): Promise<void> {
    const { ordinal, pod } = seat;
    const { name, uid } = pod.metadata;
    try {
      if (!hasStorage(this.#set, ordinal, pod)) await this.#createClaims(ordinal, name);
      await this.settleOwners(seat);
      await this.#context.api.change('Pod', pod.metadata, (current) => this.#repaired(current, ordinal), {
        preconditions: { uid },
      });
    } catch (error) {
      this.#recordPod('update', name, error);
      throw error;
    }
    this.#recordPod('update', name);
  }

  /** Deletes a pod gracefully. @throws the refusal, after telling of it */
  async delete({ metadata }: Pod): Promise<void> {
    try {
      await this.#context.api.delete('Pod', metadata);
    } catch (error) {
      this.#recordPod('delete', metadata.name, error);
      throw error;
    }
    this.#recordPod('delete', metadata.name);
  }

  /** Whether the claims of a pod have the owners that the policy says. */
  hasWantedOwners(seat: Seat): boolean {
    if (this.#set.spec.volumeClaimTemplates === undefined) return true;
    const owners = this.#ownersOf(seat);
    return this.#claimsOf(seat.ordinal).every((claim) => hasWantedOwners(claim, owners));
  }

  /** Gives the claims of a pod the owners that the policy says. @throws RetryError */
  async settleOwners(seat: Seat): Promise<void> {
    if (!this.hasWantedOwners(seat)) await this.#settleOwners(seat);
  }

  async #settleOwnersOrTell(seat: Seat): Promise<void> {
    try {
      await this.#settleOwners(seat);
    } catch (error) {
      this.#recordPod('update', seat.pod.metadata.name, error);
      throw error;
    }
  }

  async #settleOwners(seat: Seat): Promise<void> {
    const { api, recorder } = this.#context;
    const owners = this.#ownersOf(seat);
    for (const claim of this.#claimsOf(seat.ordinal)) {
      const { name, uid } = claim.metadata;
      if (hasUnexpectedController(claim, owners)) {
        const text = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
        recorder.record(this.#set, 'Warning', 'ConflictingController', text);
      }
      if (hasWantedOwners(claim, owners)) continue;
      try {
        await api.change(
          'PersistentVolumeClaim',
          claim.metadata,
          (current) =>
            hasWantedOwners(current, owners) ? current : withOwners(current, wantedOwners(current, owners)),
          { preconditions: { uid } },
        );
      } catch (error) {
        throw new RetryError(`could not update claim ${name} for delete policy ownerRefs: ${messageOf(error)}`);
      }
    }
  }

  async #createClaims(ordinal: number, podName: string): Promise<void> {
    const { api, recorder } = this.#context;
    const failures: string[] = [];
    for (const { name, key, draft } of plannedClaims(this.#set, ordinal)) {
      const claim = this.#claims.getByKey(key);
      if (claim !== undefined) {
        if (claim.metadata.deletionTimestamp !== undefined) failures.push(`pvc ${name} is being deleted`);
        continue;
      }
      const about = `Claim ${name} Pod ${podName} in StatefulSet ${this.#set.metadata.name}`;
      try {
        await api.create('PersistentVolumeClaim', draft);
        recorder.record(this.#set, 'Normal', 'SuccessfulCreate', `create ${about} success`);
      } catch (error) {
        failures.push(`failed to create PVC ${name}: ${messageOf(error)}`);
        if (isApiError(error, 'AlreadyExists')) continue;
        const text = `create Claim ${name} for Pod ${podName} in StatefulSet ${this.#set.metadata.name} failed error: ${messageOf(error)}`;
        recorder.record(this.#set, 'Warning', 'FailedCreate', text);
      }
    }
    if (failures.length > 0) throw new RetryError(failures.length === 1 ? failures[0] : `[${failures.join(', ')}]`);
  }

  #repaired(pod: Pod, ordinal: number): Pod {
    const { metadata, spec } = pod;
    const labels = { ...metadata.labels, ...identityLabels(this.#set, ordinal) };
    const volumes = podVolumes(this.#set, ordinal, spec.volumes);
    return {
      ...pod,
      metadata: { ...metadata, labels },
      ...(volumes === undefined ? {} : { spec: { ...spec, volumes } }),
    };
  }

  #claimsOf(ordinal: number): readonly PersistentVolumeClaim[] {
    return claimKeys(this.#set, ordinal).flatMap((key) => this.#claims.getByKey(key) ?? []);
  }

  #ownersOf({ ordinal, pod }: Seat): { set: StatefulSet; pod: Pod; isCondemned: boolean } {
    return { set: this.#set, pod, isCondemned: !isInRange(this.#set, ordinal) };
  }

  #recordPod(verb: 'create' | 'update' | 'delete', podName: string, error?: unknown): void {
    const { recorder } = this.#context;
    const what = `${verb} Pod ${podName} in StatefulSet ${this.#set.metadata.name}`;
    const suffix = `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
    if (error === undefined) recorder.record(this.#set, 'Normal', `Successful${suffix}`, `${what} successful`);
    else recorder.record(this.#set, 'Warning', `Failed${suffix}`, `${what} failed error: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
