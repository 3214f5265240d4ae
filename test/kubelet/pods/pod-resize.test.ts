import test from 'ava';
import { Agent, request } from 'node:https';
import type { Cluster } from '../../../src/index.js';
import { createCluster } from '../../../src/index.js';

const MEMORY = '100Mi';

function pod(name: string, cpu: string, own: object = {}): object {
  const resources = { requests: { cpu, memory: MEMORY }, limits: { cpu: '9', memory: '1Gi' } };
  return { metadata: { name }, spec: { containers: [{ name: 'c', image: 'x', resources, ...own }] } };
}

async function machine(...pods: readonly object[]): Promise<Cluster> {
  const cluster = createCluster({
    nodes: [{ count: 1, capacity: { cpu: '4', memory: '8Gi', pods: '20' } }],
    invariants: true,
  });
  await cluster.ready();
  for (const each of pods) cluster.create('Pod', each as Parameters<typeof cluster.create<'Pod'>>[1]);
  await cluster.run({ until: { readyPods: pods.length }, limit: '1m' });
  return cluster;
}

/** As `kubectl patch --subresource resize` does. */
async function resize(cluster: Cluster, name: string, cpu: string): Promise<void> {
  const server = await cluster.listen({ port: 0 });
  const agent = new Agent({ rejectUnauthorized: false });
  const headers = {
    authorization: `Bearer ${server.token}`,
    'content-type': 'application/strategic-merge-patch+json',
  };
  const answered = new Promise<number>((resolve, reject) => {
    const place = `${server.url}/api/v1/namespaces/default/pods/${name}/resize`;
    const sent = request(place, { method: 'PATCH', agent, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }] } }));
  });
  // The program waits for the network, and the cluster for the request.
  const status = await Promise.all([answered, cluster.run({ limit: '3s' })]).then(([code]) => code);
  await server.close();
  agent.destroy();
  if (status !== 200) throw new Error(`the resize of ${name} was answered with ${status}`);
}

function shown(cluster: Cluster, name: string): { readonly conditions: unknown; readonly container: unknown } {
  const status = cluster.get('Pod', name)?.status;
  const conditions = (status?.conditions ?? [])
    .filter(({ type }) => type.startsWith('PodResize'))
    .map(({ type, reason, message, observedGeneration }) => [type, reason, message, observedGeneration]);
  const [container] = status?.containerStatuses ?? [];
  const { restartCount, resources, allocatedResources } = container ?? {};
  return { conditions, container: [restartCount, allocatedResources?.['cpu'], resources?.requests?.['cpu']] };
}

function told(cluster: Cluster, reason: string): readonly string[] {
  return cluster
    .list('Event')
    .filter((event) => event.reason === reason)
    .map(({ message }) => message ?? '');
}

test('a resize is set aside, put into effect and told of, without a restart', async (t) => {
  const cluster = await machine(pod('a', '1'));
  const seen: unknown[] = [];
  cluster.watch('Pod').subscribe(() => seen.push(shown(cluster, 'a')));
  await resize(cluster, 'a', '1500m');
  await cluster.run({ limit: '10s' });
  t.deepEqual(seen.slice(-2), [
    { conditions: [['PodResizeInProgress', undefined, undefined, 2]], container: [0, '1500m', '1'] },
    { conditions: [], container: [0, '1500m', '1500m'] },
  ]);
  const limits = '"limits":{"cpu":"9","memory":"1Gi"}';
  const requests = `"requests":{"cpu":"1500m","memory":"${MEMORY}"}`;
  t.deepEqual(told(cluster, 'ResizeCompleted'), [
    `Pod resize completed: {"containers":[{"name":"c","resources":{${limits},${requests}}}]}`,
  ]);
  t.deepEqual(cluster.invariants.violations, []);
  await cluster.dispose();
});

test('a container that asks for it is restarted', async (t) => {
  const resizePolicy = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }];
  const cluster = await machine(pod('a', '1', { resizePolicy }));
  await resize(cluster, 'a', '500m');
  await cluster.run({ limit: '1m' });
  t.deepEqual(shown(cluster, 'a'), { conditions: [], container: [1, '500m', '500m'] });
  t.deepEqual(told(cluster, 'Killing'), ['Container c resize requires restart']);
  t.is(told(cluster, 'ResizeCompleted').length, 1);
  await cluster.dispose();
});

test('a resize waits for room, and is infeasible where the node is too small', async (t) => {
  const cluster = await machine(pod('a', '1'), pod('b', '2'));
  await resize(cluster, 'a', '3');
  await cluster.run({ limit: '10s' });
  const message = "Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 4000";
  t.deepEqual(shown(cluster, 'a'), {
    conditions: [['PodResizePending', 'Deferred', message, 2]],
    container: [0, '1', '1'],
  });
  cluster.delete('Pod', 'b');
  await cluster.run({ limit: '1m' });
  t.deepEqual(shown(cluster, 'a'), { conditions: [], container: [0, '3', '3'] });
  // What is left is what the node has set aside, and not what was there at first.
  cluster.create('Pod', pod('c', '1500m') as Parameters<typeof cluster.create<'Pod'>>[1]);
  await cluster.run({ limit: '10s' });
  t.is(cluster.get('Pod', 'c')?.spec.nodeName, undefined);
  await resize(cluster, 'a', '5');
  await cluster.run({ limit: '10s' });
  const tooLarge = "Node didn't have enough capacity: cpu, requested: 5000, capacity: 4000";
  t.deepEqual(shown(cluster, 'a'), {
    conditions: [['PodResizePending', 'Infeasible', tooLarge, 3]],
    container: [0, '3', '3'],
  });
  await cluster.dispose();
});

test('a kubelet that starts anew goes on with what was set aside', async (t) => {
  const cluster = await machine(pod('a', '1'), pod('b', '2'));
  await resize(cluster, 'a', '3');
  await cluster.run({ limit: '10s' });
  const before = shown(cluster, 'a');
  cluster.faults.inject({ stopKubelet: { node: 'node-0' }, for: '5s' });
  await cluster.run({ limit: '2m' });
  t.deepEqual((shown(cluster, 'a').container as unknown[]).slice(1), (before.container as unknown[]).slice(1));
  await cluster.dispose();
});
