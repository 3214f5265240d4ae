import test from 'ava';
import { createCluster, OptionError, type ClusterOptions } from '../../src/index.js';

const refused: readonly (readonly [title: string, options: unknown, message: string])[] = [
  ['a negative node count', { nodes: -1 }, 'nodes must be an integer in 0..100000, got -1'],
  ['a fraction of a node', { nodes: 1.5 }, 'nodes must be an integer in 0..100000, got 1.5'],
  ['nodes as text', { nodes: 'ten' }, 'nodes must be an integer in 0..100000 or a list of node groups, got "ten"'],
  ['too many workers', { workers: 65 }, 'workers must be an integer in 0..64, got 65'],
  ['time that stands still', { realtime: 0 }, 'realtime must be a speed factor > 0 and <= 1000000, got 0'],
  ['an empty seed', { seed: '' }, 'seed must be an integer or a non-empty text, got ""'],
  [
    'an epoch that is no timestamp',
    { epoch: 'today' },
    'epoch must be a timestamp such as 2030-01-01T00:00:00Z, got "today"',
  ],
  [
    'a negative latency',
    { latency: -1 },
    'latency must be milliseconds in 0..3600000 or a function of a random stream, got -1',
  ],
  [
    'an unknown part of the runtime',
    { runtime: { imagePul: 5 } },
    'runtime.imagePul is unknown; allowed are imagePull, imageCheck, sandbox, containerStart, initRunFor, jobRunFor, volumeMount, volumeUnmount, volumeExpand, shutdown',
  ],
  [
    'a percentage over 100',
    { scheduler: { percentageOfNodesToScore: 101 } },
    'scheduler.percentageOfNodesToScore must be an integer in 0..100, got 101',
  ],
  [
    'a longest back-off below the first',
    { scheduler: { podInitialBackoffSeconds: 20, podMaxBackoffSeconds: 5 } },
    'scheduler.podMaxBackoffSeconds must be an integer in 20..86400, got 5',
  ],
  [
    'a monitor that never looks',
    { controllerManager: { nodeMonitorPeriod: 0 } },
    'controllerManager.nodeMonitorPeriod must be milliseconds > 0 or a duration such as "90s", got 0',
  ],
  [
    'a grace that is no duration',
    { controllerManager: { nodeMonitorGracePeriod: 'long' } },
    'controllerManager.nodeMonitorGracePeriod must be milliseconds >= 0 or a duration such as "90s", "10m" or "1h30m", got "long"',
  ],
  [
    'a negative eviction rate',
    { controllerManager: { nodeEvictionRate: -1 } },
    'controllerManager.nodeEvictionRate must be a number in 0..1000, got -1',
  ],
  [
    'a share of more than all nodes',
    { controllerManager: { unhealthyZoneThreshold: 55 } },
    'controllerManager.unhealthyZoneThreshold must be a number in 0..1, got 55',
  ],
];

for (const [title, options, message] of refused) {
  test(`createCluster › refuses ${title}`, (t) => {
    const error = t.throws(() => createCluster(options as ClusterOptions), { instanceOf: OptionError });
    t.is(error.message, message);
  });
}

test('createCluster › refuses an unknown option and names the known ones', (t) => {
  const error = t.throws(() => createCluster({ node: 3 } as ClusterOptions), { instanceOf: OptionError });
  t.regex(error.message, /^option node must be one of seed, nodes, workers, .*, got "node"$/);
});

test('createCluster › refuses an unknown controller', (t) => {
  const error = t.throws(() => createCluster({ controllers: ['replicaset-controller', 'nope'] }), {
    instanceOf: OptionError,
  });
  t.regex(error.message, /^controllers must be among .*, got "nope"$/);
});
