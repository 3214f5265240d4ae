import test from 'ava';
import { createCluster } from '../../../src/index.js';

const COLLECTOR = 'garbage-collector-controller';
const LASTS = '4m';

test('garbage collector › an answer that failed does not say that an owner is gone: its pods stay', async (t) => {
  const cluster = createCluster({ nodes: 2, seed: 8, invariants: true });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  // No cache shows the owner, so that the API server is asked, which is in trouble.
  cluster.faults.inject({ delayWatch: { controller: COLLECTOR, kind: 'ReplicaSet', by: '10m' }, for: LASTS });
  cluster.faults.inject({
    refuse: { controller: COLLECTOR, kinds: ['ReplicaSet'], share: 1, verbs: ['get'], with: 'InternalError' },
    for: LASTS,
  });
  await cluster.run({ limit: '10s' });
  cluster.create('ReplicaSet', {
    metadata: { name: 'web' },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'web' }] } },
    },
  });
  const gone: string[] = [];
  cluster.watch('Pod').subscribe(({ type, object }) => {
    if (type === 'DELETED') gone.push(object.metadata.name);
  });
  await cluster.run({ limit: '10m' });
  t.true((cluster.faults.tally.counts.get('refuse')?.effects ?? 0) > 0, 'no answer has failed');
  t.deepEqual(gone, []);
  t.is(cluster.list('Pod').length, 3);
  t.deepEqual(cluster.invariants.violations, []);
});
