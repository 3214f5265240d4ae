import test, { type ExecutionContext } from 'ava';
import { createCluster, type Cluster, type ClusterOptions } from '../../src/index.js';
import { ask, serve } from '../server/wire-client.js';
import { isNear } from './is-near.js';

const LABELS = { app: 'web' };

/** A service with so many pods; a request costs 20 ms, and each pod has one core. */
function web(replicas: number, cost = '20ms'): readonly object[] {
  const resources = { requests: { cpu: '500m' }, limits: { cpu: '1' } };
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        replicas,
        selector: { matchLabels: LABELS },
        template: {
          metadata: { labels: LABELS, annotations: { 'kubeloom.dev/request-cost': cost } },
          spec: { containers: [{ name: 'c', image: 'x', resources }] },
        },
      },
    },
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { selector: LABELS, ports: [{ port: 80 }] } },
  ];
}

async function started(t: ExecutionContext, replicas: number, options: ClusterOptions = {}): Promise<Cluster> {
  const cluster = createCluster({ nodes: 4, seed: 3, ...options });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  cluster.apply(web(replicas) as never);
  await cluster.run({ limit: '1m' });
  return cluster;
}

/** Millicores that pods use, as metrics-server tells. */
function usedMillis(cluster: Cluster): readonly number[] {
  const { body } = cluster.request({ method: 'GET', path: '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods' });
  const { items } = body as { readonly items: readonly { containers: readonly { usage: { cpu: string } }[] }[] };
  return items.map(({ containers }) => Number(containers[0]?.usage.cpu.replace('n', '')) / 1e6);
}

/** The text of a Load. */
function loadText(spec: object, name: string): string {
  return JSON.stringify({ apiVersion: 'kubeloom.dev/v1alpha1', kind: 'Load', metadata: { name }, spec });
}

test('load › is spread over the ready endpoints, and costs CPU there', async (t) => {
  const cluster = await started(t, 4);
  const load = cluster.load('web');
  t.is(load.state, undefined);
  t.deepEqual(usedMillis(cluster), [0, 0, 0, 0]);
  load.set(80);
  await cluster.run({ limit: '2m' });
  for (const used of usedMillis(cluster)) t.true(isNear(used, 400, 0.001), `${used}`);
  const { state } = load;
  t.like(state, { rate: 80, endpoints: 4, failed: 0 });
  // By the last whole second.
  t.true(isNear(state?.offered, 80 * 120, 80));
  // A queue that works 40 % of the time has 0.4 / 0.6 requests in it; each before takes 20 ms.
  t.true(isNear(state?.saturation, 0.4, 1e-6));
  t.true(isNear(state?.waiting, 4 * (0.4 / 0.6), 1e-5));
  t.true(isNear(state?.queueingDelayMs, (0.4 / 0.6) * 20, 1e-4));
  t.true(isNear(state?.answered, (state?.offered ?? 0) - 4 * (0.4 / 0.6), 1e-4));
  cluster.scale('Deployment', 'web', 2);
  await cluster.run({ limit: '2m' });
  for (const used of usedMillis(cluster)) t.true(isNear(used, 800, 0.001), `${used}`);
  load.stop();
  await cluster.run({ limit: '1m' });
  t.deepEqual(usedMillis(cluster), [0, 0]);
  t.like(load.state, { rate: 0, failed: 0 });
});

test('load › what endpoints cannot do waits, for 30 s of work at most, and is worked off later', async (t) => {
  const cluster = await started(t, 2);
  const load = cluster.load('web');
  load.set('steps 0s=150, 5m=0');
  await cluster.run({ limit: '5m' });
  for (const used of usedMillis(cluster)) t.true(used > 999 && used <= 1000, `${used}`);
  // Two cores do 100 of 150 a second; 1,500 wait in each at most.
  const busy = load.state;
  t.true(isNear(busy?.waiting, 3000, 1));
  t.true(isNear(busy?.queueingDelayMs, 30_000, 20));
  t.true((busy?.saturation ?? 0) > 0.999);
  t.true(isNear(busy?.failed, 300 * 150 - 300 * 100 - 3000, 60));
  await cluster.run({ limit: '1m' });
  t.true(isNear(load.state?.waiting, 0, 0.01));
  t.is(load.state?.failed, busy?.failed);
  t.true(isNear(load.state?.answered, 300 * 150 - (busy?.failed ?? 0), 0.01));
});

test('load › without an endpoint requests fail, and those in a process that ends are lost', async (t) => {
  const cluster = await started(t, 1);
  const load = cluster.load('web');
  load.set(49);
  await cluster.run({ limit: '5m' });
  const { waiting = 0 } = load.state ?? {};
  t.true(waiting > 10);
  const [pod] = cluster.list('Pod');
  cluster.delete('Pod', pod?.metadata.name ?? '', { force: true });
  await cluster.run({ limit: '1s' });
  const { failed = 0 } = load.state ?? {};
  t.true(isNear(failed, waiting, 60), `${failed}`);
  cluster.scale('Deployment', 'web', 0);
  await cluster.run({ limit: '2m' });
  t.like(load.state, { endpoints: 0, saturation: 1, queueingDelayMs: Infinity, waiting: 0 });
  const before = load.state?.failed ?? 0;
  await cluster.run({ limit: '10s' });
  t.true(isNear((load.state?.failed ?? 0) - before, 490, 1e-6));
});

test('load › an autoscaler follows it, and the same seed gives the same run, whoever looks', async (t) => {
  const play = async (looks: boolean): Promise<readonly [string, readonly number[]]> => {
    const cluster = await started(t, 2);
    cluster.apply([
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'web' },
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
          minReplicas: 2,
          maxReplicas: 30,
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
          ],
        },
      },
    ] as never);
    cluster.load('web').set('0s=20, 5m=200, 15m=200, 16m=20');
    const replicas: number[] = [];
    for (let minute = 0; minute < 30; minute += 1) {
      if (looks)
        for (let part = 0; part < 7; part += 1) {
          await cluster.run({ limit: '8500ms' });
          t.truthy(cluster.load('web').state);
        }
      await cluster.run({ limit: looks ? '500ms' : '1m' });
      replicas.push(cluster.get('Deployment', 'web').spec.replicas ?? 0);
    }
    return [cluster.traceHash, replicas];
  };
  const [hash, replicas] = await play(false);
  // 200 requests of 20 ms are 4 cores, at 300m each.
  t.true([13, 14].includes(replicas[14] ?? 0));
  t.is(replicas.at(-1), 2);
  t.deepEqual(await play(true), [hash, replicas]);
});

test('load › goes on in a future of the cluster', async (t) => {
  const cluster = await started(t, 2);
  cluster.load('web').set('0s=10, 10m=70');
  await cluster.run({ limit: '5m' });
  const future = cluster.fork();
  t.teardown(() => future.dispose());
  for (const each of [cluster, future]) await each.run({ limit: '5m' });
  const [now, then] = [cluster.load('web').state, future.load('web').state];
  t.true(isNear(then?.rate, now?.rate ?? 0, 0.2));
  t.true(isNear(then?.saturation, now?.saturation ?? 0, 0.01));
});

test('Load › is an object with a table, a status as of now, and errors that name the field', async (t) => {
  const served = await serve(t, { nodes: 2 });
  const { cluster } = served;
  cluster.apply(web(2) as never);
  await cluster.run({ limit: '1m' });
  const path = '/apis/kubeloom.dev/v1alpha1/namespaces/default/loads';
  const post = async (spec: object): Promise<readonly [number, string]> => {
    const { status, json } = await ask(served, path, { method: 'POST', body: loadText(spec, 'wrong') });
    return [status, (json as { readonly message: string }).message];
  };
  t.regex((await post({}))[1], /spec\.rate: Required value: must be requests a second such as 200/);
  t.regex((await post({ rate: 'many' }))[1], /spec\.rate: Invalid value: "many": must be requests a second/);
  t.regex((await post({ rate: 1, table: '0,1' }))[1], /spec\.table: Invalid value: "0,1": cannot stand beside rate/);
  t.regex((await post({ table: 'a' }))[1], /spec\.table: Invalid value: "a": must be lines of seconds/);
  t.deepEqual((await post({ rate: -1 }))[0], 422);
  const { status } = await ask(served, path, {
    method: 'POST',
    body: loadText({ service: 'web', table: '0,20\n60,40' }, 'day'),
  });
  t.is(status, 201);
  await cluster.run({ limit: '2m' });
  const { json } = await ask(served, `${path}/day`);
  t.like(json, { status: { observedGeneration: 1, rate: 40, endpoints: 2, saturation: 0.4, queueingDelay: '0.013s' } });
  t.throws(() => cluster.load('web').set('many'), {
    message: /^rate must be requests a second such as 200, .*, got "many"$/,
  });
  t.throws(() => cluster.load('web').set({ table: '' }), { message: /^rate.table must be lines of/ });
});
