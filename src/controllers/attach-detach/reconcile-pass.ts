/**
 * One pass of the loop: what is needed no longer is detached first, then what is needed is attached, then
 * nodes' statuses tell what has become of it. Upstream: `reconcile` of attachdetach/reconciler (v1.34).
 */
import type { Node } from '../../api/objects/objects.js';
import { isOutOfService } from '../../api/selectors/tolerations.js';
import type { AttachedPair } from './actual-state.js';
import type { AttachDetachMemory } from './attach-detach-memory.js';
import { operationKey } from './attach-operation.js';
import { beginAttach, beginDetach } from './attach-operations.js';
import { pairKey, type DesiredPair } from './desired-state.js';
import { reportMultiAttach } from './multi-attach.js';
import { noteHolder, noteRecords } from './recorded-attachments.js';
import { updateNodeStatus, updateNodeStatuses } from './node-status.js';

/** A volume that a lost node still uses is detached after so long. */
const MAX_WAIT_FOR_UNMOUNT_MS = 6 * 60_000;

/** See the file header. */
export async function runPass(memory: AttachDetachMemory): Promise<void> {
  const { actual, desired, records, touched } = memory;
  if (memory.beginPass()) noteRecords(memory);
  const keys = [...touched];
  touched.clear();
  for (const key of keys) {
    const pair = actual.get(key);
    if (pair !== undefined && (desired.get(key) === undefined || records.isForeign(pair))) {
      await considerDetach(memory, pair);
    }
  }
  const wanted = keys.flatMap((key) => desired.get(key) ?? []);
  // Upstream leaves it to the order of a map: a node that cannot have its volume keeps it from no other.
  for (const pair of wanted.sort((one, other) => one.attempts - other.attempts)) considerAttach(memory, pair);
  await updateNodeStatuses(memory);
  memory.endPass();
}

/** Detaches a volume that no pod needs, unless its node still uses it. */
async function considerDetach(memory: AttachDetachMemory, pair: AttachedPair): Promise<void> {
  const { actual, pending, nowMs } = memory;
  const { key, nodeName, uniqueName } = pair;
  const operation = operationKey(pair);
  // The end of what is under way comes back here.
  if (pending.isPending(operation)) return;
  const waitMs = pending.waitMs(operation, 'detach');
  if (waitMs > 0) return memory.touchAfter(key, waitMs);
  pair.unneededMs ??= nowMs;
  const elapsedMs = nowMs - pair.unneededMs;
  const { isLost, isDown, isForcible } = standingOf(memory, pair);
  const isTimedOut = isForcible && elapsedMs > MAX_WAIT_FOR_UNMOUNT_MS;
  // Without a record the node has mounted nothing, though it says that it would.
  if (pair.isMounted && !(isLost && isTimedOut) && !isDown && !memory.records.isForeign(pair)) {
    // A node that turns healthy, or lets go of the volume, is heard of.
    if (isLost && isForcible) memory.touchAfter(key, MAX_WAIT_FOR_UNMOUNT_MS - elapsedMs + 1);
    return;
  }
  actual.conceal(nodeName, uniqueName);
  if (!(await updateNodeStatus(memory, nodeName))) {
    actual.report(nodeName, uniqueName);
    return memory.touch(key);
  }
  const byTaint = isDown ? 'out-of-service' : undefined;
  const force = isTimedOut ? 'timeout' : byTaint;
  beginDetach(memory, pair, force === undefined ? 'verified' : 'forced');
  if (force !== undefined) countForced(memory, force);
}

/** How the node of a pair stands, as far as it decides whether the volume may be taken from it. */
interface NodeStanding {
  readonly isLost: boolean;
  /** Declared out of service. */
  readonly isDown: boolean;
  /** Whether a loss that lasts is reason enough. */
  readonly isForcible: boolean;
}

function standingOf({ nodes, records, context }: AttachDetachMemory, { nodeName, volume }: AttachedPair): NodeStanding {
  const node = nodes.getByKey(nodeName);
  // Time alone proves nothing of a node that is there: where a record stands for the volume, it must be certain.
  const isGuarded = node !== undefined && records.guard(volume);
  return {
    isLost: !isReady(node),
    isDown: isOutOfService(node?.spec.taints),
    isForcible: !context.settings.disableForceDetachOnTimeout && !isGuarded,
  };
}

/** Attaches a volume that is needed, unless another node alone may have it. */
function considerAttach(memory: AttachDetachMemory, pair: DesiredPair): void {
  const { actual, pending, records } = memory;
  const { key, volume, nodeName } = pair;
  const operation = operationKey({ key, volume });
  if (pending.isPending(operation)) return;
  const record = records.of(volume);
  if (record?.nodeName === nodeName && record.release !== undefined) return endRelease(memory, pair);
  const attached = actual.get(key);
  if (attached?.isConfirmed === true) {
    attached.unneededMs = undefined;
    return;
  }
  const others = volume.isExclusive ? [...actual.nodesOf(volume.uniqueName)] : [];
  if (record !== undefined && record.nodeName !== nodeName && !others.includes(record.nodeName)) {
    // The recorded node goes among those to look at: otherwise nothing would give the record up.
    if (actual.get(pairKey(record.nodeName, volume.uniqueName)) === undefined) {
      noteHolder(memory, volume, record.nodeName);
    }
    others.push(record.nodeName);
  }
  if (others.length > 0) {
    if (!pair.isMultiAttachReported) reportMultiAttach(memory, pair, others);
    pair.isMultiAttachReported = true;
    return;
  }
  const waitMs = pending.waitMs(operation, 'attach');
  if (waitMs > 0) memory.touchAfter(key, waitMs);
  else {
    pair.attempts += 1;
    beginAttach(memory, pair);
  }
}

/** Ends a detaching that its record shows as begun, perhaps by an earlier run, before the volume is attached anew. */
function endRelease(memory: AttachDetachMemory, { key, nodeName, volume }: DesiredPair): void {
  if (memory.actual.get(key) === undefined) memory.markUncertain(nodeName, volume);
  const attached = memory.actual.get(key);
  const waitMs = memory.pending.waitMs(operationKey({ key, volume }), 'detach');
  if (waitMs > 0) memory.touchAfter(key, waitMs);
  else if (attached !== undefined) beginDetach(memory, attached, 'verified');
}

function isReady(node: Node | undefined): boolean {
  return node?.status.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
}

function countForced({ context }: AttachDetachMemory, reason: string): void {
  const name = 'attach_detach_controller_attachdetach_controller_forced_detaches';
  const help = 'Number of times the A/D Controller performed a forced detach';
  context.metrics.counter(name, help, ['reason']).inc({ reason });
}
