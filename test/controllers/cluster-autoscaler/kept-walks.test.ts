import test, { type ExecutionContext } from 'ava';
import { autoscaled, deploy, nodesOf } from './autoscaled-cluster.js';

/** A plugin of a user's that no profile has: nothing is kept of what filters said, since it may look at anything. */
const OWN = { schedulerPlugins: { Unused: () => ({ name: 'Unused' }) } };

/** Pods of several sizes come and go on groups of machines; the trace has every decision. */
async function played(t: ExecutionContext, options: object): Promise<{ nodes: number; hash: string }> {
  const groups = ['a', 'b', 'c'].map((zone) => ({
    count: 12,
    namePrefix: `${zone}-`,
    zones: [zone],
    autoscaling: { min: 1, max: 40 },
  }));
  const cluster = autoscaled(t, groups, options);
  deploy(cluster, 'small', 30, '700m');
  deploy(cluster, 'large', 20, '1500m');
  const selector = { matchLabels: { app: 'apart' } };
  const required = [{ topologyKey: 'kubernetes.io/hostname', labelSelector: selector }];
  deploy(cluster, 'apart', 6, '1', {
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
  });
  deploy(cluster, 'spread', 9, '900m', {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'spread' } },
      },
    ],
  });
  const sizes = [
    { small: 80, large: 40, apart: 6 },
    { small: 20, large: 25, apart: 0 },
    { small: 10, large: 3, apart: 4 },
  ];
  for (const size of sizes) {
    for (const [name, replicas] of Object.entries(size)) cluster.scale('Deployment', name, replicas);
    await cluster.run({ limit: '25m' });
  }
  return { nodes: nodesOf(cluster).length, hash: cluster.traceHash };
}

test('cluster autoscaler › what is kept of walks over the nodes changes no decision', async (t) => {
  const [kept, walked] = [await played(t, {}), await played(t, OWN)];
  t.deepEqual(kept, walked);
  t.true(kept.nodes < 36, `nodes have gone, ${kept.nodes} are left`);
});
