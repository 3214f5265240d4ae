/**
 * Grows the volumes of claims that ask for more than they have: what the external-resizer of each CSI driver does in
 * a cluster, in set times and without ever failing. The volume's object has its new size first; the file system on
 * it grows on the machine that uses it, by its kubelet, and then the claim has it. A volume without a file system is
 * done at once. Mirrors kubernetes-csi/external-resizer (v1.13, expand_and_recover.go).
 */
import {
  allocatedSize,
  compareSizes,
  controllerResizeBegun,
  grantedSize,
  isNodeResizeDue,
  nodeResizePending,
  PRE_RESIZE_CAPACITY,
  requestedSize,
  resizeFinished,
  resizeStatusOf,
  volumeSize,
} from '../../api/volumes/claim-resize.js';
import { isApiError } from '../../api/errors/api-error.js';
import { keyOf } from '../../api/objects/objects.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/objects/storage-objects.js';
import { watchStorage, writeStorage, type StorageCache } from '../persistent-volume-binder/storage-access.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import { RetryError } from '../runtime/retry-error.js';
import { sidecarLimit } from '../runtime/sidecar-limit.js';

/** Default of the sidecar's --workers. */
const CONCURRENT_SYNCS = 10;
const RETRY_DELAYS = { baseDelayMs: 1000, maxDelayMs: 300_000 };

/** What the driver is doing for a claim, and when it will have done it. */
interface Work {
  readonly size: string;
  readonly dueMs: number;
}

interface State {
  readonly claims: StorageCache<'PersistentVolumeClaim'>;
  readonly volumes: StorageCache<'PersistentVolume'>;
  /** By the uid of the claim. */
  readonly work: Map<string, Work>;
}

/** See the file header. */
export const externalResizer = defineController<State>({
  name: 'external-resizer',
  concurrentSyncs: CONCURRENT_SYNCS,
  retryDelays: RETRY_DELAYS,
  clientLimit: sidecarLimit,
  setup(context) {
    const work = new Map<string, Work>();
    const seen = (claim: PersistentVolumeClaim): void => {
      if (isToBeSeen(claim)) context.queue.add(keyOf(claim));
    };
    return {
      claims: watchStorage(context, 'PersistentVolumeClaim', {
        onAdd: seen,
        onUpdate(previous, claim) {
          const hasGrown = compareSizes(grantedSize(claim), grantedSize(previous)) > 0;
          if (hasGrown && compareSizes(grantedSize(previous), undefined) > 0) context.queue.add(keyOf(claim));
          else if (compareSizes(requestedSize(claim), requestedSize(previous)) !== 0) seen(claim);
        },
        onDelete(claim) {
          work.delete(claim.metadata.uid);
          context.queue.cancel(keyOf(claim));
          context.queue.drop(keyOf(claim));
        },
      }),
      volumes: watchStorage(context, 'PersistentVolume'),
      work,
    };
  },
  async reconcile(context, key, state) {
    const claim = state.claims.get(key);
    const volume = state.volumes.get(claim?.spec.volumeName ?? '');
    if (claim === undefined || volume?.spec.csi === undefined) return;
    if (claim.status.phase !== 'Bound' || volume.spec.claimRef?.uid !== claim.metadata.uid) return;
    try {
      if (compareSizes(requestedSize(claim), grantedSize(claim)) > 0) await grow(context, key, claim, volume, state);
      else if (compareSizes(volumeSize(volume), grantedSize(claim)) <= 0) await forgetSize(context, volume, state);
    } catch (error) {
      if (isApiError(error, 'Conflict')) throw new RetryError(error.message);
      throw error;
    }
  },
});

function isToBeSeen(claim: PersistentVolumeClaim): boolean {
  return claim.status.phase === 'Bound' && compareSizes(requestedSize(claim), grantedSize(claim)) > 0;
}

/** Which size the storage is to reach now; `undefined` = what is under way on a machine has to end first. */
function nextSize(claim: PersistentVolumeClaim, volume: PersistentVolume): string | undefined {
  const [requested, allocated] = [requestedSize(claim) ?? '0', allocatedSize(claim)];
  const isSmaller = compareSizes(volumeSize(volume), requested) < 0;
  if (isNodeResizeDue(claim)) {
    // What was begun is brought to its end before anything larger is.
    return isSmaller && allocated !== undefined && compareSizes(volumeSize(volume), allocated) < 0
      ? allocated
      : undefined;
  }
  const isUnderWay = resizeStatusOf(claim) !== undefined || !isSmaller;
  return isUnderWay && allocated !== undefined && compareSizes(allocated, grantedSize(claim)) > 0
    ? allocated
    : requested;
}

async function grow(
  context: ControllerContext,
  key: string,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  state: State,
): Promise<void> {
  const { work } = state;
  const { uid } = claim.metadata;
  let present = work.get(uid);
  if (present === undefined) {
    const size = nextSize(claim, volume);
    if (size === undefined) return;
    await begin(context, claim, size, state);
    const text = `External resizer is resizing volume ${volume.metadata.name}`;
    context.recorder.record(claim, 'Normal', 'Resizing', text);
    present = { size, dueMs: context.kernel.clock.now() + context.settings.volumeExpandMs };
    work.set(uid, present);
  }
  const leftMs = present.dueMs - context.kernel.clock.now();
  if (leftMs > 0) return context.queue.addAfter(key, leftMs);
  await finish(context, key, present.size, state);
  work.delete(uid);
}

/** What is told already is not told again. */
async function begin(
  context: ControllerContext,
  claim: PersistentVolumeClaim,
  size: string,
  { claims }: State,
): Promise<void> {
  const isTold = resizeStatusOf(claim) === 'ControllerResizeInProgress' && allocatedSize(claim) === size;
  if (isTold) return;
  const begun = controllerResizeBegun(claim, size, context.timestamp());
  claims.note(await writeStorage(context, 'PersistentVolumeClaim', begun, 'status'));
}

/** The storage has grown: its volume says so, and then the claim what is left to be done. */
async function finish(context: ControllerContext, key: string, size: string, state: State): Promise<void> {
  const claim = state.claims.get(key);
  const volume = state.volumes.get(claim?.spec.volumeName ?? '');
  if (claim === undefined || volume === undefined) return;
  const isFileSystem = volume.spec.volumeMode !== 'Block';
  if (compareSizes(volumeSize(volume), size) < 0) {
    const grown = withSize(volume, size, isFileSystem ? grantedSize(claim) : undefined);
    state.volumes.note(await writeStorage(context, 'PersistentVolume', grown, 'spec'));
  }
  const next = isFileSystem ? nodeResizePending(claim, context.timestamp()) : resizeFinished(claim, size);
  state.claims.note(await writeStorage(context, 'PersistentVolumeClaim', next, 'status'));
  const [reason, text] = isFileSystem
    ? ['FileSystemResizeRequired', 'Require file system resize of volume on node']
    : ['VolumeResizeSuccessful', 'Resize volume succeeded'];
  context.recorder.record(claim, 'Normal', reason, text);
}

/** @param before - remembered until the file system has grown as well */
function withSize(volume: PersistentVolume, size: string, before: string | undefined): PersistentVolume {
  const { metadata, spec } = volume;
  const isRemembered = before === undefined || metadata.annotations?.[PRE_RESIZE_CAPACITY] !== undefined;
  const annotations = isRemembered ? metadata.annotations : { ...metadata.annotations, [PRE_RESIZE_CAPACITY]: before };
  return {
    ...volume,
    metadata: annotations === undefined ? metadata : { ...metadata, annotations },
    spec: { ...spec, capacity: { ...spec.capacity, storage: size } },
  };
}

async function forgetSize(context: ControllerContext, volume: PersistentVolume, { volumes }: State): Promise<void> {
  const { [PRE_RESIZE_CAPACITY]: before, ...annotations } = volume.metadata.annotations ?? {};
  if (before === undefined) return;
  const next = { ...volume, metadata: { ...volume.metadata, annotations } };
  volumes.note(await writeStorage(context, 'PersistentVolume', next, 'spec'));
}
