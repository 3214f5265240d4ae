import test from 'ava';
import { createHarness } from '../harness.js';

function report(status: 'True' | 'False'): { readonly type: 'strategic'; readonly body: object } {
  return { type: 'strategic', body: { status: { conditions: [{ type: 'Ready', status }] } } };
}

test('node lifecycle › the not-ready taint follows the Ready condition both ways', async (t) => {
  const harness = createHarness();
  const { server } = harness;
  const name = { name: 'n' };
  server.create('Node', { metadata: name });
  server.patch('Node', name, report('False'), 'status');
  await harness.run(100);
  t.deepEqual(
    server.get('Node', name).spec.taints?.map(({ key, effect }) => [key, effect]),
    [['node.kubernetes.io/not-ready', 'NoSchedule']],
  );
  server.patch('Node', name, report('True'), 'status');
  await harness.run(100);
  t.is(server.get('Node', name).spec.taints, undefined);
  server.patch('Node', name, report('False'), 'status');
  await harness.run(100);
  const [taint] = server.get('Node', name).spec.taints ?? [];
  t.is(taint?.key, 'node.kubernetes.io/not-ready');
  t.is(typeof taint?.timeAdded, 'string');
  harness.dispose();
});
