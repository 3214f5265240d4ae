/**
 * One volume on its way to a node, or from it: the VolumeAttachment is created or deleted, and the volume's
 * driver answers there. Where attach records are kept, the record is taken before that and given up after it. Upstream: operationexecutor with the attacher of pkg/volume/csi (v1.34).
 */
import { ApiError, isApiError } from '../../api/errors/api-error.js';
import { attachmentName, handleOf, type VolumeHandle } from '../../api/volumes/attachable-volume.js';
import type { Draft, Pod } from '../../api/objects/objects.js';
import type { VolumeAttachment } from '../../api/objects/storage-objects.js';
import { LinkDownError } from '../../bus/bus-types.js';
import type { AttachedPair } from './actual-state.js';
import type { AttachDetachMemory } from './attach-detach-memory.js';
import { operationKey, type AttachOperation } from './attach-operation.js';
import { AttachmentPolls } from './attachment-polls.js';
import type { DesiredPair, PairKey } from './desired-state.js';
import type { OperationName } from './pending-operations.js';
import { noteRecord } from './recorded-attachments.js';

/** How a driver answers: it has done it, or why not. */
type Verdict = { readonly error?: string };

/** Begins to attach. */
export function beginAttach(memory: AttachDetachMemory, { key, nodeName, volume, pods }: DesiredPair): void {
  const { uniqueName, handle } = volume;
  begin(memory, 'attach', { key, nodeName, uniqueName, handle, volume }, [...pods.values()], false);
}

/** Begins to detach. @param how - `verified`: only if the node does not use the volume */
export function beginDetach(memory: AttachDetachMemory, pair: AttachedPair, how: 'verified' | 'forced'): void {
  const handle = pair.volume === undefined ? handleOf(pair.uniqueName) : pair.volume.handle;
  if (handle !== undefined || memory.records.guard(pair.volume))
    begin(memory, 'detach', { ...pair, handle }, [], how === 'verified');
}

const NOT_BEGUN = { isHeld: false, release: undefined, polls: undefined } as const;

type OperationTarget = Pick<AttachOperation, 'key' | 'nodeName' | 'uniqueName' | 'handle' | 'volume'>;

function begin(
  memory: AttachDetachMemory,
  name: OperationName,
  { key, nodeName, uniqueName, handle, volume }: OperationTarget,
  pods: readonly Pod[],
  isVerified: boolean,
): void {
  const exclusion = operationKey({ key, volume });
  const attachment = handle === undefined ? `the record of ${key}` : attachmentName(handle, nodeName);
  const target = { key, nodeName, uniqueName, handle, volume, attachment, exclusion };
  memory.operations.set(key, { ...target, ...NOT_BEGUN, name, pods, isVerified });
  memory.pending.begin(exclusion, name);
  memory.follow(attachment, key);
  memory.context.queue.add(`operation ${key}`);
}

/** Goes on with what is under way, as far as it gets. */
export async function stepOperation(memory: AttachDetachMemory, key: PairKey): Promise<void> {
  const operation = memory.operations.get(key);
  if (operation === undefined) return;
  if (operation.polls === undefined) {
    const verdict = await request(memory, operation);
    if (verdict !== undefined) return finish(memory, operation, verdict);
    operation.polls = new AttachmentPolls(memory.random, memory.nowMs);
  }
  const { polls } = operation;
  const verdict = read(operation, memory.attachments.getByKey(operation.attachment));
  const { nowMs } = memory;
  if (verdict === undefined) {
    if (nowMs >= polls.endMs) return finish(memory, operation, { error: timeoutText(operation) });
    memory.context.queue.addAfter(`operation ${key}`, polls.endMs - nowMs);
    return;
  }
  const lookMs = polls.notBefore(nowMs);
  if (lookMs > nowMs) memory.context.queue.addAfter(`operation ${key}`, lookMs - nowMs);
  else await finish(memory, operation, verdict);
}

/** Asks the driver. @returns how it ended, if nothing is to be waited for */
async function request(memory: AttachDetachMemory, operation: AttachOperation): Promise<Verdict | undefined> {
  const { context } = memory;
  const { name: what, attachment: name, handle } = operation;
  try {
    const refusal = await hold(memory, operation);
    if (refusal !== undefined) return { error: refusal };
    operation.isHeld = true;
    if (handle === undefined) return {};
    if (what === 'detach') await context.api.delete('VolumeAttachment', { name });
    else if (memory.attachments.getByKey(name) === undefined) {
      await context.api.create('VolumeAttachment', attachmentDraft(operation, handle));
    }
    return undefined;
  } catch (error) {
    if (isApiError(error, 'AlreadyExists')) return undefined;
    if (what === 'detach' && isApiError(error, 'NotFound')) return {};
    if (!(error instanceof ApiError) && !(error instanceof LinkDownError)) throw error;
    return { error: `kubernetes.io/csi: attacher.Attach failed: ${error.message}` };
  }
}

/** Makes sure that no other node has the volume, or that its node uses it no more. @returns why that is not so */
async function hold(memory: AttachDetachMemory, operation: AttachOperation): Promise<string | undefined> {
  const { name, nodeName, volume, pods, isVerified } = operation;
  const [pod] = pods;
  if (!memory.records.guard(volume)) {
    const isRefused = name === 'detach' && isVerified && (await isInUse(memory, operation));
    return isRefused ? 'the volume is still in use by the node, according to its status' : undefined;
  }
  if (name === 'attach') return pod === undefined ? undefined : memory.records.acquire(volume, nodeName, pod);
  const { refusal, release } = await memory.records.beginRelease(volume, nodeName);
  operation.release = release;
  return refusal;
}

/** By the node as stored, not as cached; one that is gone uses nothing. */
async function isInUse({ context }: AttachDetachMemory, { nodeName, uniqueName }: AttachOperation): Promise<boolean> {
  try {
    const { status } = await context.api.get('Node', { name: nodeName });
    return status.volumesInUse?.includes(uniqueName) === true;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return false;
    throw error;
  }
}

function attachmentDraft({ attachment: name, nodeName, volume }: AttachOperation, { driver }: VolumeHandle): Draft {
  const source = { persistentVolumeName: volume?.name };
  return { metadata: { name }, spec: { attacher: driver, nodeName, source } };
}

/** What a VolumeAttachment says; `undefined` = nothing yet. */
function read({ name }: AttachOperation, attachment: VolumeAttachment | undefined): Verdict | undefined {
  if (name === 'detach') {
    if (attachment === undefined) return {};
    const error = attachment.status?.detachError;
    return error === undefined ? undefined : { error: error.message ?? '' };
  }
  if (attachment === undefined) return undefined;
  if (attachment.metadata.deletionTimestamp !== undefined) return { error: 'volume attachment is being deleted' };
  const { attached = false, attachError } = attachment.status ?? {};
  if (attached) return {};
  return attachError === undefined ? undefined : { error: attachError.message ?? '' };
}

function timeoutText({ name, handle }: AttachOperation): string {
  const driver = name === 'attach' ? handle?.driver : 'unknown';
  return `timed out waiting for external-attacher of ${driver} CSI driver to ${name} volume ${handle?.handle}`;
}

/** The end: a volume that was detached is free only once its record says so. */
async function finish(memory: AttachDetachMemory, operation: AttachOperation, verdict: Verdict): Promise<void> {
  const { name, volume, release } = operation;
  if (name === 'attach' || verdict.error !== undefined || volume === undefined || release === undefined) {
    return end(memory, operation, verdict);
  }
  const error = await memory.records.endRelease(volume, release);
  end(memory, operation, error === undefined ? verdict : { error });
}

/** Notes what the operation has come to, and has the next pass look at the pairs that waited for it. */
function end(memory: AttachDetachMemory, operation: AttachOperation, { error }: Verdict): void {
  const { operations, pending } = memory;
  const { name, key, exclusion, attachment, uniqueName } = operation;
  operations.delete(key);
  memory.unfollow(attachment);
  if (error === undefined) pending.succeeded(exclusion);
  else pending.failed(exclusion);
  if (name === 'attach') endAttach(memory, operation, error);
  else endDetach(memory, operation, error);
  // Its record may have changed meanwhile, by an answer that was lost as well: such news waited for the end.
  const volume = operation.volume ?? memory.actual.get(key)?.volume;
  if (memory.records.guard(volume)) noteRecord(memory, volume.name);
  memory.touch(key);
  memory.touchVolume(uniqueName);
}

function endAttach(memory: AttachDetachMemory, operation: AttachOperation, error: string | undefined): void {
  const { actual, context } = memory;
  const { nodeName, uniqueName, volume, pods, isHeld } = operation;
  if (volume === undefined) return;
  if (error === undefined) actual.markAttached(nodeName, uniqueName, volume);
  else if (isHeld) memory.markUncertain(nodeName, volume);
  for (const pod of pods) {
    if (error === undefined) {
      const message = `AttachVolume.Attach succeeded for volume "${volume.name}" `;
      context.recorder.record(pod, 'Normal', 'SuccessfulAttachVolume', message);
    } else {
      const message = `AttachVolume.Attach failed for volume "${volume.name}" : ${error}`;
      context.recorder.record(pod, 'Warning', 'FailedAttachVolume', message);
    }
  }
}

/** After a failure it may be detached all the same: the news of its VolumeAttachment went to the operation alone. */
function endDetach(memory: AttachDetachMemory, operation: AttachOperation, error: string | undefined): void {
  const { actual, detached } = memory;
  const pair = actual.get(operation.key);
  if (pair === undefined) return;
  if (error === undefined) {
    actual.markDetached(pair);
    detached.add(pair.key);
    return;
  }
  actual.report(pair.nodeName, pair.uniqueName);
  memory.suspect(pair.key);
}
