import test from 'ava';
import { parseSchedulerConfig } from '../../../src/scheduler/config/parse-scheduler-config.js';
import { expandPluginSets, type ExpandedPlugins } from '../../../src/scheduler/config/expand-plugin-sets.js';
import type { AnyPlugin } from '../../../src/scheduler/framework/interface.js';

/** Five plugins; each extends what its name says. */
const PLUGINS: readonly AnyPlugin[] = [
  { name: 'Sort', less: () => false },
  { name: 'Bind', bind: (_state, _pod, _node, done) => done(undefined) },
  { name: 'A', filter: () => undefined, score: () => 0 },
  { name: 'B', filter: () => undefined, score: () => 0 },
  { name: 'C', score: () => 0 },
];

const everywhere = (...names: readonly string[]): object => ({
  disabled: [{ name: '*' }],
  enabled: ['Sort', 'Bind', ...names].map((name) => ({ name, weight: name === 'A' ? 7 : 0 })),
});

function expand(plugins: object): ExpandedPlugins {
  const [profile] = parseSchedulerConfig({ profiles: [{ plugins }] }, 'test').profiles;
  if (profile === undefined) throw new TypeError('no profile');
  return expandPluginSets(profile, new Map(PLUGINS.map((plugin) => [plugin.name, plugin])));
}

test('a plugin of all points runs at every point that it extends, in order', (t) => {
  const { order, problems } = expand({ multiPoint: everywhere('C', 'B', 'A') });
  t.deepEqual(problems, []);
  t.deepEqual(order.names.filter, ['B', 'A']);
  t.deepEqual(order.names.score, ['C', 'B', 'A']);
  t.deepEqual(order.names.queueSort, ['Sort']);
  t.deepEqual(order.names.permit, []);
  t.deepEqual(order.weights, { Sort: 1, Bind: 1, C: 1, B: 1, A: 7 });
});

test('a plugin that is named at a point goes first there, with its weight there', (t) => {
  const { order } = expand({
    multiPoint: everywhere('A', 'B'),
    score: { enabled: [{ name: 'C', weight: 2 }, { name: 'B', weight: 5 }, { name: 'A' }] },
  });
  t.deepEqual(order.names.score, ['B', 'A', 'C'], 'overrides in their own order, then all points, then the rest');
  t.deepEqual(order.names.filter, ['A', 'B']);
  t.deepEqual(order.weights, { C: 2, B: 5, A: 1, Sort: 1, Bind: 1 });
});

test('a plugin can be switched off at one point, or moved to its end', (t) => {
  const { order } = expand({
    multiPoint: everywhere('A', 'B', 'C'),
    filter: { disabled: [{ name: 'A' }] },
    score: { disabled: [{ name: 'A' }], enabled: [{ name: 'A' }] },
  });
  t.deepEqual(order.names.filter, ['B']);
  t.deepEqual(order.names.score, ['B', 'C', 'A']);
});

test('with * nothing comes from all points', (t) => {
  const { order } = expand({
    multiPoint: everywhere('A', 'B', 'C'),
    score: { disabled: [{ name: '*' }], enabled: [{ name: 'C' }] },
    filter: { disabled: [{ name: '*' }] },
  });
  t.deepEqual(order.names.score, ['C']);
  t.deepEqual(order.names.filter, []);
});

test('plugins where they cannot be are refused in the words of upstream', (t) => {
  t.deepEqual(
    expand({
      multiPoint: { disabled: [{ name: '*' }], enabled: [{ name: 'A' }, { name: 'A' }] },
      filter: { enabled: [{ name: 'B' }, { name: 'C' }, { name: 'B' }] },
    }).problems,
    [
      'profiles[0].plugins.filter.enabled[1]: plugin "C" does not extend FilterPlugin plugin',
      'profiles[0].plugins.filter.enabled[2]: plugin "B" already registered as "FilterPlugin"',
      'profiles[0].plugins.multiPoint.enabled[1]: plugin "A" already registered as "FilterPlugin"',
      'profiles[0].plugins.multiPoint.enabled[1]: plugin "A" already registered as "ScorePlugin"',
      'profiles[0].plugins.queueSort: only one queue sort plugin required for profile with scheduler name "default-scheduler", but got 0',
      'profiles[0].plugins.bind: at least one bind plugin is needed for profile with scheduler name "default-scheduler"',
    ],
  );
});

test('default plugins keep their places when they get another weight', (t) => {
  const { profiles } = parseSchedulerConfig(
    { profiles: [{ plugins: { multiPoint: { enabled: [{ name: 'Mine' }, { name: 'NodeAffinity', weight: 9 }] } } }] },
    'test',
  );
  const enabled = profiles[0]?.plugins.multiPoint.enabled ?? [];
  const names = enabled.map(({ name }) => name);
  t.is(names.indexOf('NodeAffinity'), names.indexOf('TaintToleration') + 1);
  t.is(enabled.find(({ name }) => name === 'NodeAffinity')?.weight, 9);
  t.is(names.at(-1), 'Mine');
});
