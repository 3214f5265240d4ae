/**
 * The ephemeral volume controller: makes the claims that pods bring along in their specs, and makes them anew when
 * somebody deletes them. They go with their pods by the garbage collector. Mirrors kube-controller-manager v1.34
 * pkg/controller/volume/ephemeral.
 */
import { claimedVolumes, ownershipProblem, PODS_BY_CLAIM } from '../../api/volumes/claimed-volumes.js';
import { ApiError } from '../../api/errors/api-error.js';
import { keyOf, type Draft, type Pod } from '../../api/objects/objects.js';
import type { Lister } from '../../bus/bus-types.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import { RetryError } from '../runtime/retry-error.js';

/** By default (--concurrent-ephemeralvolume-syncs). */
const CONCURRENT_SYNCS = 5;

interface State {
  readonly pods: Lister<'Pod'>;
  readonly claims: Lister<'PersistentVolumeClaim'>;
}

/** See the file header. */
export const ephemeralVolumeController = defineController<State>({
  name: 'ephemeral-volume-controller',
  component: 'ephemeral_volume',
  concurrentSyncs: CONCURRENT_SYNCS,
  setup(context) {
    const see = (pod: Pod): void => {
      if (pod.metadata.deletionTimestamp === undefined && bringsVolumes(pod)) context.queue.add(keyOf(pod));
    };
    // What a pod brings along cannot change, and goes by its owner.
    const pods = context.watch('Pod', { onAdd: see }, PODS_BY_CLAIM);
    const claims = context.watch('PersistentVolumeClaim', {
      onDelete: (claim) => {
        for (const pod of pods.byIndex('claim', keyOf(claim))) see(pod);
      },
    });
    return { pods, claims };
  },
  async reconcile(context, key, { pods, claims }) {
    const pod = pods.getByKey(key);
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return;
    for (const { name, claimName, isEphemeral } of claimedVolumes(pod)) {
      if (!isEphemeral) continue;
      try {
        await provide(context, claims, pod, name, claimName);
      } catch (error) {
        if (!(error instanceof RetryError)) throw error;
        const problem = `ephemeral volume ${name}: ${error.message}`;
        context.recorder.record(pod, 'Warning', 'FailedBinding', problem);
        throw new RetryError(`pod ${key}, ${problem}`);
      }
    }
  },
});

function bringsVolumes(pod: Pod): boolean {
  return claimedVolumes(pod).some(({ isEphemeral }) => isEphemeral);
}

/** Makes the claim of a volume, unless it is there. @throws RetryError if it is another's, or cannot be made */
async function provide(
  { api }: ControllerContext,
  claims: Lister<'PersistentVolumeClaim'>,
  pod: Pod,
  volume: string,
  claimName: string,
): Promise<void> {
  const { namespace = '', name, uid } = pod.metadata;
  const claim = claims.getByKey(`${namespace}/${claimName}`);
  if (claim !== undefined) {
    const problem = ownershipProblem(pod, claim);
    if (problem !== undefined) throw new RetryError(problem);
    return;
  }
  const { metadata = {}, spec } =
    pod.spec.volumes?.find((each) => each.name === volume)?.ephemeral?.volumeClaimTemplate ?? {};
  const { annotations, labels } = metadata;
  const draft: Draft = {
    metadata: {
      name: claimName,
      namespace,
      ...(annotations === undefined ? {} : { annotations }),
      ...(labels === undefined ? {} : { labels }),
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec,
  };
  try {
    await api.create('PersistentVolumeClaim', draft);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new RetryError(`create PVC ${claimName}: ${error.message}`);
  }
}
