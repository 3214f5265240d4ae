import test from 'ava';
import { ChangeLog } from '../../../src/scheduler/framework/change-log.js';
import { ActionType } from '../../../src/scheduler/framework/cluster-event.js';
import type { PreEnqueuePlugin } from '../../../src/scheduler/framework/interface.js';
import { Code, createStatus } from '../../../src/scheduler/framework/status.js';
import type { QueueProfile } from '../../../src/scheduler/queue/queue-types.js';
import { always, NODE_ADD, podOf, registered, setUp, type Setup } from './fixtures.js';

/** A plugin that keeps pods out, and writes down which it is called for. */
class Door implements PreEnqueuePlugin {
  readonly name = 'Door';
  readonly asked: string[] = [];
  readonly openings: ChangeLog | undefined;
  readonly #barred = new Set<string>();

  constructor(openings: ChangeLog | undefined) {
    this.openings = openings;
  }

  preEnqueue({ metadata }: ReturnType<typeof podOf>) {
    this.asked.push(metadata.name);
    return this.#barred.has(metadata.uid) ? createStatus(Code.Unschedulable, 'Door', 'closed') : undefined;
  }

  bar(...names: readonly string[]): this {
    for (const name of names) this.#barred.add(`uid-${name}`);
    return this;
  }

  open(name: string): void {
    this.#barred.delete(`uid-${name}`);
    this.openings?.note(`uid-${name}`);
  }

  /** Names since the last call. */
  takeAsked(): string[] {
    return this.asked.splice(0);
  }
}

const DOOR_HINTS = [registered('Door', 'Node', ActionType.Add, always)];

function profileOf(door: Door): QueueProfile {
  return { preEnqueue: [door], hints: DOOR_HINTS };
}

/** A queue with gated pods. */
function gated(door: Door, ...names: readonly string[]): Setup {
  const scene = setUp(profileOf(door.bar(...names)));
  for (const name of names) scene.queue.add(podOf(name));
  door.takeAsked();
  return scene;
}

function announce({ queue }: Setup): void {
  queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined);
}

test('gated pods › an event calls no plugin for pods that it has not opened for', (t) => {
  const door = new Door(new ChangeLog());
  const scene = gated(door, 'a', 'b', 'c');
  for (let event = 0; event < 3; event += 1) announce(scene);
  t.deepEqual(door.takeAsked(), []);
  t.is(scene.depths(), 'active 0, backoff 0, unschedulable 0, gated 3, in flight 0');
});

test('gated pods › the pod for which its plugin has opened enters with the next event, and no other is asked about', (t) => {
  const door = new Door(new ChangeLog());
  const scene = gated(door, 'a', 'b', 'c');
  door.open('b');
  t.is(scene.popName(), undefined);
  announce(scene);
  t.deepEqual(door.takeAsked(), ['b']);
  t.is(scene.popName(), 'b');
  t.is(scene.queue.depths().gated, 2);
});

test('gated pods › a plugin that does not tell for which pods it opens is called for each at each event', (t) => {
  const door = new Door(undefined);
  const scene = gated(door, 'a', 'b');
  announce(scene);
  announce(scene);
  t.deepEqual(door.takeAsked(), ['a', 'b', 'a', 'b']);
  door.open('a');
  announce(scene);
  t.is(scene.popName(), 'a');
});

test('gated pods › after more openings than are remembered all pods are asked about once', (t) => {
  const door = new Door(new ChangeLog());
  const scene = gated(door, 'a', 'b');
  door.open('a');
  for (let other = 0; other < 2000; other += 1) door.open(`other-${other}`);
  announce(scene);
  t.deepEqual(new Set(door.takeAsked()), new Set(['a', 'b']));
  t.is(scene.popName(), 'a');
  announce(scene);
  t.deepEqual(door.takeAsked(), []);
});

test('gated pods › a door that has opened and closed again before an event lets no pod in', (t) => {
  const door = new Door(new ChangeLog());
  const scene = gated(door, 'a');
  door.open('a');
  door.bar('a');
  announce(scene);
  t.is(scene.popName(), undefined);
  door.takeAsked();
  announce(scene);
  t.deepEqual(door.takeAsked(), []);
  door.open('a');
  announce(scene);
  t.is(scene.popName(), 'a');
});

test('gated pods › one that is deleted and made anew is let in as itself', (t) => {
  const door = new Door(new ChangeLog());
  const scene = gated(door, 'a');
  scene.queue.delete(podOf('a'));
  t.is(scene.queue.depths().gated, 0);
  scene.queue.add(podOf('a', { uid: 'uid-other' }));
  t.is(scene.popName(), 'a');
  door.open('a');
  announce(scene);
  t.is(scene.popName(), undefined);
});

test('gated pods › a pod of two profiles of one plugin enters when its own has opened', (t) => {
  const doors = [new Door(new ChangeLog()).bar('a'), new Door(new ChangeLog()).bar('b')] as const;
  const profiles = new Map(doors.map((door, index) => [`s${index}`, profileOf(door)]));
  const scene = setUp({ profiles });
  scene.queue.add(podOf('a', { spec: { schedulerName: 's0' } }));
  scene.queue.add(podOf('b', { spec: { schedulerName: 's1' } }));
  doors[1].open('b');
  announce(scene);
  t.is(scene.popName(), 'b');
  t.is(scene.popName(), undefined);
  doors[0].open('a');
  announce(scene);
  t.is(scene.popName(), 'a');
});
