/** Futures of one present on threads of their own are those that the fork on this thread has. */
import test from 'ava';
import {
  createCluster,
  hostCluster,
  hostFork,
  takePresent,
  type Cluster,
  type HostedCluster,
} from '../../../src/index.js';

const APP = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 60
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: nginx, resources: { requests: { cpu: 100m } } }] }
---
apiVersion: v1
kind: Secret
metadata: { name: s }
stringData: { a: hello }
`;
const PACKED = {
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
  profiles: [
    {
      schedulerName: 'default-scheduler',
      pluginConfig: [
        {
          name: 'NodeResourcesFit',
          args: { scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 1 }] } },
        },
      ],
    },
  ],
};

async function warm(cluster: Cluster | HostedCluster): Promise<void> {
  await cluster.ready();
  await cluster.apply(APP);
  await cluster.run({ until: { readyPods: 60 }, limit: '5m' });
}

/** What a future comes to: its hash, and how many nodes its new pods use. */
async function futureOf(cluster: Cluster | HostedCluster): Promise<readonly [string, number, unknown]> {
  await cluster.scale('Deployment', 'web', 90);
  await cluster.run({ until: { readyPods: 90 }, limit: '5m' });
  const pods = await cluster.list('Pod');
  const secret = await cluster.get('Secret', 's');
  const hash = await (typeof cluster.traceHash === 'string' ? cluster.traceHash : cluster.traceHash());
  await cluster.dispose();
  return [hash, new Set(pods.map(({ spec }) => spec.nodeName)).size, secret.data];
}

test('hostFork › futures of one present are those of the forks on this thread', async (t) => {
  const cluster = createCluster({ nodes: 10, seed: 5, clientLimits: 'unlimited' });
  await warm(cluster);
  const before = cluster.traceHash;
  const present = await takePresent(cluster);
  const hashes = new Set<string>();
  for (let seed = 0; seed < 4; seed += 1) {
    const options = { seed, ...(seed % 2 === 0 ? {} : { schedulerConfig: PACKED }) };
    const [there, here] = [await futureOf(await hostFork(present, options)), await futureOf(cluster.fork(options))];
    t.deepEqual(there, here);
    t.deepEqual(there[2], { a: 'aGVsbG8=' });
    hashes.add(there[0]);
  }
  t.is(hashes.size, 4);
  t.is(cluster.traceHash, before);
  await cluster.dispose();
});

test('hostFork › goes on from a hosted cluster as from one in this thread, with its options', async (t) => {
  const options = { nodes: 4, seed: 'both', latency: 2, invariants: true };
  const [local, hosted] = [createCluster(options), await hostCluster(options)];
  for (const each of [local, hosted]) await warm(each);
  const expected = await futureOf(local.fork({ seed: 2 }));
  t.deepEqual(await futureOf(await hostFork(hosted, { seed: 2 })), expected);
  t.deepEqual(await futureOf(await hostFork(local, { seed: 2 })), expected);
  await Promise.all([local.dispose(), hosted.dispose()]);
});

test('hostFork › refuses what is no cluster, options that are none, and what cannot cross', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  await t.throwsAsync(hostFork({} as never), { name: 'OptionError', message: /^cluster must be a cluster/ });
  await t.throwsAsync(hostFork(cluster, 3 as never), { name: 'OptionError', message: /^options must be an object/ });
  await t.throwsAsync(hostFork(cluster, { workers: -1 }), { name: 'OptionError', message: /^workers must be/ });
  await t.throwsAsync(hostFork(cluster, { latency: () => 1 }), {
    name: 'OptionError',
    message: /latency of open must be plain data/,
  });
  await cluster.dispose();
});
