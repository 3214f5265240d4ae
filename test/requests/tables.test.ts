import test from 'ava';
import { humanDuration } from '../../src/requests/tables/cells.js';
import { CONFIG_MAPS, createRoom, PODS } from './ask.js';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

interface Table {
  readonly kind: string;
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[] | null;
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: { readonly kind: string } | null }[];
}

test('tables › a list of pods has the columns of kubectl, and the metadata of each', (t) => {
  const { ask, server } = createRoom();
  ask('POST', PODS, { body: { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }] } } });
  server.create('Node', { metadata: { name: 'n' } });
  server.bind({ metadata: { namespace: 'default', name: 'a' }, target: { name: 'n' } });
  const waiting = {
    name: 'c',
    image: 'i',
    imageID: '',
    ready: false,
    restartCount: 3,
    state: { waiting: { reason: 'CrashLoopBackOff' } },
  };
  ask('PATCH', `${PODS}/a/status`, {
    body: { status: { phase: 'Running', containerStatuses: [waiting] } },
    contentType: 'application/merge-patch+json',
  });
  const { kind, columnDefinitions, rows } = ask('GET', PODS, { accept: TABLE }).body as Table;
  t.is(kind, 'Table');
  t.deepEqual(
    columnDefinitions?.map(({ name, priority }) => `${name} ${priority}`),
    ['Name 0', 'Ready 0', 'Status 0', 'Restarts 0', 'Age 0', 'IP 1', 'Node 1', 'Nominated Node 1', 'Readiness Gates 1'],
  );
  t.deepEqual(
    rows.map(({ cells, object }) => [cells, object?.kind]),
    [[['a', '0/1', 'CrashLoopBackOff', '3', '0s', '<none>', 'n', '<none>', '<none>'], 'PartialObjectMetadata']],
  );
});

test('tables › every kind has as many cells as columns', (t) => {
  const { ask } = createRoom();
  const { groups } = ask('GET', '/apis').body as {
    readonly groups: readonly { readonly preferredVersion: { readonly groupVersion: string } }[];
  };
  const places = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  for (const place of places) {
    const { resources } = ask('GET', place).body as {
      readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
    };
    for (const { name, verbs } of resources) {
      if (!verbs.includes('list') || name === 'componentstatuses') continue;
      const { columnDefinitions, rows } = ask('GET', `${place}/${name}`, { accept: TABLE }).body as Table;
      for (const { cells } of rows) t.is(cells.length, columnDefinitions?.length ?? 0, name);
    }
  }
  t.pass();
});

test('tables › a watch tells its columns once', (t) => {
  const { ask, watch } = createRoom();
  const frames = watch(`${CONFIG_MAPS}?watch=true`, { accept: TABLE });
  for (const name of ['a', 'b']) ask('POST', CONFIG_MAPS, { body: { metadata: { name }, data: { k: 'v' } } });
  const tables = frames.map(({ object }) => object as Table);
  t.deepEqual(
    tables.map(({ columnDefinitions, rows }) => [columnDefinitions?.length, rows[0]?.cells]),
    [
      [3, ['a', 1, '0s']],
      [undefined, ['b', 1, '0s']],
    ],
  );
});

test('tables › a watch that asks for the form of a list is told nothing', (t) => {
  const { ask, watch } = createRoom();
  const frames = watch(`${CONFIG_MAPS}?watch=true`, { accept: METADATA_LIST });
  ask('POST', CONFIG_MAPS, { body: { metadata: { name: 'a' } } });
  t.deepEqual(frames, []);
});

test('tables › records of events.k8s.io have the cells of their older form', (t) => {
  const { ask } = createRoom();
  const regarding = { kind: 'Pod', name: 'p', namespace: 'default', apiVersion: 'v1' };
  const report = { reportingController: 'a.b/c', reportingInstance: 'i', action: 'x', reason: 'r', type: 'Normal' };
  const eventTime = '2026-01-01T00:00:00.000000Z';
  const path = '/apis/events.k8s.io/v1/namespaces/default/events';
  t.is(
    ask('POST', path, { body: { metadata: { name: 'e' }, regarding, eventTime, note: 'n', ...report } }).status,
    201,
  );
  const { rows } = ask('GET', path, { accept: TABLE.replace('v=v1;', 'v=v1beta1;') }).body as Table;
  t.deepEqual([rows[0]?.cells[3], rows[0]?.cells[6]], ['pod/p', 'n']);
  t.like(rows[0]?.object, { apiVersion: 'meta.k8s.io/v1beta1' });
});

test('tables › a row carries the whole object, or none, where that is asked for', (t) => {
  const { ask } = createRoom();
  ask('POST', CONFIG_MAPS, { body: { metadata: { name: 'a' } } });
  const kindOf = (wish: string): unknown =>
    (ask('GET', `${CONFIG_MAPS}?includeObject=${wish}`, { accept: TABLE }).body as Table).rows[0]?.object?.kind;
  t.deepEqual(
    [kindOf('Object'), kindOf('None'), kindOf('Metadata')],
    ['ConfigMap', undefined, 'PartialObjectMetadata'],
  );
  t.is(ask('GET', `${CONFIG_MAPS}?includeObject=x`, { accept: TABLE }).status, 400);
});

/** Of an Accept header. */
function accept(as: string): string {
  return `application/json;as=${as};v=v1;g=meta.k8s.io`;
}

test('tables › metadata alone is for one object or for a list, as asked', (t) => {
  const { ask } = createRoom();
  ask('POST', CONFIG_MAPS, { body: { metadata: { name: 'a' }, data: { k: 'v' } } });
  const list = ask('GET', CONFIG_MAPS, { accept: accept('PartialObjectMetadataList') });
  t.deepEqual(Object.keys((list.body as { readonly items: readonly object[] }).items[0] ?? {}), [
    'kind',
    'apiVersion',
    'metadata',
  ]);
  t.is(ask('GET', CONFIG_MAPS, { accept: accept('PartialObjectMetadata') }).status, 406);
  t.is(ask('GET', `${CONFIG_MAPS}/a`, { accept: accept('PartialObjectMetadataList') }).status, 406);
});

test('tables › ages are shown as Kubernetes shows them', (t) => {
  const shown = [
    119, 120, 121, 600, 10_799, 10_860, 28_800, 172_799, 172_800, 176_400, 691_200, 63_072_000, 63_158_400,
  ];
  t.deepEqual(
    shown.map((seconds) => humanDuration(seconds * 1000)),
    ['119s', '2m', '2m1s', '10m', '179m', '3h1m', '8h', '47h', '2d', '2d1h', '8d', '2y', '2y1d'],
  );
});

test('tables › the parts of the control plane are told to be healthy', (t) => {
  const { ask } = createRoom();
  const { rows } = ask('GET', '/api/v1/componentstatuses', { accept: TABLE }).body as Table;
  t.deepEqual(
    rows.map(({ cells }) => cells),
    ['controller-manager', 'etcd-0', 'scheduler'].map((name) => [name, 'Healthy', 'ok', '']),
  );
});
