import test from 'ava';
import { SchedulerCache } from '../../../src/scheduler/cache/scheduler-cache.js';
import { CacheSnapshot } from '../../../src/scheduler/cache/snapshot.js';
import { Follower, LogPlace, positionWritten, type FollowedNodes } from '../../../src/scheduler/framework/follower.js';
import type { NodeColumns } from '../../../src/scheduler/framework/node-columns.js';
import { WrittenSlots } from '../../../src/scheduler/framework/written-slots.js';
import { testNode, testPod } from '../support/objects.js';

/** Writes down what it is told: `all`, or the node, with a mark where more than its pods may have changed. */
class Told implements FollowedNodes {
  readonly #names: () => readonly string[];
  told: string[] = [];

  constructor(names: () => readonly string[]) {
    this.#names = names;
  }

  onAll(): void {
    this.told.push('all');
  }

  onWrites(columns: NodeColumns, from: number): void {
    const { written } = columns;
    for (let write = from; write < written.end; write += 1) {
      if (positionWritten(columns, write) < 0) continue;
      this.told.push(`${this.#names()[written.slotAt(write)]}${written.isWholeAt(write) ? ' whole' : ''}`);
    }
  }
}

test('Follower › tells of all nodes at first and when nodes come, and then of those that were written', (t) => {
  const cache = new SchedulerCache();
  const snapshot = new CacheSnapshot();
  for (const name of ['a', 'b']) cache.setNode(testNode(name));
  const follower = new Follower();
  const nodes = new Told(() => snapshot.columns.names);
  const toldAfter = (change: () => void): readonly string[] => {
    change();
    cache.updateSnapshot(snapshot);
    nodes.told = [];
    follower.catchUp(snapshot.columns, nodes);
    return nodes.told;
  };
  t.deepEqual(
    toldAfter(() => undefined),
    ['all'],
  );
  t.deepEqual(
    toldAfter(() => undefined),
    [],
  );
  t.deepEqual(
    toldAfter(() => cache.addPod(testPod('p', { spec: { nodeName: 'b' } }))),
    ['b'],
  );
  t.deepEqual(
    toldAfter(() => cache.setNode(testNode('a', { unschedulable: true }))),
    ['a whole'],
  );
  t.deepEqual(
    toldAfter(() => cache.setNode(testNode('c'))),
    ['all'],
  );
  follower.forget();
  t.deepEqual(
    toldAfter(() => undefined),
    ['all'],
  );
});

test('LogPlace › knows no entry of a log of which it has missed some', (t) => {
  const log = new WrittenSlots();
  const place = new LogPlace();
  t.is(place.advance(log), undefined);
  log.note(7);
  log.note(8, false);
  t.is(place.advance(log), 0);
  log.noteAll();
  t.is(place.advance(log), undefined);
  t.is(place.advance(log), log.end);
});

test('WrittenSlots › another log takes its entries over as they are', (t) => {
  const log = new WrittenSlots();
  log.note(5);
  log.note(6, false);
  const copy = new WrittenSlots();
  copy.noteEntries(log.entriesFrom(0));
  t.deepEqual(
    [0, 1].map((position) => [copy.slotAt(position), copy.isWholeAt(position)]),
    [
      [5, true],
      [6, false],
    ],
  );
});
