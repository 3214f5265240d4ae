/**
 * The daemon set controller: a pod for every node that fits, pinned to it by affinity and bound by the
 * scheduler like any other; a history of its templates, and a rollout from one to the next. It never
 * looks at what a node has room for. Mirrors kube-controller-manager v1.34 pkg/controller/daemon.
 *
 * One deliberate difference: syncs are spaced by the number of nodes, which stands for the time that
 * upstream's sync takes.
 */
import { compileLabelSelector } from '../../api/selectors/labels.js';
import { defineController } from '../runtime/controller-definition.js';
import { syncHistory, trimHistory, type DaemonHistory } from './daemon-history.js';
import { DaemonSetMemory } from './daemon-set-memory.js';
import { reportStatus } from './daemon-set-status.js';
import { DaemonSetSync } from './daemon-set-sync.js';
import { manage } from './manage-daemons.js';
import { rollOut } from './rolling-update.js';

/** See the file header. */
export const daemonSetController = defineController({
  name: 'daemonset-controller',
  concurrentSyncs: 2,
  setup: (context) => new DaemonSetMemory(context),
  reconcile(context, key, memory) {
    const set = memory.sets.getByKey(key);
    if (set === undefined) {
      memory.forget(key);
      return undefined;
    }
    return memory.during(key, () => syncDaemonSet(new DaemonSetSync(context, memory, key, set)));
  },
});

async function syncDaemonSet(sync: DaemonSetSync): Promise<void> {
  const { context, memory, key, set } = sync;
  if (compileLabelSelector(set.spec.selector).isEmpty) {
    const message = 'This daemon set is selecting all pods. A non-empty selector is required.';
    context.recorder.record(set, 'Warning', 'SelectingAll', message);
    return;
  }
  // Its revisions may be gone before its pods: nothing that could be said of it would be true.
  if (set.metadata.deletionTimestamp !== undefined) return;
  const mustAdopt = memory.needsAdoption(key);
  memory.setAdopted(key, true);
  try {
    const history = await syncHistory(sync, mustAdopt);
    if (mustAdopt) await sync.adoptPods();
    await actAndReport(sync, history);
  } catch (error) {
    if (mustAdopt) memory.setAdopted(key, false);
    throw error;
  }
}

async function actAndReport(sync: DaemonSetSync, { hash, old }: DaemonHistory): Promise<void> {
  if (!sync.memory.expectations.isSatisfied(sync.key)) return reportStatus(sync, hash, 'counts');
  const failures: unknown[] = [];
  const note = (error: unknown): void => void failures.push(error);
  await act(sync, { hash, old }).catch(note);
  await reportStatus(sync, hash, 'generation').catch(note);
  if (failures.length > 0) throw failures[0];
}

async function act(sync: DaemonSetSync, { hash, old }: DaemonHistory): Promise<void> {
  await manage(sync, hash);
  const { updateStrategy } = sync.set.spec;
  if (updateStrategy?.type === 'RollingUpdate' && sync.memory.expectations.isSatisfied(sync.key)) {
    await rollOut(sync, hash);
  }
  await trimHistory(sync, old);
}
