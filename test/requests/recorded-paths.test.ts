import test from 'ava';
import { sendRequest, type RestAnswer } from '../../bench/conformance/stories/rest-request.js';
import { createKernel } from '../../src/kernel/engine/kernel.js';
import type { ApiServer } from '../../src/apiserver/store/server-types.js';
import { createFixture } from '../apiserver/fixtures.js';

/** Nothing that is asked here depends on the time. */
const kernel = createKernel({ seed: 'requests' });

const PODS = '/api/v1/namespaces/default/pods';
const REPLICA_SETS = '/apis/apps/v1/namespaces/default/replicasets';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const JSON_BODY = 'application/json';
const MERGE = 'application/merge-patch+json';

function podDraft(name: string): object {
  return { metadata: { name, labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
}

function send(server: ApiServer, method: string, path: string, body?: unknown, contentType = JSON_BODY): RestAnswer {
  return sendRequest({ server, kernel }, { method, path, body, contentType });
}

/** A server with the pods a and b. */
function serverWithPods(): ApiServer {
  const { server } = createFixture();
  for (const name of ['a', 'b']) send(server, 'POST', PODS, podDraft(name));
  return server;
}

function names(server: ApiServer): string[] {
  return server.list('Pod').items.map(({ metadata }) => metadata.name);
}

test('requests by path › a body takes the namespace of its path', (t) => {
  const { server } = createFixture();
  server.create('Namespace', { metadata: { name: 'other' } });
  const { code } = send(server, 'POST', '/api/v1/namespaces/other/pods', podDraft('a'));
  t.deepEqual([code, server.get('Pod', { namespace: 'other', name: 'a' }).metadata.namespace], [201, 'other']);
});

test('requests by path › a scale is read and patched, and leaves out a size of 0', (t) => {
  const { server } = createFixture();
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 2, selector: { matchLabels: { a: 'b' } }, template };
  send(server, 'POST', REPLICA_SETS, { metadata: { name: 'r' }, spec });
  const path = `${REPLICA_SETS}/r/scale`;
  const sizes = [
    send(server, 'GET', path),
    send(server, 'PATCH', path, { spec: { replicas: 5 } }, MERGE),
    send(server, 'PUT', path, { metadata: { name: 'r' }, spec: { replicas: 0 } }),
  ].map(({ value }) => (value as { readonly spec: object }).spec);
  t.deepEqual(sizes, [{ replicas: 2 }, { replicas: 5 }, {}]);
  t.is(server.get('ReplicaSet', { name: 'r' }).spec.replicas, 0);
});

test('requests by path › an eviction asks the budgets', (t) => {
  const server = serverWithPods();
  const spec = { minAvailable: 1, selector: { matchLabels: { app: 'b' } } };
  send(server, 'POST', BUDGETS, { metadata: { name: 'keep' }, spec });
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  send(server, 'PATCH', `${PODS}/b/status`, { status }, MERGE);
  const evict = (name: string): RestAnswer => send(server, 'POST', `${PODS}/${name}/eviction`, { metadata: { name } });
  t.is(evict('a').code, 201);
  t.deepEqual(names(server), ['b']);
  t.is(evict('b').code, 429);
});

test('requests by path › a collection is deleted by its labels', (t) => {
  const server = serverWithPods();
  t.is(send(server, 'DELETE', `${PODS}?labelSelector=app%3Da`).code, 200);
  t.deepEqual(names(server), ['b']);
});

test('requests by path › a dry run of a deletion answers and changes nothing', (t) => {
  const server = serverWithPods();
  const { code, value } = send(server, 'DELETE', `${PODS}/a`, { dryRun: ['All'] });
  t.deepEqual([code, (value as { readonly metadata: { readonly name: string } }).metadata.name], [200, 'a']);
  t.deepEqual(names(server), ['a', 'b']);
});
