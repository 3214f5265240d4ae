/**
 * Attaches and detaches volumes as VolumeAttachments ask: what the external-attacher of each CSI driver does
 * in a cluster, in set times and without ever failing. It keeps an attachment that is deleted until the
 * volume is detached. Mirrors kubernetes-csi/external-attacher (v4).
 */
import { isApiError } from '../../api/api-error.js';
import type { VolumeAttachment } from '../../api/storage-objects.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import type { Lister } from '../../bus/bus-types.js';

/** What the driver is doing, and when it will have done it. */
interface Work {
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
    const { nowMs, leftMs } = progress(context, work, name, isDetaching);
    if (leftMs > 0) {
      context.queue.addAfter(name, leftMs);
      return;
    }
    work.set(name, { isDetaching, dueMs: nowMs });
    await (isDetaching ? letGo(context, attachment) : markAttached(context, name));
  },
});

/** How long the driver still needs; it begins if it was at something else. */
function progress(
  { kernel, settings }: ControllerContext,
  work: Map<string, Work>,
  name: string,
  isDetaching: boolean,
): { readonly nowMs: number; readonly leftMs: number } {
  const nowMs = kernel.clock.now();
  const present = work.get(name);
  if (present?.isDetaching === isDetaching) return { nowMs, leftMs: present.dueMs - nowMs };
  const leftMs = isDetaching ? settings.volumeDetachMs : settings.volumeAttachMs;
  work.set(name, { isDetaching, dueMs: nowMs + leftMs });
  return { nowMs, leftMs };
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

async function markAttached({ api }: ControllerContext, name: string): Promise<void> {
  await api.change(
    'VolumeAttachment',
    { name },
    (current) =>
      current.status?.attached === true ? current : { ...current, status: { ...current.status, attached: true } },
    { subresource: 'status' },
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
