import test from 'ava';
import { createFixture } from '../../apiserver/fixtures.js';

const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };

test("zero fields › a Deployment that is not paused does not say so, as in Go's encoding", (t) => {
  const { server } = createFixture();
  const spec = { paused: true, minReadySeconds: 0, selector: { matchLabels: { a: 'b' } }, template: TEMPLATE };
  const created = server.create('Deployment', { metadata: { name: 'd' }, spec });
  t.deepEqual([created.spec.paused, 'minReadySeconds' in created.spec], [true, false]);
  const patched = server.patch('Deployment', { name: 'd' }, { type: 'merge', body: { spec: { paused: false } } });
  t.deepEqual(['paused' in patched.spec, patched.metadata.generation], [false, 2]);
});

test("zero fields › a node that takes pods does not say so, as in Go's encoding", (t) => {
  const { server } = createFixture();
  server.create('Node', { metadata: { name: 'n' }, spec: { unschedulable: true } });
  const patched = server.patch('Node', { name: 'n' }, { type: 'merge', body: { spec: { unschedulable: false } } });
  t.false('unschedulable' in patched.spec);
});

test('zero fields › a Service that keeps unready pods out again does not say so, whatever the request', (t) => {
  const { server } = createFixture();
  const spec = { ports: [{ port: 80, name: '' }], selector: { app: 'a' }, publishNotReadyAddresses: true };
  t.true(server.create('Service', { metadata: { name: 's' }, spec }).spec.publishNotReadyAddresses);
  const body = { spec: { publishNotReadyAddresses: false, externalIPs: [] } };
  for (const type of ['merge', 'strategic'] as const) {
    const patched = server.patch('Service', { name: 's' }, { type, body });
    t.deepEqual(
      ['publishNotReadyAddresses', 'externalIPs'].filter((field) => field in patched.spec),
      [],
    );
  }
  const emptied = server.patch(
    'Service',
    { name: 's' },
    { type: 'merge', body: { spec: { selector: { app: null } } } },
  );
  t.false('selector' in emptied.spec);
});

test('zero fields › a class that is no default, and empty parts of a pod, are not shown', (t) => {
  const { server } = createFixture();
  const priorityClass = server.create('PriorityClass', {
    metadata: { name: 'c', labels: {}, annotations: {} },
    value: 0,
    globalDefault: false,
    description: '',
  });
  t.is(priorityClass.value, 0);
  t.deepEqual(
    ['globalDefault', 'description'].filter((field) => field in priorityClass),
    [],
  );
  t.false('labels' in priorityClass.metadata);
  const { spec } = server.create('Pod', {
    metadata: { name: 'p' },
    spec: {
      hostNetwork: false,
      enableServiceLinks: false,
      priorityClassName: '',
      nodeSelector: {},
      initContainers: [],
      containers: [{ name: 'c', image: 'i', tty: false, args: [], env: [{ name: 'E', value: '' }] }],
    },
  });
  t.deepEqual(
    ['hostNetwork', 'priorityClassName', 'nodeSelector', 'initContainers', 'enableServiceLinks'].filter(
      (field) => field in spec,
    ),
    ['enableServiceLinks'],
  );
  const [container] = spec.containers;
  t.deepEqual(
    [container?.env, 'tty' in (container ?? {}), 'args' in (container ?? {})],
    [[{ name: 'E' }], false, false],
  );
});
