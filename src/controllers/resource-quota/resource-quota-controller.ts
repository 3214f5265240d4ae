/**
 * The quota controller: takes over what a quota's spec says into its status, and counts anew what is used when
 * something that a quota counts goes. Between two counts admission keeps the status. Mirrors kube-controller-manager
 * v1.34 pkg/controller/resourcequota; unlike it, it follows only kinds that some quota names.
 */
import { keyOf } from '../../api/objects/objects.js';
import { isSameAmounts, onlyNamed, readAmounts, writeAmounts } from '../../api/quota/quota-amounts.js';
import type { ResourceQuota } from '../../api/quota/quota-object.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import { QuotaMemory, RESYNC } from './quota-memory.js';

/** See the file header. */
export const resourceQuotaController = defineController<QuotaMemory>({
  name: 'resourcequota-controller',
  setup(context) {
    const memory = new QuotaMemory(context);
    const seen = (stored: ResourceQuota): void => {
      memory.note(stored);
      context.queue.add(keyOf(stored));
    };
    memory.quotas = context.watch('ResourceQuota', {
      onAdd: seen,
      onUpdate: (previous, stored) => {
        const [before, after] = [previous, stored].map((each) => hardOf(each));
        if (before !== undefined && after !== undefined && isSameAmounts(before, after)) memory.noteUse();
        else seen(stored);
      },
      onDelete: (stored) => memory.forget(stored),
    });
    return memory;
  },
  async reconcile(context, key, memory) {
    if (key === RESYNC) return memory.resync();
    const quota = memory.quotas?.getByKey(key);
    if (quota === undefined || !memory.isCountable(quota)) return;
    await writeStatus(context, quota, memory);
  },
});

function hardOf({ spec }: ResourceQuota): ReturnType<typeof readAmounts> {
  return readAmounts(spec?.hard);
}

async function writeStatus(context: ControllerContext, quota: ResourceQuota, memory: QuotaMemory): Promise<void> {
  const { status = {} } = quota;
  const hard = hardOf(quota);
  const counted = new Map([...readAmounts(status.used), ...memory.usageOf(quota)]);
  const used = onlyNamed(counted, new Set(hard.keys()));
  const isCurrent = isSameAmounts(hard, readAmounts(status.hard)) && isSameAmounts(used, readAmounts(status.used));
  if (isCurrent && status.hard !== undefined && status.used !== undefined) return;
  const next = { ...quota, status: { hard: writeAmounts(hard), used: writeAmounts(used) } };
  await context.api.update('ResourceQuota', next, 'status');
}
