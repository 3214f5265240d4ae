import test from 'ava';
import { createCluster, type Cluster } from '../../src/index.js';

const NODE = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'far' } };

function pod(name: string, cpu: string): object {
  const resources = { requests: { cpu } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'x', resources }] },
  };
}

/** Whether a node takes pods changes every other second, so that each attempt of a pod fails for another reason. */
async function flicker(cluster: Cluster, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 2) {
    cluster.patch('Node', { name: 'far' }, { spec: { unschedulable: second % 4 === 0 } });
    await cluster.run({ limit: '2s' });
  }
}

test('a scheduler that sends slowly › decides no pod before the failure of the last one is on its way', async (t) => {
  const clientConnection = { qps: 5, burst: 5 };
  const schedulerConfig = {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection,
  } as const;
  const cluster = createCluster({ seed: 1, nodes: 1, schedulerConfig });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  cluster.create('Node', { ...NODE, status: { capacity: { cpu: '1', memory: '1Gi', pods: '110' } } });
  for (let index = 0; index < 200; index += 1) cluster.create('Pod', pod(`big-${index}`, '100') as never);
  await flicker(cluster, 120);
  const sinceMs = cluster.nowMs;
  cluster.create('Pod', pod('small', '100m') as never);
  const isBound = (): boolean =>
    cluster.get('Pod', { name: 'small', namespace: 'default' })?.spec.nodeName !== undefined;
  while (!isBound() && cluster.nowMs < sinceMs + 300_000) await flicker(cluster, 4);
  // 200 pods at five requests a second are before it at the most.
  t.true(cluster.nowMs - sinceMs <= 60_000, `${cluster.nowMs - sinceMs} ms`);
});
