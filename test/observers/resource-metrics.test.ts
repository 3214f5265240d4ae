import test from 'ava';
import { createCluster, type Cluster, type Draft } from '../../src/index.js';

const MEBI = 2 ** 20;
const RUNTIME = { imagePull: 0, sandbox: 0, containerStart: 0 };

async function scene(annotations: Record<string, string>, spec: Draft = {}): Promise<Cluster> {
  const cluster = createCluster({ nodes: 2, seed: 'usage', runtime: RUNTIME });
  await cluster.ready();
  const requests = { cpu: '250m', memory: '64Mi' };
  const containers = ['a', 'b'].map((name) => ({ name, image: 'app', resources: { requests } }));
  cluster.create('Pod', { metadata: { name: 'p', annotations }, spec: { nodeName: 'node-1', containers, ...spec } });
  await cluster.run({ until: () => cluster.readyPods === 1, limit: '1m' });
  return cluster;
}

/** Samples by name and container; values with six decimals. */
async function read(cluster: Cluster): Promise<Record<string, number>> {
  const samples = await cluster.metrics.samples();
  const usage = samples.filter(({ name }) => /_(cpu_usage_seconds_total|working_set_bytes)$/.test(name));
  return Object.fromEntries(
    usage.map(({ name, labels, value }) => {
      const { container = '', pod = '', node = '' } = labels;
      return [[name, container, pod, node].filter((part) => part !== '').join(' '), rounded(value)];
    }),
  );
}

function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

test('resource metrics › tell what running containers use, by their scripts or else by their requests', async (t) => {
  const annotations = { 'kubeloom.dev/cpu.a': '0s=0, 10s=1 repeat 20s', 'kubeloom.dev/memory.a': '0s=0, 64s=64Mi' };
  const cluster = await scene(annotations);
  await cluster.run({ limit: '25s' });
  const before = await read(cluster);
  await cluster.run({ limit: '20s' });
  const usage = await read(cluster);
  const [cpuOfA, cpuOfB] = ['a', 'b'].map((name) => `container_cpu_usage_seconds_total ${name} p node-1`) as [
    string,
    string,
  ];
  const memoryOfA = usage['container_memory_working_set_bytes a p node-1'] ?? 0;
  // A mebibyte a second: how long it has run. Each 20 s it uses 5 core-seconds in the first 10 s, then 10.
  const seconds = Math.round((memoryOfA / MEBI) * 1000) / 1000;
  t.true(seconds > 45 && seconds < 50);
  t.deepEqual(usage, {
    [cpuOfA]: rounded(30 + (seconds - 40) ** 2 / 20),
    [cpuOfB]: rounded((before[cpuOfB] ?? 0) + 5),
    'container_memory_working_set_bytes a p node-1': Math.trunc(seconds * MEBI),
    'container_memory_working_set_bytes b p node-1': 64 * MEBI,
    'pod_cpu_usage_seconds_total p node-1': rounded((usage[cpuOfA] ?? 0) + (usage[cpuOfB] ?? 0)),
    'pod_memory_working_set_bytes p node-1': memoryOfA + 64 * MEBI,
    'node_memory_working_set_bytes node-0': 0,
    'node_memory_working_set_bytes node-1': memoryOfA + 64 * MEBI,
  });
  t.regex(
    await cluster.metrics.text(),
    /# HELP container_memory_working_set_bytes Current working set of the container in bytes\n# TYPE container_memory_working_set_bytes gauge\ncontainer_memory_working_set_bytes\{container="a",pod="p",namespace="default",node="node-1"\} \d+\n/,
  );
  await cluster.dispose();
});

test('resource metrics › a container begins anew with each run, and its pod adds them up', async (t) => {
  const cluster = await scene({ 'kubeloom.dev/runs.a': '4s exit 1, forever' });
  await cluster.run({ limit: '60s' });
  const usage = await read(cluster);
  const seconds = 4 * (usage['container_cpu_usage_seconds_total b p node-1'] ?? 0);
  const second = 4 * (usage['container_cpu_usage_seconds_total a p node-1'] ?? 0);
  t.true(second > 0 && second < seconds - 4);
  t.is(usage['pod_cpu_usage_seconds_total p node-1'], rounded((seconds + second + 4) / 4));
  await cluster.dispose();
});

test('resource metrics › a container that has ended, and one that asks for nothing, use nothing', async (t) => {
  const containers = [
    { name: 'a', image: 'app' },
    { name: 'b', image: 'app', resources: { requests: { cpu: '1', memory: '1Mi' } } },
  ];
  const cluster = await scene({ 'kubeloom.dev/run-for.b': '5s' }, { containers, restartPolicy: 'Never' });
  await cluster.run({ limit: '20s' });
  t.deepEqual(await read(cluster), {
    'container_cpu_usage_seconds_total a p node-1': 0,
    'container_memory_working_set_bytes a p node-1': 0,
    'pod_cpu_usage_seconds_total p node-1': 5,
    'pod_memory_working_set_bytes p node-1': 0,
    'node_memory_working_set_bytes node-0': 0,
    'node_memory_working_set_bytes node-1': 0,
  });
  await cluster.dispose();
});
