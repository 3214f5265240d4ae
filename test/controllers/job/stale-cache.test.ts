import test from 'ava';
import { createCluster, type Fault } from '../../../src/index.js';

const JOB = {
  metadata: { name: 'once' },
  spec: {
    template: {
      metadata: { annotations: { 'kubeloom.dev/run-for': '20s' } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'once:1' }] },
    },
  },
};

/** What is late, beside the jobs themselves. */
const LOSSES: readonly [string, readonly Fault[]][] = [
  ['a minute behind', []],
  [
    'a minute behind, and answers to its writes get lost',
    [{ lossy: { component: 'kube-controller-manager', requests: 0.5, when: 'after' } }],
  ],
];

for (const [title, faults] of LOSSES) {
  test(`jobs that the controller sees ${title}, get their one pod and are complete`, async (t) => {
    const cluster = createCluster({ nodes: 1, seed: 3, invariants: true });
    t.teardown(() => cluster.dispose());
    await cluster.ready();
    cluster.create('Job', JOB);
    await cluster.run({ limit: '10s' });
    const pods = new Set(cluster.list('Pod').map(({ metadata }) => metadata.name));
    t.is(pods.size, 1);
    cluster.watch('Pod').subscribe((event) => {
      if (event.type === 'ADDED') pods.add(event.object.metadata.name);
    });
    cluster.faults.inject({ delayWatch: { component: 'kube-controller-manager', kind: 'Job', by: '60s' } });
    for (const fault of faults) cluster.faults.inject(fault);
    await cluster.run({ limit: '60m' });
    t.is(pods.size, 1);
    const { status } = cluster.get('Job', 'once');
    t.deepEqual(
      [status.succeeded, status.conditions?.map(({ type }) => type)],
      [1, ['SuccessCriteriaMet', 'Complete']],
    );
    t.deepEqual(cluster.invariants.violations, []);
  });
}
