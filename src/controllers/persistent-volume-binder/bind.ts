/** The four writes that bind a claim and a volume, each left out when it would change nothing. */
import { isSameJson } from '../../api/values/canonical-json.js';
import { PRE_RESIZE_CAPACITY } from '../../api/volumes/claim-resize.js';
import { keyOf, type core } from '../../api/objects/objects.js';
import { compareQuantities, knownQuantity } from '../../api/values/quantity.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/objects/storage-objects.js';
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, boundVolume, withAnnotation } from '../../api/volumes/volume-rules.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { RetryError } from '../runtime/retry-error.js';
import type { BinderMemory } from './binder-memory.js';
import { writeStorage } from './storage-access.js';

/** What the binder's steps work with. */
export interface Binder {
  readonly context: ControllerContext;
  readonly memory: BinderMemory;
}

/** Binds: the volume's spec, the volume's status, the claim's spec, the claim's status. */
export async function bind(binder: Binder, volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<void> {
  const { name } = volume.metadata;
  if (!binder.memory.hold(name, keyOf(claim))) throw new RetryError(`volume ${name} is being bound to another claim`);
  try {
    const taken = await putVolume(binder, volume, boundVolume(volume, claim));
    const bound = await putVolumePhase(binder, taken, 'Bound');
    const completed = await putClaim(binder, claim, completedClaim(claim, bound));
    await putClaimStatus(binder, completed, { phase: 'Bound', ...grantOf(bound) });
  } finally {
    binder.memory.release(name);
  }
}

function completedClaim(claim: PersistentVolumeClaim, { metadata: volume }: PersistentVolume): PersistentVolumeClaim {
  const isChosen = claim.spec.volumeName === volume.name;
  const isMarked = isChosen || claim.metadata.annotations?.[BOUND_BY_CONTROLLER] !== undefined;
  const marked = isMarked ? claim.metadata : withAnnotation(claim.metadata, BOUND_BY_CONTROLLER, 'yes');
  const isCompleted = marked.annotations?.[BIND_COMPLETED] !== undefined;
  const metadata = isCompleted ? marked : withAnnotation(marked, BIND_COMPLETED, 'yes');
  if (isChosen && metadata === claim.metadata) return claim;
  return { ...claim, metadata, spec: { ...claim.spec, volumeName: volume.name } };
}

/** What a claim's status says of its volume: the former size, while the file system has still to grow. */
function grantOf({
  metadata,
  spec,
}: PersistentVolume): Pick<core.PersistentVolumeClaimStatus, 'accessModes' | 'capacity'> {
  const { accessModes } = spec;
  const before = metadata.annotations?.[PRE_RESIZE_CAPACITY];
  const capacity = before === undefined ? spec.capacity : { ...spec.capacity, storage: before };
  return { ...(accessModes === undefined ? {} : { accessModes }), ...(capacity === undefined ? {} : { capacity }) };
}

/** Writes a volume's metadata and spec. */
export async function putVolume(
  { context, memory }: Binder,
  volume: PersistentVolume,
  next: PersistentVolume,
): Promise<PersistentVolume> {
  if (next === volume) return volume;
  const stored = await writeStorage(context, 'PersistentVolume', next, 'spec');
  memory.volumes.note(stored);
  return stored;
}

/** Writes a volume's phase, with what there is to say of it. */
export async function putVolumePhase(
  { context, memory }: Binder,
  volume: PersistentVolume,
  phase: string,
  message?: string,
): Promise<PersistentVolume> {
  if (volume.status.phase === phase) return volume;
  const { message: _message, ...others } = volume.status;
  const status = { ...others, phase, lastPhaseTransitionTime: context.timestamp() };
  const next = { ...volume, status: message === undefined ? status : { ...status, message } };
  const stored = await writeStorage(context, 'PersistentVolume', next, 'status');
  memory.volumes.note(stored);
  return stored;
}

/** Writes a claim's metadata and spec. */
export async function putClaim(
  { context, memory }: Binder,
  claim: PersistentVolumeClaim,
  next: PersistentVolumeClaim,
): Promise<PersistentVolumeClaim> {
  if (next === claim) return claim;
  const stored = await writeStorage(context, 'PersistentVolumeClaim', next, 'spec');
  memory.claims.note(stored);
  return stored;
}

/**
 * Writes a claim's phase and what it was granted; without a volume nothing is. Once it is bound its size is left to
 * the resizer and the kubelet. Tells whether it changed.
 */
export async function putClaimStatus(
  { context, memory }: Binder,
  claim: PersistentVolumeClaim,
  { phase, accessModes, capacity: granted }: core.PersistentVolumeClaimStatus,
): Promise<boolean> {
  const { status } = claim;
  const capacity = phase === 'Bound' && status.phase === phase ? status.capacity : granted;
  const isSameGrant = isSameJson(status.accessModes, accessModes) && isSameCapacity(status.capacity, capacity);
  if (status.phase === phase && isSameGrant) return false;
  const { accessModes: _modes, capacity: _capacity, ...rest } = status;
  const next = {
    ...claim,
    status: {
      ...rest,
      ...(phase === undefined ? {} : { phase }),
      ...(accessModes === undefined ? {} : { accessModes }),
      ...(capacity === undefined ? {} : { capacity }),
    },
  };
  memory.claims.note(await writeStorage(context, 'PersistentVolumeClaim', next, 'status'));
  return true;
}

type Capacity = core.PersistentVolumeClaimStatus['capacity'];

function isSameCapacity(left: Capacity, right: Capacity): boolean {
  const [a, b] = [left?.['storage'], right?.['storage']];
  if (a === undefined || b === undefined) return a === b;
  return compareQuantities(knownQuantity(a), knownQuantity(b)) === 0;
}
