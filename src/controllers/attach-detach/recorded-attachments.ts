/** What attach records tell the controller that it does not know by itself: they count for more than its memory. */
import { attachRecordOf } from '../../api/volumes/attach-record.js';
import type { AttachableVolume } from '../../api/volumes/attachable-volume.js';
import type { AttachDetachMemory } from './attach-detach-memory.js';
import { pairKey } from './desired-state.js';

/** All records, at the start. */
export function noteRecords(memory: AttachDetachMemory): void {
  if (!memory.records.areKept) return;
  for (const stored of memory.volumes.list()) {
    const volume = memory.attachableOf(stored);
    if (volume?.isExclusive !== true) continue;
    const record = attachRecordOf(stored);
    for (const pair of memory.actual.ofVolume(volume.uniqueName)) {
      pair.volume ??= volume;
      // A volume that a node shows without having its record does not count as attached yet.
      if (pair.nodeName !== record?.nodeName) pair.isConfirmed = false;
    }
    if (record !== undefined) noteHolder(memory, volume, record.nodeName);
  }
}

/** Takes in a record that may have changed, by this controller or otherwise. */
export function noteRecord(memory: AttachDetachMemory, volumeName: string): void {
  const { actual, operations, records, volumes } = memory;
  const stored = volumes.getByKey(volumeName);
  const volume = stored === undefined ? undefined : memory.attachableOf(stored);
  if (volume?.isExclusive !== true) return;
  const record = records.of(volume);
  const pairs = [...actual.ofVolume(volume.uniqueName)];
  if (record === undefined && pairs.length === 0) return;
  for (const pair of pairs) {
    pair.volume ??= volume;
    if (pair.nodeName === record?.nodeName || operations.has(pair.key)) continue;
    pair.isConfirmed = false;
    memory.touch(pair.key);
  }
  if (record !== undefined) noteHolder(memory, volume, record.nodeName);
  memory.touchVolume(volume.uniqueName);
}

/** Adds the pair of the recorded node, so that the volume is detached from there, too, once it is needed no longer. */
export function noteHolder(memory: AttachDetachMemory, volume: AttachableVolume, nodeName: string): void {
  const key = pairKey(nodeName, volume.uniqueName);
  if (memory.operations.has(key)) return;
  if (memory.actual.get(key) === undefined) memory.markUncertain(nodeName, volume);
  memory.touch(key);
}
