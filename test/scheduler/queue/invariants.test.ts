import test from 'ava';
import fc from 'fast-check';
import type { QueuedPodInfo } from '../../../src/scheduler/framework/interface.js';
import { FIT_HINTS, GATE_HINTS, gates, NODE_ADD, podOf, setUp, type Setup } from './fixtures.js';

const steps = fc.array(
  fc.record({
    action: fc.constantFrom(
      'add',
      'add',
      'gated',
      'pop',
      'pop',
      'reject',
      'error',
      'done',
      'event',
      'activate',
      'delete',
      'wait',
    ),
    pick: fc.nat(1000),
  }),
  { maxLength: 120 },
);

/** Plays random steps; knows which pods must be somewhere in the queue and which are in flight. */
class Player {
  readonly setup: Setup = setUp({ preEnqueue: [gates], hints: [...GATE_HINTS, ...FIT_HINTS] });
  readonly queued = new Set<string>();
  readonly gated = new Set<string>();
  flying: QueuedPodInfo[] = [];
  #added = 0;

  async play(action: string, pick: number): Promise<void> {
    const { queue } = this.setup;
    const flying = this.flying[pick % Math.max(this.flying.length, 1)];
    const name = [...this.queued][pick % Math.max(this.queued.size, 1)] ?? 'unknown';
    if (action === 'add' || action === 'gated') this.#add(action === 'gated');
    else if (action === 'pop') this.#pop();
    else if (action === 'event') queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined);
    else if (action === 'activate') queue.activate([podOf(name)]);
    else if (action === 'delete') this.#delete(name);
    else if (action === 'wait') await this.setup.at(this.setup.clock.now() + pick * 20);
    else if (flying !== undefined) this.#land(action, flying);
  }

  #add(isGated: boolean): void {
    const name = `pod-${this.#added}`;
    this.#added += 1;
    this.queued.add(name);
    if (isGated) this.gated.add(name);
    this.setup.queue.add(podOf(name, isGated ? { gates: ['a'] } : { priority: this.#added % 3 }));
  }

  #pop(): void {
    const info = this.setup.queue.pop();
    if (info === undefined) return;
    this.flying.push(info);
    this.queued.delete(info.podInfo.pod.metadata.name);
  }

  #delete(name: string): void {
    this.setup.queue.delete(podOf(name));
    this.queued.delete(name);
    this.gated.delete(name);
  }

  #land(action: string, info: QueuedPodInfo): void {
    this.flying = this.flying.filter((each) => each !== info);
    if (action === 'done') {
      this.setup.queue.done(info.podInfo.pod.metadata.uid);
      return;
    }
    this.setup.reject(info, ...(action === 'reject' ? ['Fit'] : []));
    this.queued.add(info.podInfo.pod.metadata.name);
  }
}

test('whatever happens, every pod is in one place, and idle pools own no timer', async (t) => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const player = new Player();
      for (const { action, pick } of sequence) {
        await player.play(action, pick);
        const { active, backoff, unschedulable } = player.setup.queue.pendingPods();
        const names = [...active, ...backoff, ...unschedulable].map((pod) => pod.metadata.name);
        t.deepEqual(names.toSorted(), [...player.queued].toSorted());
        const depths = player.setup.queue.depths();
        t.is(depths.inFlight, player.flying.length);
        t.is(depths.gated, player.gated.size);
        t.is(player.setup.clock.pending, (depths.backoff > 0 ? 1 : 0) + (depths.unschedulable > 0 ? 1 : 0));
      }
    }),
    { numRuns: 150 },
  );
});

test('whatever happened, time alone brings every pod back that is not gated', async (t) => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const player = new Player();
      for (const { action, pick } of sequence) await player.play(action, pick);
      const { clock, queue, at } = player.setup;
      await at(clock.now() + 300_000 + 30_000 + 12_000);
      const { active, backoff, unschedulable } = queue.depths();
      t.deepEqual([active, backoff, unschedulable], [player.queued.size - player.gated.size, 0, 0]);
      t.is(clock.pending, 0);
    }),
    { numRuns: 150 },
  );
});
