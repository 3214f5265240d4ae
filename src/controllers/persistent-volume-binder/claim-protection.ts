/**
 * Claim protection: a claim that is deleted stays until no pod on a node refers to it, be that pod finished
 * or not. Mirrors kube-controller-manager v1.34 pkg/controller/volume/pvcprotection.
 */
import { claimKeysOf, ownershipProblem, PODS_BY_CLAIM } from '../../api/volumes/claimed-volumes.js';
import { keyOf, parseKey, type Pod } from '../../api/objects/objects.js';
import type { PersistentVolumeClaim } from '../../api/objects/storage-objects.js';
import type { Lister } from '../../bus/bus-types.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import { addFinalizer, removeFinalizer } from './protection-finalizer.js';

const FINALIZER = 'kubernetes.io/pvc-protection';

interface State {
  readonly claims: Lister<'PersistentVolumeClaim'>;
  readonly pods: Lister<'Pod'>;
}

/** See the file header. */
export const claimProtection = defineController<State>({
  name: 'persistentvolumeclaim-protection-controller',
  concurrentSyncs: Number.POSITIVE_INFINITY,
  setup(context) {
    const see = (claim: PersistentVolumeClaim): void => {
      if (needsWork(claim)) context.queue.add(keyOf(claim));
    };
    const claims = context.watch('PersistentVolumeClaim', { onAdd: see, onUpdate: (_previous, claim) => see(claim) });
    const freed = (pod: Pod): void => {
      for (const key of claimKeysOf(pod)) if (claims.getByKey(key) !== undefined) context.queue.add(key);
    };
    const pods = context.watch('Pod', { onDelete: freed }, PODS_BY_CLAIM);
    return { claims, pods };
  },
  async reconcile(context, key, { claims, pods }) {
    const claim = claims.getByKey(key);
    if (claim === undefined || !needsWork(claim)) return;
    const name = parseKey(key);
    if (claim.metadata.deletionTimestamp === undefined) {
      await addFinalizer(context, 'PersistentVolumeClaim', name, FINALIZER);
    } else if (!isUsed(claim, pods.byIndex('claim', key)) && !(await isUsedAfterAll(context, claim))) {
      await removeFinalizer(context, 'PersistentVolumeClaim', name, FINALIZER);
    }
  },
});

/** Claims that live have the finalizer; those that are deleted are to lose it. */
function needsWork({ metadata }: PersistentVolumeClaim): boolean {
  const isProtected = metadata.finalizers?.includes(FINALIZER) === true;
  return isProtected === (metadata.deletionTimestamp !== undefined);
}

function isUsed(claim: PersistentVolumeClaim, pods: Iterable<Pod>): boolean {
  for (const pod of pods) if (uses(pod, claim)) return true;
  return false;
}

/** The cache may be late: the API server is asked, too. */
async function isUsedAfterAll({ api }: ControllerContext, claim: PersistentVolumeClaim): Promise<boolean> {
  const { namespace } = claim.metadata;
  const { items } = await api.list('Pod', { namespace });
  return isUsed(claim, items);
}

/** Pods without a node are not counted: their kubelets would not start them with a claim that is deleted. */
function uses(pod: Pod, claim: PersistentVolumeClaim): boolean {
  const { spec, metadata } = pod;
  if ((spec.nodeName ?? '') === '' || !claimKeysOf(pod).includes(keyOf(claim))) return false;
  const { name } = claim.metadata;
  if (spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name) === true)
    return true;
  const isShutDown = metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
  return !isShutDown && ownershipProblem(pod, claim) === undefined;
}
