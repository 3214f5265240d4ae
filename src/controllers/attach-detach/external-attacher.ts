/**
 * Attaches and detaches volumes as VolumeAttachments ask: what the external-attacher of each CSI driver does
 * in a cluster, in set times, and failing only where the storage does. It keeps an attachment that is deleted
 * until the volume is detached. Mirrors kubernetes-csi/external-attacher (v4).
 */
import { isApiError } from '../../api/errors/api-error.js';
import { attachRecordOf } from '../../api/volumes/attach-record.js';
import { attachingOf, csiVolumeOf } from '../../api/volumes/attachable-volume.js';
import type { VolumeAttachment } from '../../api/objects/storage-objects.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import { RetryError } from '../runtime/retry-error.js';
import type { Lister } from '../../bus/bus-types.js';
import { sidecarLimit } from '../runtime/sidecar-limit.js';

/** The attacher's --retry-interval-start and --retry-interval-max. */
const [FIRST_RETRY_MS, LONGEST_RETRY_MS] = [1000, 300_000];

/** What the driver is doing, and when it will have done it. */
interface Work {
  /** Of the attachment. */
  readonly uid: string;
  readonly isDetaching: boolean;
  readonly dueMs: number;
}

interface State {
  readonly attachments: Lister<'VolumeAttachment'>;
  readonly work: Map<string, Work>;
}

/** See the file header. */
export const externalAttacher = defineController<State>({
  name: 'external-attacher',
  concurrentSyncs: Number.POSITIVE_INFINITY,
  retryDelays: { baseDelayMs: FIRST_RETRY_MS, maxDelayMs: LONGEST_RETRY_MS },
  clientLimit: sidecarLimit,
  setup(context) {
    const work = new Map<string, Work>();
    const attachments = context.watch('VolumeAttachment', {
      onAdd: ({ metadata }) => context.queue.add(metadata.name),
      onUpdate: (_previous, { metadata }) => context.queue.add(metadata.name),
      onDelete: ({ metadata }) => {
        work.delete(metadata.name);
        context.queue.cancel(metadata.name);
        context.queue.drop(metadata.name);
      },
    });
    return { attachments, work };
  },
  async reconcile(context, name, { attachments, work }) {
    const attachment = attachments.getByKey(name);
    if (attachment === undefined) return;
    const isDetaching = attachment.metadata.deletionTimestamp !== undefined;
    const isHeld = attachment.metadata.finalizers?.includes(finalizerOf(attachment)) === true;
    if (isDetaching ? !isHeld : attachment.status?.attached === true) {
      work.delete(name);
      return;
    }
    if (!isHeld) await hold(context, attachment);
    const { nowMs, leftMs } = progress(context, work, attachment, isDetaching);
    if (leftMs > 0) {
      context.queue.addAfter(name, leftMs);
      return;
    }
    const problem = await problemOf(context, attachment, isDetaching);
    if (problem !== undefined) {
      work.delete(name);
      await saveError(context, attachment, isDetaching, problem);
      throw new RetryError(`failed to ${operationOf(isDetaching)}: ${problem}`);
    }
    work.set(name, { uid: attachment.metadata.uid, isDetaching, dueMs: nowMs });
    await (isDetaching ? letGo(context, attachment) : markAttached(context, attachment));
  },
});

/** How long the driver still needs; it begins if it was at something else. */
function progress(
  { kernel, settings, storage }: ControllerContext,
  work: Map<string, Work>,
  { metadata: { name, uid }, spec: { nodeName } }: VolumeAttachment,
  isDetaching: boolean,
): { readonly nowMs: number; readonly leftMs: number } {
  const nowMs = kernel.clock.now();
  const present = work.get(name);
  if (present?.isDetaching === isDetaching && present.uid === uid) return { nowMs, leftMs: present.dueMs - nowMs };
  const usualMs = isDetaching ? settings.volumeDetachMs : settings.volumeAttachMs;
  const leftMs = usualMs + storage.delayOf(`${operationOf(isDetaching)} ${nodeName}`);
  work.set(name, { uid, isDetaching, dueMs: nowMs + leftMs });
  return { nowMs, leftMs };
}

function operationOf(isDetaching: boolean): 'attach' | 'detach' {
  return isDetaching ? 'detach' : 'attach';
}

/** Why the storage does not do it; `undefined` = it does. */
async function problemOf(
  context: ControllerContext,
  attachment: VolumeAttachment,
  isDetaching: boolean,
): Promise<string | undefined> {
  const { nodeName, source } = attachment.spec;
  const error =
    context.storage.errorOf(`${operationOf(isDetaching)} ${nodeName}`) ??
    (isDetaching ? undefined : context.storage.errorOf(attachingOf(nodeName, source.persistentVolumeName ?? '')));
  if (error !== undefined || isDetaching || !context.settings.attachRecords) return error;
  return recordProblem(context, attachment);
}

/** Where records are kept a volume goes to the recorded node alone; the record is read from the API, not a cache. */
async function recordProblem({ api }: ControllerContext, { spec }: VolumeAttachment): Promise<string | undefined> {
  const name = spec.source.persistentVolumeName ?? '';
  try {
    const volume = await api.get('PersistentVolume', { name });
    const record = attachRecordOf(volume);
    if (csiVolumeOf(volume)?.isExclusive !== true) return undefined;
    if (record?.nodeName === spec.nodeName && record.release === undefined) return undefined;
    return `rpc error: code = FailedPrecondition desc = no attach record gives volume ${name} to node ${spec.nodeName}`;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function saveError(
  context: ControllerContext,
  { metadata: { name, uid } }: VolumeAttachment,
  isDetaching: boolean,
  message: string,
): Promise<void> {
  const failure = { message, time: context.timestamp() };
  const told = isDetaching ? { detachError: failure } : { attachError: failure };
  try {
    await context.api.change(
      'VolumeAttachment',
      { name },
      (current) => ({ ...current, status: { attached: false, ...current.status, ...told } }),
      { subresource: 'status', preconditions: { uid } },
    );
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}

/** Deleted attachments stay until their volumes are detached. */
async function hold({ api }: ControllerContext, { metadata, spec }: VolumeAttachment): Promise<void> {
  const finalizer = finalizerOf({ spec });
  await api.change('VolumeAttachment', { name: metadata.name }, (current) => {
    const { finalizers = [] } = current.metadata;
    if (finalizers.includes(finalizer)) return current;
    return { ...current, metadata: { ...current.metadata, finalizers: [...finalizers, finalizer] } };
  });
}

/** One that is to go meanwhile is not attached any more. */
async function markAttached({ api }: ControllerContext, { metadata: { name, uid } }: VolumeAttachment): Promise<void> {
  await api.change(
    'VolumeAttachment',
    { name },
    (current) => {
      const { attached = false, attachError: _solved, ...status } = current.status ?? {};
      if (attached || current.metadata.deletionTimestamp !== undefined) return current;
      return { ...current, status: { ...status, attached: true } };
    },
    { subresource: 'status', preconditions: { uid } },
  );
}

async function letGo({ api }: ControllerContext, { metadata, spec }: VolumeAttachment): Promise<void> {
  const finalizer = finalizerOf({ spec });
  try {
    await api.change('VolumeAttachment', { name: metadata.name }, (current) => {
      const { finalizers = [] } = current.metadata;
      const left = finalizers.filter((each) => each !== finalizer);
      return { ...current, metadata: { ...current.metadata, finalizers: left } };
    });
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}

function finalizerOf({ spec }: Pick<VolumeAttachment, 'spec'>): string {
  return `external-attacher/${spec.attacher.replaceAll(/[^a-zA-Z0-9-]/g, '-')}`;
}
