/** What the attach/detach controller promises of the records that it keeps. */
import { attachRecordOf } from '../../api/attach-record.js';
import type { Invariant } from './invariant.js';

/** Compare and swap: whoever takes a volume has seen that nobody has it. */
const recordsPassByRelease: Invariant = {
  name: 'attach-records-swapped',
  promise: 'the attach record of a volume is taken only after the node that had it has given it up',
  onWrite: {
    PersistentVolume: ({ type, object, previous, by }) => {
      if (type !== 'MODIFIED' || previous === undefined || by === 'user') return undefined;
      const [before, after] = [attachRecordOf(previous), attachRecordOf(object)];
      if (before === undefined || after === undefined || before.nodeName === after.nodeName) return undefined;
      const { name } = object.metadata;
      const text = `passed from ${before.nodeName} to ${after.nodeName}, which never gave it up`;
      return { object: `PersistentVolume ${name}`, text };
    },
  },
};

/** Every invariant of storage. */
export const STORAGE_INVARIANTS: readonly Invariant[] = [recordsPassByRelease];
