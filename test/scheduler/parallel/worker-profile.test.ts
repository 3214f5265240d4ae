import test from 'ava';
import { VirtualClock } from '../../../src/kernel/engine/virtual-clock.js';
import { Framework } from '../../../src/scheduler/framework/framework.js';
import type { AnyPlugin, FrameworkHandle, PluginFactory } from '../../../src/scheduler/framework/interface.js';
import { workerPlugins, workerProfileOf, type WorkerProfile } from '../../../src/scheduler/parallel/worker-profile.js';
import { buildPlugins, IN_TREE_PLUGINS, type PluginSpec } from '../../../src/scheduler/plugins/registry.js';

const clock = new VirtualClock();
const reachable: Partial<FrameworkHandle> = { clock };
const handle = reachable as FrameworkHandle;

function profileOf(
  plugins: readonly PluginSpec[],
  own: Readonly<Record<string, AnyPlugin>>,
): WorkerProfile | undefined {
  const factories = Object.entries(own).map(([name, plugin]): [string, PluginFactory] => [name, () => plugin]);
  const registry = new Map([...IN_TREE_PLUGINS, ...factories]);
  const framework = new Framework(buildPlugins(plugins, handle, registry), clock);
  return workerProfileOf({ schedulerName: 'a', plugins, framework }, registry);
}

const PLUGINS: readonly PluginSpec[] = [
  { name: 'PrioritySort' },
  { name: 'NodeName' },
  { name: 'NodeResourcesFit', args: { ignoredResources: ['example.com/gpu'] } },
  { name: 'Mine' },
  { name: 'NodePorts' },
  { name: 'NodeResourcesBalancedAllocation' },
];

test('workers get the filters that go by single nodes, and a dummy for every score that does not', (t) => {
  const profile = profileOf(PLUGINS, {
    Mine: { name: 'Mine', preFilter: () => undefined, filter: () => undefined, score: () => 0 },
  });
  t.deepEqual(
    profile?.plugins.map(({ name, args }) => [name, args]),
    [
      ['NodeName', undefined],
      ['NodeResourcesFit', { ignoredResources: ['example.com/gpu'] }],
      ['NodePorts', undefined],
      ['NodeResourcesBalancedAllocation', undefined],
    ],
  );
  if (profile === undefined) return;
  const { names } = profile.order;
  t.deepEqual(names.filter, ['NodeName', 'NodeResourcesFit', 'NodePorts']);
  t.deepEqual(names.preFilter, ['NodeResourcesFit', 'NodePorts']);
  t.deepEqual(names.score, ['NodeResourcesFit', 'Mine', 'NodeResourcesBalancedAllocation']);
  const framework = new Framework(workerPlugins(profile, handle), clock, { order: profile.order });
  t.deepEqual(
    framework.scores.map(({ plugin }) => [plugin.name, plugin.scoreScope]),
    [
      ['NodeResourcesFit', 'node'],
      ['Mine', undefined],
      ['NodeResourcesBalancedAllocation', 'node'],
    ],
  );
});

test('a profile that keeps results of a plugin which is not ours is left to the engine thread', (t) => {
  t.is(profileOf(PLUGINS, { Mine: { name: 'Mine', filterScope: 'node', filter: () => undefined } }), undefined);
  t.is(profileOf(PLUGINS, { Mine: { name: 'Mine', scoreScope: 'node', score: () => 0 } }), undefined);
});
