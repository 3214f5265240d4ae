import test from 'ava';
import { buildNodes, DEFAULT_CAPACITY, DEFAULT_NODE_GROUP, NodeGroupError } from '../../src/workload/node-groups.js';

test('names are padded so that they sort, and zones take turns', (t) => {
  const nodes = buildNodes([{ ...DEFAULT_NODE_GROUP, count: 11 }]);
  t.deepEqual(
    nodes
      .map(({ name, labels }) => [name, labels['topology.kubernetes.io/zone']])
      .filter((_, index) => index % 3 === 1),
    [
      ['node-01', 'zone-b'],
      ['node-04', 'zone-b'],
      ['node-07', 'zone-b'],
      ['node-10', 'zone-b'],
    ],
  );
  t.deepEqual(
    nodes.map(({ name }) => name).toSorted(),
    nodes.map(({ name }) => name),
  );
});

test('a group without details is of the default capacity and has neither zone nor region', (t) => {
  t.deepEqual(buildNodes([{ count: 1 }]), [
    {
      name: 'node-0',
      labels: { 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux', 'kubernetes.io/hostname': 'node-0' },
      annotations: {},
      taints: [],
      capacity: DEFAULT_CAPACITY,
      images: [],
    },
  ]);
});

test('a group may set every field of its nodes', (t) => {
  const taints = [{ key: 'gpu', effect: 'NoSchedule' }];
  const images = [{ names: ['app:1'], sizeBytes: 5 }];
  t.deepEqual(
    buildNodes([
      {
        count: 1,
        namePrefix: 'gpu-',
        zones: ['z'],
        region: 'r',
        labels: { 'kubernetes.io/arch': 'arm64', team: 'ml' },
        annotations: { a: 'b' },
        taints,
        capacity: { cpu: '4', memory: '8Gi' },
        allocatable: { cpu: '3500m', memory: '7Gi' },
        images,
      },
    ]),
    [
      {
        name: 'gpu-0',
        labels: {
          'kubernetes.io/arch': 'arm64',
          'kubernetes.io/os': 'linux',
          'kubernetes.io/hostname': 'gpu-0',
          'topology.kubernetes.io/region': 'r',
          'topology.kubernetes.io/zone': 'z',
          team: 'ml',
        },
        annotations: { a: 'b' },
        taints,
        capacity: { cpu: '4', memory: '8Gi' },
        allocatable: { cpu: '3500m', memory: '7Gi' },
        images,
      },
    ],
  );
});

test('groups that cannot be built name the field and what is allowed', (t) => {
  const message = (group: object): string | undefined =>
    t.throws(() => buildNodes([{ count: 1 }, { count: 1, namePrefix: 'b-', ...group }]), { instanceOf: NodeGroupError })
      ?.message;
  t.is(message({ count: -1 }), 'nodes[1]: count must be an integer in 0..100000, got -1');
  t.is(message({ count: 100_001 }), 'nodes[1]: count must be an integer in 0..100000, got 100001');
  t.is(
    message({ namePrefix: 'Node_' }),
    'nodes[1]: namePrefix must be the start of a DNS name in lower case, got "Node_"',
  );
  t.is(
    message({ capacity: { cpu: 'four' } }),
    'nodes[1]: capacity.cpu must be a quantity such as 500m or 128Gi, got "four"',
  );
  t.is(
    message({ taints: [{ key: 'a', effect: 'Never' }] }),
    'nodes[1]: taints[].effect must be one of NoSchedule, PreferNoSchedule, NoExecute, got "Never"',
  );
  t.is(message({ namePrefix: 'node-' }), 'nodes: namePrefix must give distinct names, got node-0 twice');
});
