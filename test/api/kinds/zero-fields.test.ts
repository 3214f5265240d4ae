import test from 'ava';
import { createFixture } from '../../apiserver/fixtures.js';

const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };

test("zero fields › a Deployment that is not paused does not say so, as in Go's encoding", (t) => {
  const { server } = createFixture();
  const spec = { paused: true, minReadySeconds: 0, selector: { matchLabels: { a: 'b' } }, template: TEMPLATE };
  const created = server.create('Deployment', { metadata: { name: 'd' }, spec });
  t.deepEqual([created.spec.paused, 'minReadySeconds' in created.spec], [true, false]);
  const patched = server.patch('Deployment', { name: 'd' }, { type: 'merge', body: { spec: { paused: false } } });
  t.deepEqual(['paused' in patched.spec, patched.metadata.generation], [false, 2]);
});

test("zero fields › a node that takes pods does not say so, as in Go's encoding", (t) => {
  const { server } = createFixture();
  server.create('Node', { metadata: { name: 'n' }, spec: { unschedulable: true } });
  const patched = server.patch('Node', { name: 'n' }, { type: 'merge', body: { spec: { unschedulable: false } } });
  t.false('unschedulable' in patched.spec);
});
