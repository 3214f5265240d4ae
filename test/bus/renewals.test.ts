/** What an informer hears of leases that are renewed without events. */
import test, { type ExecutionContext } from 'ava';
import { createApiServer } from '../../src/apiserver/api-server.js';
import type { ApiServer } from '../../src/apiserver/store/server-types.js';
import { createBus } from '../../src/bus/bus.js';
import type { Informer, Link } from '../../src/bus/bus-types.js';
import type { EngineClock } from '../../src/kernel/engine/clock.js';
import { createKernel } from '../../src/kernel/engine/kernel.js';

const KEY = 'kube-node-lease/n';
const LATENCY_MS = 5;

interface Scene {
  readonly clock: EngineClock;
  readonly server: ApiServer;
  readonly link: Link;
  readonly leases: Informer<'Lease'>;
  readonly until: (ms: number) => Promise<unknown>;
}

/** A lease that is renewed at 1, 11, 21 … s, and an informer that has synced at 10 ms. */
async function createScene(t: ExecutionContext, watchHistory?: number): Promise<Scene> {
  const kernel = createKernel({ seed: 'renewals' });
  const server = createApiServer(kernel, { watchHistory });
  const bus = createBus(kernel, server, { latency: LATENCY_MS });
  t.teardown(() => {
    bus.dispose();
    kernel.clock.dispose();
  });
  server.create('Lease', { metadata: { namespace: 'kube-node-lease', name: 'n' }, spec: {} });
  server.renewLease('n', { firstMs: 1000, periodMs: 10_000 });
  const connection = bus.connect('someone');
  const leases = connection.informers.informer('Lease');
  leases.start();
  const until = (untilMs: number): Promise<unknown> => kernel.clock.run({ untilMs });
  await until(100);
  return { clock: kernel.clock, server, link: connection.link, leases, until };
}

test('renewals › each is heard a latency after it, and costs no event', async (t) => {
  const { leases, until, clock } = await createScene(t);
  t.is(leases.heardMs(KEY), 10);
  await until(1004);
  t.is(leases.heardMs(KEY), 10);
  await until(1005);
  t.is(leases.heardMs(KEY), 1005);
  await until(55_000);
  t.is(leases.heardMs(KEY), 51_005);
  t.true(leases.isRenewing(KEY));
  t.is(clock.pending, 0);
});

test('renewals › their end is told, and what was renewed last stays heard when it was', async (t) => {
  const { server, leases, until } = await createScene(t);
  await until(58_000);
  server.renewLease('n', undefined);
  t.true(leases.isRenewing(KEY));
  await until(58_005);
  t.false(leases.isRenewing(KEY));
  t.is(leases.heardMs(KEY), 51_005);
  t.is(leases.getByKey(KEY)?.spec?.renewTime, '2030-01-01T00:00:51.000000Z');
  await until(90_000);
  t.is(leases.heardMs(KEY), 51_005);
});

test('renewals › a new beginning is no renewal yet', async (t) => {
  const { server, leases, until } = await createScene(t);
  await until(25_000);
  server.renewLease('n', undefined);
  await until(40_000);
  server.renewLease('n', { firstMs: 48_000, periodMs: 10_000 });
  await until(48_004);
  t.deepEqual([leases.isRenewing(KEY), leases.heardMs(KEY)], [true, 21_005]);
  await until(48_005);
  t.is(leases.heardMs(KEY), 48_005);
});

test('renewals › a lease that is written is heard of when that arrives', async (t) => {
  const { server, leases, until } = await createScene(t);
  server.renewLease('n', undefined);
  await until(30_000);
  const name = { namespace: 'kube-node-lease', name: 'n' };
  server.change('Lease', name, (lease) => ({ ...lease, metadata: { ...lease.metadata, labels: { a: 'b' } } }));
  await until(31_000);
  t.is(leases.heardMs(KEY), 10);
  const renewTime = '1999-01-01T00:00:00.000000Z';
  server.change('Lease', name, (lease) => ({ ...lease, spec: { ...lease.spec, renewTime } }));
  await until(32_000);
  t.is(leases.heardMs(KEY), 31_005);
  server.delete('Lease', name);
  await until(33_000);
  t.is(leases.heardMs(KEY), undefined);
});

test('renewals › while the link is cut nothing is heard, and what happened meanwhile arrives when the watch is open', async (t) => {
  const { leases, link, until } = await createScene(t);
  await until(21_003);
  // The renewal at 21 s is under way, and is lost.
  link.cut();
  t.is(leases.heardMs(KEY), 11_005);
  t.false(leases.isRenewing(KEY));
  await until(60_000);
  t.is(leases.heardMs(KEY), 11_005);
  link.restore();
  await until(60_009);
  t.is(leases.heardMs(KEY), 11_005);
  await until(60_010);
  t.deepEqual([leases.isRenewing(KEY), leases.heardMs(KEY)], [true, 60_010]);
  await until(61_005);
  t.is(leases.heardMs(KEY), 61_005);
});

test('renewals › a short cut in which none fell changes nothing', async (t) => {
  const { leases, link, until } = await createScene(t);
  await until(25_000);
  link.cut();
  await until(27_000);
  link.restore();
  await until(30_000);
  t.is(leases.heardMs(KEY), 21_005);
});

test('renewals › an end during a cut is told after it, with the last renewal that was missed', async (t) => {
  const { server, leases, link, until } = await createScene(t);
  await until(25_000);
  link.cut();
  await until(35_000);
  server.renewLease('n', undefined);
  await until(60_000);
  link.restore();
  await until(61_000);
  t.deepEqual([leases.isRenewing(KEY), leases.heardMs(KEY)], [false, 60_010]);
});

test('renewals › a list after lost history tells them, too', async (t) => {
  const { server, leases, link, until } = await createScene(t, 1);
  await until(25_000);
  link.cut();
  for (const name of ['a', 'b', 'c']) {
    server.create('Lease', { metadata: { namespace: 'kube-node-lease', name }, spec: {} });
  }
  server.renewLease('a', { firstMs: 32_000, periodMs: 10_000 });
  await until(30_000);
  link.restore();
  await until(30_500);
  t.is(leases.heardMs(KEY), 21_005);
  await until(45_000);
  t.deepEqual(
    [KEY, 'kube-node-lease/a', 'kube-node-lease/b'].map((key) => [leases.isRenewing(key), leases.heardMs(key)]),
    [
      [true, 41_005],
      [true, 42_005],
      [false, 30_020],
    ],
  );
});
