import test from 'ava';
import { createCluster, type ClusterAnswer } from '../../src/index.js';

const POD = { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const PODS = '/api/v1/namespaces/default/pods';

test('cluster.request › answers as the served API does, in one call', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  const made = cluster.request({ method: 'POST', path: PODS, body: POD });
  t.is(made.status, 201);
  const list = cluster.request({ method: 'GET', path: `${PODS}?limit=1` });
  t.is(list.status, 200);
  t.is((list.body as { readonly items: readonly unknown[] }).items.length, 1);
  const patched = cluster.request({ method: 'PATCH', path: `${PODS}/a`, body: { metadata: { labels: { x: 'y' } } } });
  t.like((patched as ClusterAnswer & { readonly body: object }).body, { metadata: { labels: { x: 'y' } } });
  t.is(cluster.request({ method: 'GET', path: `${PODS}/b` }).status, 404);
  t.like(cluster.request({ method: 'GET', path: '/healthz' }), { status: 200, body: 'ok' });
  await cluster.dispose();
});

test('cluster.request › what is no request, and what a stream would answer, is refused by name', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  t.throws(() => cluster.request({ method: 'GET', path: 'api' }), {
    message: 'path must be a path such as /api/v1/pods, got "api"',
  });
  t.throws(() => cluster.request({ method: 'GET', path: `${PODS}?watch=true` }), {
    message: /^path must be one that a whole answer/,
  });
  t.throws(() => cluster.request({ path: '/' } as never), { name: 'OptionError', message: /^method must be a text/ });
  await cluster.dispose();
  t.throws(() => cluster.request({ method: 'GET', path: PODS }), { name: 'DisposedError' });
});
