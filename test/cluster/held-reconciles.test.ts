import { setTimeout as wallMs } from 'node:timers/promises';
import test from 'ava';
import { filter, firstValueFrom, lastValueFrom, take, timer } from 'rxjs';
import {
  createCluster,
  defineController,
  keyOf,
  parseKey,
  RetryError,
  type ControllerDefinition,
} from '../../src/index.js';
import { randomStream } from '../../src/kernel/random.js';
import { annotation, annotator, created, pods } from './annotator.js';

/** The trace hash, and how many pods were annotated twice. */
async function hashWith(definition: ControllerDefinition<void>): Promise<string> {
  const cluster = await created(7);
  cluster.addController(definition);
  await cluster.run({ limit: '1m' });
  const seen = cluster.list('Pod').filter(({ metadata }) => metadata.annotations?.['again'] !== undefined);
  await cluster.dispose();
  return `${cluster.traceHash} ${seen.length}`;
}

test('addController › a reconcile that awaits real time writes at the simulated time at which it began', async (t) => {
  const cluster = await created(1);
  const times: number[] = [];
  cluster.addController(
    annotator(async (api, key) => {
      times.push(cluster.nowMs);
      await wallMs(20);
      times.push(cluster.nowMs);
      await api.patch('Pod', parseKey(key), annotation('seen', 'yes'));
      times.push(cluster.nowMs);
      await wallMs(20);
      times.push(cluster.nowMs);
    }),
  );
  await cluster.run({ limit: '1h' });
  const [began = 0, slept, patched = 0, end] = times;
  t.deepEqual([slept, end], [began, patched]);
  t.true(patched - began < 20);
  await cluster.dispose();
});

test('addController › the trace is the same however long reconciles await real time, or whether they do', async (t) => {
  const hashes = new Set<string>();
  const ways: ((index: number) => Promise<unknown>)[] = [
    () => Promise.resolve(),
    async () => wallMs(0),
    async () => wallMs(5),
    async () => wallMs(30),
    async (index) => wallMs(7 - index),
    async (index) => (index % 2 === 0 ? undefined : wallMs(index)),
    (): Promise<void> => new Promise((resolve) => void setImmediate(resolve)),
  ];
  for (const wait of ways) {
    let index = 0;
    hashes.add(
      await hashWith(
        annotator(async (api, key) => {
          const turn = (index += 1);
          await wait(turn);
          await api.patch('Pod', parseKey(key), annotation('seen', String(turn)));
          await wait(turn);
          await api.patch('Pod', parseKey(key), annotation('again', String(turn)));
        }),
      ),
    );
  }
  t.is(hashes.size, 1);
  t.true([...hashes].every((hash) => hash.endsWith(' 7')));
});

/** Nothing, promises, turns of the event loop and short times, by turns. */
function waits(seed: number): () => Promise<unknown> {
  const random = randomStream(String(seed), 'waits');
  return () => {
    const drawn = seed === 0 ? 0 : random.int(0, 9);
    if (drawn < 3) return Promise.resolve();
    if (drawn < 6) return new Promise((resolve) => void setImmediate(resolve));
    return wallMs(drawn - 6);
  };
}

/** Several controllers that write, fail, crash and run twice, and a subscriber, all of which await real time. */
async function hashOfMixture(wait: () => Promise<unknown>): Promise<string> {
  const cluster = createCluster({ nodes: 1, seed: 11, latency: 0 });
  await cluster.ready();
  cluster.apply(pods(4));
  const operator = (name: string, failures: number): ControllerDefinition<void> => ({
    ...annotator(() => Promise.resolve()),
    name,
    async reconcile({ api, queue }, key) {
      await wait();
      if (queue.retries(key) < failures) throw new RetryError('not yet');
      cluster.patch('Pod', parseKey(key), { metadata: { labels: { [name]: 'seen' } } });
      const patch = api.patch('Pod', parseKey(key), annotation(name, String(cluster.version)));
      await Promise.all([patch, wait(), api.list('Node')]);
      queue.addAfter(key, 4000);
      await wait();
    },
  });
  const crashing = cluster.addController(operator('one', 0));
  cluster.addController(operator('two', 2));
  cluster.faults.runTwice('two');
  timer(4000, cluster.scheduler).subscribe(() => crashing.crash());
  timer(6000, cluster.scheduler).subscribe(() => crashing.start());
  const label = async (name: string): Promise<void> => {
    await cluster.hold(wait());
    cluster.patch('Pod', name, { metadata: { annotations: { version: String(cluster.version) } } });
  };
  cluster.watch('Pod').subscribe((event) => {
    if (event.type === 'ADDED') void label(event.object.metadata.name);
  });
  await cluster.run({ limit: '10s' });
  await cluster.dispose();
  return cluster.traceHash;
}

test('addController and hold › a mixture of all gives one trace, whatever real time each part takes', async (t) => {
  const hashes: string[] = [];
  for (const seed of [0, 1, 2, 3]) hashes.push(await hashOfMixture(waits(seed)));
  t.is(new Set(hashes).size, 1);
});

test('addController › a reconcile may await simulated time: answers, timers and streams of the cluster', async (t) => {
  const cluster = await created(1);
  const seen: string[] = [];
  cluster.addController(
    defineController({
      name: 'waiter',
      setup: (context) => void context.watch('Pod', { onAdd: (pod) => context.queue.add(keyOf(pod)) }),
      async reconcile({ api, kernel, client }, key) {
        const beganMs = cluster.nowMs;
        await firstValueFrom(timer(1000, cluster.scheduler));
        seen.push(`timer ${cluster.nowMs - beganMs}`);
        await wallMs(1);
        await new Promise<void>((resolve) => void kernel.clock.schedule(500, resolve));
        seen.push(`clock ${cluster.nowMs - beganMs}`);
        await new Promise<void>((resolve) => client.get('Pod', parseKey(key), () => resolve()));
        const running = cluster.watch('Pod').pipe(filter((event) => event.object.status.phase === 'Running'));
        await firstValueFrom(running);
        await wallMs(1);
        seen.push('running');
        await Promise.all([api.get('Pod', parseKey(key)), api.list('Node')]);
        await api.delete('Pod', parseKey(key));
        await lastValueFrom(
          cluster.watch('Pod').pipe(
            filter(({ type }) => type === 'DELETED'),
            take(1),
          ),
        );
        seen.push('gone');
      },
    }),
  );
  t.is((await cluster.run({ until: () => seen.includes('gone'), limit: '10m' })).end, 'done');
  t.deepEqual(seen, ['timer 1000', 'clock 1500', 'running', 'gone']);
  await cluster.dispose();
});

test('addController › a controller that crashes while it awaits real time holds nothing any more', async (t) => {
  const cluster = await created(2);
  const reached = Promise.withResolvers<void>();
  const operator = cluster.addController(
    annotator(() => {
      reached.resolve();
      return new Promise(() => undefined);
    }),
  );
  const run = cluster.run({ limit: '1m' });
  await reached.promise;
  operator.crash();
  t.is((await run).end, 'limit');
  await cluster.dispose();
});

test('addController › with holdsClock false nothing is held but what it holds itself, at once', async (t) => {
  const cluster = await created(3);
  let together = 0;
  const all = Promise.withResolvers<void>();
  const times: number[] = [];
  cluster.addController({
    ...annotator(async (api, key) => {
      times.push(cluster.nowMs);
      together += 1;
      if (together === 3) all.resolve();
      await cluster.hold(all.promise);
      times.push(cluster.nowMs);
      await api.patch('Pod', parseKey(key), annotation('seen', 'yes'));
    }),
    holdsClock: false,
  });
  await cluster.run({ limit: '1m' });
  t.is(times.length, 6);
  t.is(new Set(times).size, 1);
  t.throws(() => cluster.addController({ ...annotator(() => Promise.resolve()), name: 'x', holdsClock: 1 as never }), {
    message: 'controller.holdsClock must be true or false, got 1',
  });
  await cluster.dispose();
});

test('addController › a reconcile that goes on after real time beside an answer is told of, once', async (t) => {
  const cluster = await created(3);
  const texts: string[] = [];
  cluster.warnings$.subscribe(({ text }) => texts.push(text));
  const isHeld = [false, true];
  for (const held of isHeld) {
    const turn = Promise.withResolvers<void>();
    cluster.addController({
      ...annotator(async (api, key) => {
        const answer = held ? cluster.hold(turn.promise) : turn.promise;
        const beside = answer.then(() => api.patch('Pod', parseKey(key), annotation('beside', 'yes')));
        await Promise.all([beside, firstValueFrom(timer(1000, cluster.scheduler))]);
      }),
      name: `annotator-${held}`,
    });
    if (held) setImmediate(turn.resolve);
    else timer(500, cluster.scheduler).subscribe(() => turn.resolve());
    await cluster.run({ limit: '1m' });
  }
  t.is(texts.length, 1);
  t.regex(
    texts[0] ?? '',
    /^Warning: reconcile of annotator-false for default\/p0 went on at [\d.]+s of simulated time while/u,
  );
  await cluster.dispose();
});

test('addController › a reconcile may await what is found of broken promises', async (t) => {
  const cluster = createCluster({ nodes: 1, invariants: true });
  await cluster.ready();
  cluster.apply(pods(1));
  const heard: string[] = [];
  cluster.addController(
    annotator(async () => {
      heard.push('waits');
      const { type } = await firstValueFrom(cluster.truth.violations$);
      heard.push(type);
    }),
  );
  await cluster.run({ until: { readyPods: 1 }, limit: '1m' });
  cluster.delete('Pod', 'p0', { force: true });
  await cluster.run({ limit: '1m' });
  t.deepEqual(heard, ['waits', 'UnconfirmedDeletion']);
  await cluster.dispose();
});
