/** What tests of operators are made of: waiting, clusters that end with their test, webhooks that tests play. */
import { test as nodeTest } from 'node:test';
import test from 'ava';
import { eventually, fakeWebhook, searchOperator, testCluster, withCluster, type Cluster } from '../../src/index.js';
import { carefulOperator } from '../../examples/operator/runner-operator.js';
import { DisposedError } from '../../src/cluster/disposed-error.js';

const POD = { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }] } };

test('eventually › lets simulated time pass until a check holds, and gives what it returned', async (t) => {
  const cluster = await testCluster(t, { nodes: 1 });
  cluster.create('Pod', POD);
  const phase = await eventually(cluster, () => cluster.readyPods === 1 && cluster.get('Pod', 'a').status.phase);
  t.is(phase, 'Running');
});

function check(): void {
  throw new Error('0 of 3 ready');
}

test('eventually › tells the last failure of its check', async (t) => {
  const cluster = await testCluster(t, { nodes: 1 });
  const error = await t.throwsAsync(eventually(cluster, check, { within: '5s' }), { name: 'EventuallyError' });
  t.is(error?.message, 'not so within 5000 ms of simulated time: 0 of 3 ready');
  await t.throwsAsync(
    eventually(cluster, () => false, { within: '1s' }),
    { message: /it was false$/ },
  );
  await t.throwsAsync(eventually(cluster, check, { within: 'soon' }), {
    message: 'within must be milliseconds >= 0 or a duration such as "90s", "10m" or "1h30m", got "soon"',
  });
});

test('testCluster › ends with the test of each sort of runner', async (t) => {
  const ends: (() => Promise<void>)[] = [];
  const keep = (end: () => Promise<void>): void => void ends.push(end);
  const scopes = [{ teardown: keep }, { after: keep }, { onTestFinished: keep }, keep];
  for (const scope of scopes) {
    const cluster = await testCluster(scope, { nodes: 1 });
    t.true(cluster.nodesAreReady);
    await ends.at(-1)?.();
    t.throws(() => cluster.create('Pod', POD), { instanceOf: DisposedError });
  }
  t.is(ends.length, scopes.length);
  await t.throwsAsync(testCluster({} as never), { message: /^scope must be the context of a test/ });
  t.is(typeof nodeTest, 'function');
});

test('withCluster › disposes of its cluster, also where its body fails', async (t) => {
  let kept: Cluster | undefined;
  await t.throwsAsync(
    withCluster({ nodes: 1 }, (cluster) => {
      kept = cluster;
      throw new Error('failed');
    }),
    { message: 'failed' },
  );
  t.throws(() => kept?.create('Pod', POD), { instanceOf: DisposedError });
});

test('fakeWebhook › notes what it is asked, and answers as the test says', async (t) => {
  const cluster = await testCluster(t, { nodes: 0 });
  const webhook = fakeWebhook(cluster, 'validating', 'pods', { rules: [{ resources: ['pods'] }] });
  cluster.create('Pod', POD);
  t.deepEqual(
    webhook.reviews.map(({ operation, name }) => [operation, name]),
    [['CREATE', 'a']],
  );
  webhook.answer = () => ({ allowed: false, status: { message: 'no more pods' } });
  t.throws(() => cluster.create('Pod', { ...POD, metadata: { name: 'b' } }), { message: /no more pods/ });
  webhook.remove();
  cluster.create('Pod', { ...POD, metadata: { name: 'b' } });
  t.is(webhook.reviews.length, 2);
});

test('searchOperator › refuses options by name', async (t) => {
  const operator = { name: 'o', command: ['true'] };
  const actions = [{ name: 'a', act: () => undefined }];
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ operator, actions }, /^seeds must be an integer >= 0, got undefined/],
    [{ operator: { name: 'o' }, actions, seeds: 1 }, /^operator must be a program \{ name, command \}/],
    [{ operator: { name: '', command: ['x'] }, actions, seeds: 1 }, /^operator\.name must be a name/],
    [{ operator, actions: [], seeds: 1 }, /^actions must be at least one action/],
    [{ operator, actions, seeds: 1, bounds: { kinds: ['rain'] } }, /^bounds\.kinds must be a list of cut, /],
    [{ operator, actions, seeds: 1, bounds: { faults: [3, 1] } }, /^bounds\.faults must be \[least, most\]/],
    [{ operator, actions, seeds: 1, pace: { speed: 0 } }, /^pace\.speed must be an integer in 1\.\.1000000, got 0/],
  ];
  for (const [options, message] of cases) {
    await t.throwsAsync(searchOperator(options as never), { name: 'OptionError', message });
  }
});

test('searchOperator › what happens last has its time before all is healed', async (t) => {
  const virtualMs: number[] = [];
  await searchOperator({
    operator: carefulOperator,
    actions: [{ name: 'look', act: (cluster) => void cluster.list('Pod') }],
    bounds: { actions: [1, 1], faults: [1, 1], seconds: 300, kinds: ['cut'] },
    seeds: 3,
    onSeed: (_seed, play) => void virtualMs.push(play.virtualMs),
  });
  t.is(virtualMs.length, 3);
  // The plan, and the time for which all must stay as it is expected.
  for (const each of virtualMs) t.true(each >= 330_000, `${each}`);
});
