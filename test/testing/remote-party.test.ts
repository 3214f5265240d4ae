/** The link of a program over the network: what faults do to it is seen outside. */
import test, { type ExecutionContext } from 'ava';
import { ask, serve, watch, type ServedCluster } from '../server/wire-client.js';

const PARTY = 'operator/web';
const MAPS = '/api/v1/namespaces/default/configmaps';

function served(t: ExecutionContext): Promise<ServedCluster> {
  return serve(t, {}, { party: PARTY });
}

function map(name: string): { readonly method: string; readonly body: string } {
  return { method: 'POST', body: JSON.stringify({ metadata: { name } }) };
}

type Line = Awaited<ReturnType<ReturnType<typeof watch>['next']>>;

function lineOf(
  result: Line,
): { readonly type: string; readonly object: { readonly metadata: { readonly name: string } } } | undefined {
  return result.done === true ? undefined : result.value;
}

/** Lets simulated time pass until a request is answered that needs some. */
async function answered<T>({ cluster }: ServedCluster, answer: Promise<T>): Promise<T> {
  const over = new AbortController();
  const settled = answer.finally(() => over.abort());
  settled.catch(() => undefined);
  // A cluster that is served waits for requests where nothing is left to do.
  await cluster.run({ signal: over.signal });
  return settled;
}

test('listen › behind a cut link connections break off, and go on once it is healed', async (t) => {
  const server = await served(t);
  const { cluster } = server;
  const lines = watch(server, `${MAPS}?watch=true`);
  cluster.create('ConfigMap', { metadata: { name: 'a' } });
  await lines.next();
  const cut = cluster.faults.cut({ component: PARTY });
  await t.throwsAsync(async () => {
    for await (const line of lines) t.log(line.type);
  });
  await t.throwsAsync(ask(server, MAPS, map('b')));
  cut.heal();
  t.is((await ask(server, MAPS, map('c'))).status, 201);
  t.deepEqual(
    cluster
      .list('ConfigMap', { namespace: 'default' })
      .map(({ metadata }) => metadata.name)
      .filter((name) => name.length === 1),
    ['a', 'c'],
  );
  t.deepEqual(
    server.traffic?.writes.map(({ method, status, isAnswered }) => [method, status, isAnswered]),
    [
      ['POST', 'lost', false],
      ['POST', 201, true],
    ],
  );
});

test('listen › an answer that is lost leaves what was written', async (t) => {
  const server = await served(t);
  const { cluster } = server;
  cluster.faults.inject({ lossy: { component: PARTY, requests: 1, when: 'after' } });
  await t.throwsAsync(answered(server, ask(server, MAPS, map('a'))));
  t.is(cluster.get('ConfigMap', 'a').metadata.name, 'a');
});

test('listen › a refusal of the link is an answer, and nothing is written', async (t) => {
  const server = await served(t);
  const { cluster } = server;
  cluster.faults.inject({ refuse: { component: PARTY, with: 'TooManyRequests' } });
  t.is((await answered(server, ask(server, MAPS, map('a')))).status, 429);
  t.throws(() => cluster.get('ConfigMap', 'a'));
});

test('listen › a change that lags is told later, in simulated time', async (t) => {
  const server = await served(t);
  const { cluster } = server;
  const lines = watch(server, `${MAPS}?watch=true&fieldSelector=metadata.name=a`);
  const first = lines.next();
  await ask(server, MAPS);
  cluster.faults.inject({ delayWatch: { component: PARTY, by: '30s' } });
  cluster.create('ConfigMap', { metadata: { name: 'a' } });
  await cluster.run({ limit: '29s' });
  t.is(server.traffic?.watches, 1);
  const before = server.traffic?.messages;
  await cluster.run({ limit: '2s' });
  t.is(server.traffic?.messages, (before ?? 0) + 1);
  t.is(lineOf(await first)?.object.metadata.name, 'a');
});

test('listen › changes that are merged are told as one, and what came and went is not told', async (t) => {
  const server = await served(t);
  const { cluster } = server;
  const lines = watch(server, `${MAPS}?watch=true&labelSelector=test`);
  const first = lines.next();
  await ask(server, MAPS);
  cluster.faults.inject({ coalesceWatch: { component: PARTY, by: '10s' } });
  for (const name of ['a', 'b']) cluster.create('ConfigMap', { metadata: { name, labels: { test: '' } } });
  cluster.patch('ConfigMap', 'b', { data: { x: '1' } });
  cluster.delete('ConfigMap', 'a');
  await cluster.run({ limit: '20s' });
  const line = lineOf(await first);
  t.deepEqual([line?.type, line?.object.metadata.name], ['ADDED', 'b']);
});

test('listen › a party must be a name, and none of a kubelet', async (t) => {
  const { cluster } = await serve(t);
  for (const party of ['', 'kubelet/node-0', 5]) {
    const error = await t.throwsAsync(cluster.listen({ port: 0, party: party as string }));
    t.is(
      error?.message,
      `party must be a name such as operator/web, and none of a kubelet, got ${JSON.stringify(party)}`,
    );
  }
});
