import test from 'ava';
import fc from 'fast-check';
import { ApiError } from '../../src/api/errors/api-error.js';
import { LinkDownError } from '../../src/bus/bus-types.js';
import { createScene, nodeDraft } from './scene.js';

test('a request is applied when it arrives, and its answer comes a latency later', async (t) => {
  const { clock, server, bus, run } = createScene({ latency: 5 });
  const { client } = bus.connect('p');
  let answeredMs = -1;
  client.create('Node', nodeDraft('n'), (error, node) => {
    t.is(error, undefined);
    t.is(node?.metadata.name, 'n');
    answeredMs = clock.now();
  });
  await run(4);
  t.is(server.count('Node'), 0);
  await run(1);
  t.is(server.count('Node'), 1);
  t.is(answeredMs, -1);
  await run(5);
  t.is(answeredMs, 10);
});

test('a request without a callback sends nothing back', async (t) => {
  const { clock, server, bus } = createScene();
  bus.connect('p').client.create('Node', nodeDraft('n'));
  await clock.step();
  t.is(server.count('Node'), 1);
  t.is(clock.pending, 0);
});

test('refusals are answers, and are dropped without a callback', async (t) => {
  const { clock, bus } = createScene();
  const { client } = bus.connect('p');
  const codes: unknown[] = [];
  client.get('Node', { name: 'absent' }, (error, node) => codes.push(error instanceof ApiError && error.code, node));
  client.delete('Node', { name: 'absent' });
  await clock.run();
  t.deepEqual(codes, [404, undefined]);
});

test('an error that is no refusal surfaces from the loop', async (t) => {
  const { clock, server, bus } = createScene();
  server.create('Node', nodeDraft('n'));
  bus.connect('p').client.change('Node', { name: 'n' }, () => {
    throw new Error('a bug');
  });
  await t.throwsAsync(clock.run(), { message: 'a bug' });
});

test('requests and answers of one link stay in order, whatever the latencies', async (t) => {
  const sends = fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(fc.string(), sends, async (seed, gaps) => {
      const { clock, server, bus } = createScene({ seed, latency: (random) => random.int(0, 20) });
      const { client } = bus.connect('p');
      server.create('Node', nodeDraft('n'));
      const answers: number[] = [];
      let sendMs = 0;
      for (const [index, gapMs] of gaps.entries()) {
        sendMs += gapMs;
        clock.schedule(sendMs, () => {
          client.change(
            'Node',
            { name: 'n' },
            (node) => {
              const annotations = { order: `${node.metadata.annotations?.['order'] ?? ''},${index}` };
              return { ...node, metadata: { ...node.metadata, annotations } };
            },
            undefined,
            () => answers.push(index),
          );
        });
      }
      await clock.run();
      const order = gaps.map((_, index) => index);
      t.deepEqual(answers, order);
      const { annotations } = server.get('Node', { name: 'n' }).metadata;
      t.is(annotations?.['order'], order.map((index) => `,${index}`).join(''));
    }),
    { numRuns: 30 },
  );
});

test('a request over a cut link fails after ten seconds, also if the link heals meanwhile', async (t) => {
  const { clock, server, bus, run } = createScene();
  const { client, link } = bus.connect('p');
  const failures: string[] = [];
  link.cut();
  client.create('Node', nodeDraft('n'), (error) => {
    t.true(error instanceof LinkDownError);
    failures.push(`${error?.message} @${clock.now()}`);
  });
  client.create('Node', nodeDraft('m'));
  await run(5000);
  link.restore();
  await clock.run();
  t.deepEqual(failures, ['a request of p got no answer within 10000 ms @10000']);
  t.is(server.count('Node'), 0);
});

test('a cut loses requests and answers under way: the latter were applied', async (t) => {
  const { clock, server, bus, run } = createScene({ latency: 10 });
  const { client, link } = bus.connect('p');
  const failures: string[] = [];
  const fail =
    (name: string) =>
    (error: Error | undefined): void =>
      void failures.push(`${name} ${error?.name} @${clock.now()}`);
  client.create('Node', nodeDraft('answered'), fail('answer lost'));
  await run(5);
  client.create('Node', nodeDraft('lost'), fail('request lost'));
  await run(8);
  link.cut();
  link.restore();
  await clock.run();
  t.deepEqual(failures, ['answer lost LinkDownError @10000', 'request lost LinkDownError @10005']);
  t.deepEqual(
    server.list('Node').items.map(({ metadata }) => metadata.name),
    ['answered'],
  );
});

test('virtual time never overtakes what follows an await', async (t) => {
  const { clock, bus } = createScene({ latency: 1 });
  const { promised } = bus.connect('p').client;
  const seen: string[] = [];
  for (let ms = 1; ms < 20; ms += 1) clock.schedule(ms, () => undefined);
  const reconcile = async (): Promise<void> => {
    for (const name of ['a', 'b', 'c']) {
      const { metadata } = await promised.create('Node', nodeDraft(name));
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      seen.push(`${metadata.name}@${clock.now()}`);
    }
  };
  const work = reconcile();
  await clock.run();
  await work;
  t.deepEqual(seen, ['a@2', 'b@4', 'c@6']);
});

test('promises reject with what the API server refused', async (t) => {
  const { clock, bus } = createScene();
  const { promised } = bus.connect('p').client;
  const asked = t.throwsAsync(promised.get('Node', { name: 'absent' }), { message: 'nodes "absent" not found' });
  await clock.run();
  await asked;
});

test('after dispose nothing is sent, answered or left on the clock', async (t) => {
  const { clock, server, bus, run } = createScene();
  const connection = bus.connect('p');
  const { client, link } = connection;
  client.create('Node', nodeDraft('a'), () => t.fail());
  await run(4);
  client.create('Node', nodeDraft('b'), () => t.fail());
  link.cut();
  link.restore();
  client.create('Node', nodeDraft('c'), () => t.fail());
  t.true(clock.pending > 0);
  connection.dispose();
  connection.dispose();
  t.is(clock.pending, 0);
  client.create('Node', nodeDraft('d'), () => t.fail());
  t.is(clock.pending, 0);
  await clock.run();
  t.is(server.count('Node'), 1);
});

test('a process that connects again finds its link as it was left', (t) => {
  const { bus } = createScene();
  const first = bus.connect('p', { latency: 7 });
  first.link.cut();
  first.dispose();
  const second = bus.connect('p');
  t.false(second.link.isUp);
  t.is(second.link.latency, 7);
  t.is(bus.link('p'), second.link);
  t.deepEqual(
    [...bus.links].map(({ party }) => party),
    ['p'],
  );
});

test('over a link that is cut one way: without `out` nothing arrives, without `in` all of it does, unanswered', async (t) => {
  for (const direction of ['out', 'in'] as const) {
    const { clock, server, bus, run } = createScene();
    const { client, link } = bus.connect('p');
    const answers: string[] = [];
    const note = (name: string) => (error: Error | undefined) => answers.push(`${name} ${error?.name} @${clock.now()}`);
    client.create('Node', nodeDraft('before'), note('before'));
    await run(4);
    link.cut(direction);
    client.create('Node', nodeDraft('after'), note('after'));
    await clock.run();
    const there = server.list('Node').items.map(({ metadata }) => metadata.name);
    t.deepEqual(there, direction === 'out' ? ['before'] : ['after', 'before']);
    const before = direction === 'out' ? 'before undefined @6' : 'before LinkDownError @10000';
    t.deepEqual(answers, [before, 'after LinkDownError @10004']);
  }
});
