/** Args of the plugins that look at other pods, and a decision that each changes. */
import test from 'ava';
import type { core, Node, Pod } from '../../../src/api/objects/objects.js';
import { parseSchedulerConfig } from '../../../src/scheduler/config/parse-scheduler-config.js';
import { createScheduledCluster } from '../support/scheduled-cluster.js';
import { testNode, testPod, type PodParts } from '../support/objects.js';

const LABELS = { app: 'web' };
const SMALL = { cpu: '100m', memory: '100Mi' };

/** Where each pod goes, decided one after the other; pods of a service `web` belong together. */
async function placementsOf(
  profile: object,
  nodes: readonly Node[],
  pods: readonly Pod[],
): Promise<Record<string, string>> {
  const cluster = createScheduledCluster({ configuration: parseSchedulerConfig({ profiles: [profile] }, 'test') });
  cluster.server.create('Service', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: LABELS, ports: [{ port: 80 }] },
  });
  cluster.create(...nodes);
  await cluster.run(100);
  for (const pod of pods) {
    cluster.create(pod);
    await cluster.run(100);
  }
  const placements = cluster.placements();
  await cluster.dispose();
  return placements;
}

function web(name: string, parts: PodParts = {}): Pod {
  return testPod(name, { labels: LABELS, requests: SMALL, ...parts });
}

test('PodTopologySpreadArgs › defaultConstraints reject a pod that has none of its own', async (t) => {
  const nodes = [
    testNode('n1', { zone: 'a' }),
    testNode('full', { zone: 'b', allocatable: { cpu: '10m', memory: '8Gi', pods: '110' } }),
  ];
  const defaultConstraints = [
    { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
  ];
  const place = (args: object): Promise<Record<string, string>> =>
    placementsOf({ pluginConfig: [{ name: 'PodTopologySpread', args }] }, nodes, [web('first'), web('second')]);
  t.deepEqual(await place({}), { first: 'n1', second: 'n1' });
  t.deepEqual(await place({ defaultConstraints, defaultingType: 'List' }), { first: 'n1' });
});

test('PodTopologySpreadArgs › defaultingType System spreads, an empty List does not', async (t) => {
  const nodes = [testNode('n1', { zone: 'a' }), testNode('n2', { zone: 'b' })];
  const isTogether = async (args: object): Promise<boolean> => {
    const pluginConfig = [
      { name: 'PodTopologySpread', args },
      { name: 'NodeResourcesFit', args: { scoringStrategy: { type: 'MostAllocated' } } },
    ];
    const placements = await placementsOf({ pluginConfig }, nodes, [web('first'), web('second')]);
    return placements['first'] === placements['second'];
  };
  t.false(await isTogether({}));
  t.false(await isTogether({ defaultingType: 'System' }));
  t.true(await isTogether({ defaultingType: 'List' }));
});

const TERM: core.PodAffinityTerm = {
  topologyKey: 'kubernetes.io/hostname',
  labelSelector: { matchLabels: LABELS },
};

/** Whether a pod without terms follows one that has some, though the other node is emptier. */
async function isDrawn(affinity: core.PodAffinity, args: object): Promise<boolean> {
  const nodes = [testNode('n1'), testNode('n2')];
  const existing = web('existing', { spec: { affinity: { podAffinity: affinity } } });
  const profile = { pluginConfig: [{ name: 'InterPodAffinity', args }] };
  const placements = await placementsOf(profile, nodes, [existing, web('incoming')]);
  return placements['existing'] === placements['incoming'];
}

test('InterPodAffinityArgs › hardPodAffinityWeight 0 makes required terms of others count for nothing', async (t) => {
  const required = { requiredDuringSchedulingIgnoredDuringExecution: [TERM] };
  t.true(await isDrawn(required, {}));
  t.true(await isDrawn(required, { hardPodAffinityWeight: 100 }));
  t.false(await isDrawn(required, { hardPodAffinityWeight: 0 }));
});

test('InterPodAffinityArgs › ignorePreferredTermsOfExistingPods makes preferred terms of others count for nothing', async (t) => {
  const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: TERM }] };
  t.true(await isDrawn(preferred, {}));
  t.true(await isDrawn(preferred, { ignorePreferredTermsOfExistingPods: false }));
  t.false(await isDrawn(preferred, { ignorePreferredTermsOfExistingPods: true }));
});
