import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { FIELD_TYPES } from '../../../src/api/decoding/field-types.js';
import { isOmittedWhenZero } from '../../../src/api/decoding/omitted-zeros.js';
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

interface GoField {
  readonly json: string;
  readonly go: string;
  readonly omitempty?: boolean;
  readonly inline?: boolean;
}
type GoType = { readonly fields?: readonly GoField[]; readonly is?: string } | undefined;

const TYPES = path.join(process.cwd(), '..', 'shared', 'wire', 'types.json.gz');
const GROUPS = ['apps', 'batch', 'policy', 'storage', 'scheduling', 'discovery', 'core', 'coordination', 'meta'];

(existsSync(TYPES) ? test : test.skip)("zero fields › booleans are left out where Go's types leave them out", (t) => {
  const types = JSON.parse(gunzipSync(readFileSync(TYPES)).toString()) as Readonly<Record<string, GoType>>;
  let count = 0;
  for (const entry of FIELD_TYPES.trim().split(/\n(?! )/)) {
    const [name = '', ...fields] = entry.split(/\s+/);
    // Statuses are written by controllers, and shown as they are.
    if (/Status$|Condition$|^ContainerState/.test(name)) continue;
    const type = GROUPS.map((group) => types[`${group}/v1.${name}`]).find((each) => each?.fields !== undefined);
    for (const field of fields) {
      const [json = '', code] = field.split(':');
      const known = type?.fields?.find((each) => each.json === json);
      if (known === undefined || !['b', 'i', 'l', 's', 'S'].includes(code ?? '')) continue;
      if (known.go === 'Time' || known.go.endsWith('.Time') || known.go.endsWith('MicroTime')) continue;
      count += 1;
      t.is(isOmittedWhenZero(name, json), known.omitempty === true && !known.go.startsWith('*'), `${name}.${json}`);
    }
  }
  t.true(count > 150);
});
