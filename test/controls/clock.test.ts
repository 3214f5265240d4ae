import test, { type ExecutionContext } from 'ava';
import { ask, serve, type Reply, type ServedCluster } from '../server/wire-client.js';

const CLOCK = '/apis/kubeloom.dev/v1alpha1/clocks/cluster';

interface Clock {
  readonly spec: { readonly advanceTo?: string };
  readonly status: {
    readonly now: string;
    readonly lag: string;
    readonly conditions: readonly { readonly status: string }[];
  };
}

function patch(served: ServedCluster, spec: object): Promise<Reply> {
  const headers = { 'content-type': 'application/merge-patch+json' };
  return ask(served, CLOCK, { method: 'PATCH', headers, body: JSON.stringify({ spec }) });
}

async function read(served: ServedCluster): Promise<Clock> {
  return (await ask(served, CLOCK)).json as Clock;
}

/** A cluster whose time passes as its Clock says. */
async function follow(t: ExecutionContext, spec: object): Promise<ServedCluster> {
  const served = await serve(t, { realtime: 1, nodes: 1 });
  served.cluster.setSpeed(1_000_000);
  await served.cluster.ready();
  await patch(served, spec);
  const end = new AbortController();
  const driven = served.cluster.runByClock(end.signal);
  t.teardown(async () => {
    end.abort();
    await driven;
  });
  return served;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('Clock › a paused cluster stands still, and goes ahead by as much as it is asked to', async (t) => {
  const served = await follow(t, { paused: true });
  await until(async () => (await ask(served, CLOCK)).text.includes('"followed":true'));
  const { nowMs } = served.cluster;
  await new Promise((resolve) => setTimeout(resolve, 200));
  t.is(served.cluster.nowMs, nowMs);
  t.is((await read(served)).status.lag, '0s');
  t.is((await patch(served, { advanceBy: '1h' })).status, 200);
  await until(async () => (await read(served)).status.conditions[0]?.status === 'True' && served.cluster.nowMs > nowMs);
  t.true(served.cluster.nowMs >= nowMs + 3_600_000);
  t.true(served.cluster.nowMs < nowMs + 3_602_000);
  const { spec, status } = await read(served);
  t.is(status.now, spec.advanceTo ?? '');
  t.false('advanceBy' in spec);
  // Asked for once more, it goes ahead once more.
  await patch(served, { advanceBy: '1m' });
  await until(() => Promise.resolve(served.cluster.nowMs >= nowMs + 3_660_000));
  t.pass();
});

test('Clock › virtual time jumps while clients are quiet, and real time passes at the speed that is asked for', async (t) => {
  const served = await follow(t, { mode: 'Virtual' });
  served.cluster.create('Pod', { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'x' }] } });
  const wasMs = served.cluster.nowMs;
  await until(() => Promise.resolve(served.cluster.nowMs > wasMs + 600_000));
  await patch(served, { mode: 'RealTime', speed: 100 });
  const [simulatedMs, realMs] = [served.cluster.nowMs, performance.now()];
  await until(() => Promise.resolve(served.cluster.nowMs > simulatedMs + 20_000));
  t.true(performance.now() - realMs >= 190);
});

test('Clock › what it cannot do is refused field by field, and there is one clock', async (t) => {
  const served = await serve(t);
  const refused = await patch(served, { mode: 'Fast', speed: 0, advanceBy: 'soon', advanceTo: '9999-01-01T00:00:00Z' });
  t.is(refused.status, 422);
  const { details, reason } = refused.json as {
    readonly reason: string;
    readonly details: { readonly causes: readonly { readonly field: string }[] };
  };
  t.is(reason, 'Invalid');
  t.deepEqual(
    details.causes.map(({ field }) => field),
    ['spec.mode', 'spec.speed', 'spec.advanceBy', 'spec.advanceTo'],
  );
  t.regex((await patch(served, { advanceTo: 'later' })).text, /parsing time \\"later\\" as/);
  const body = JSON.stringify({ apiVersion: 'kubeloom.dev/v1alpha1', kind: 'Clock', metadata: { name: 'mine' } });
  const second = await ask(served, '/apis/kubeloom.dev/v1alpha1/clocks', { method: 'POST', body });
  t.is(second.status, 422);
  t.regex(second.text, /metadata\.name: Unsupported value: \\"mine\\": supported values: \\"cluster\\"/);
});

test('Clock › of a cluster that a program runs it tells the time and is not followed', async (t) => {
  const served = await serve(t, { nodes: 1 });
  await served.cluster.run({ limit: '90s' });
  const { status, spec } = (await ask(served, CLOCK)).json as { readonly status: object; readonly spec: object };
  t.like(status, { now: '2030-01-01T00:01:30Z', elapsed: '90s', lag: '0s' });
  t.deepEqual(spec, { mode: 'Virtual', speed: 1 });
});

test('Clock › one that is deleted leaves time to pass as it was served', async (t) => {
  const served = await serve(t, { realtime: 1, nodes: 1 });
  served.cluster.setSpeed(1_000_000);
  await served.cluster.ready();
  // The room's own Clock is of a cluster that was made in real time.
  t.is((await ask(served, CLOCK, { method: 'DELETE' })).status, 200);
  served.cluster.keepClock({ mode: 'Virtual', speed: 60 });
  t.like((await read(served)).spec, { mode: 'Virtual', speed: 60 });
  t.is((await ask(served, CLOCK, { method: 'DELETE' })).status, 200);
  t.like(
    (await ask(served, CLOCK.replace('/cluster', ''), { method: 'POST', body: '{"metadata":{"name":"cluster"}}' }))
      .json,
    {
      spec: { mode: 'Virtual', speed: 60 },
    },
  );
});
