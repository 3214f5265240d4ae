import test from 'ava';
import { CONFIG_MAPS, createRoom, type Room, type Seen } from './ask.js';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const MERGE = 'application/merge-patch+json';

interface Shown {
  readonly data?: Readonly<Record<string, string>>;
  readonly message?: string;
  readonly details?: { readonly causes: readonly object[] };
  readonly metadata: {
    readonly resourceVersion: string;
    readonly managedFields?: readonly {
      readonly manager: string;
      readonly operation: string;
      readonly fieldsV1: object;
    }[];
  };
}

function applied(
  { ask }: Room,
  manager: string,
  data: object | undefined,
  query = '',
): Seen & { readonly body: unknown } {
  const body = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    ...(data === undefined ? {} : { data }),
  };
  const contentType = 'application/apply-patch+yaml';
  return ask('PATCH', `${CONFIG_MAPS}/a?fieldManager=${manager}${query}`, { body, contentType });
}

function shown({ body }: Seen): Shown {
  return body as Shown;
}

function owners(seen: Seen): readonly (readonly [string, object])[] {
  const entries = shown(seen).metadata.managedFields ?? [];
  return entries.map(({ manager, operation, fieldsV1 }) => [`${manager} ${operation}`, fieldsV1] as const);
}

test('managed fields › a create owns what it says, with the maps that it made', (t) => {
  const { ask } = createRoom();
  const body = { metadata: { name: 'a', labels: { x: 'y' } }, data: { a: '1' } };
  t.deepEqual(owners(ask('POST', `${CONFIG_MAPS}?fieldManager=m`, { body })), [
    ['m Update', { 'f:data': { '.': {}, 'f:a': {} }, 'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } } }],
  ]);
});

test('managed fields › a patch owns what it changed, and takes it from its former owners', (t) => {
  const { ask } = createRoom();
  ask('POST', `${CONFIG_MAPS}?fieldManager=m`, { body: { metadata: { name: 'a' }, data: { a: '1', b: '1' } } });
  const patched = ask('PATCH', `${CONFIG_MAPS}/a`, {
    body: { data: { a: '2' } },
    contentType: MERGE,
    userAgent: 'operator/v1 (linux)',
  });
  t.deepEqual(owners(patched), [
    ['m Update', { 'f:data': { '.': {}, 'f:b': {} } }],
    ['operator Update', { 'f:data': { 'f:a': {} } }],
  ]);
});

test('managed fields › what admission adds has no owner', (t) => {
  const { ask } = createRoom();
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  const [[, fields] = []] = owners(
    ask('POST', '/api/v1/namespaces/default/pods', { body: { metadata: { name: 'p' }, spec } }),
  );
  const named = Object.keys((fields as { readonly 'f:spec': object } | undefined)?.['f:spec'] ?? {});
  t.true(named.includes('f:restartPolicy'));
  t.deepEqual(
    ['f:priority', 'f:tolerations', 'f:preemptionPolicy'].filter((field) => named.includes(field)),
    [],
  );
});

test('server-side apply › creates, shares what is equal, and removes what its manager alone had', (t) => {
  const room = createRoom();
  t.is(applied(room, 'm1', { a: '1', b: '2' }).status, 201);
  t.is(applied(room, 'm2', { b: '2' }).status, 200);
  t.deepEqual(shown(applied(room, 'm1', { a: '1' })).data, { a: '1', b: '2' });
  t.deepEqual(shown(applied(room, 'm2', undefined)).data, { a: '1' });
});

test('server-side apply › refuses to change what another manager owns, unless it is forced', (t) => {
  const room = createRoom();
  applied(room, 'm1', { a: '1' });
  room.ask('PATCH', `${CONFIG_MAPS}/a?fieldManager=u`, { body: { data: { a: '5' } }, contentType: MERGE });
  const refused = applied(room, 'm1', { a: '1' });
  t.is(refused.status, 409);
  t.is(shown(refused).message, 'Apply failed with 1 conflict: conflict with "u" using v1: .data.a');
  t.deepEqual(shown(refused).details?.causes, [
    { reason: 'FieldManagerConflict', message: 'conflict with "u" using v1', field: '.data.a' },
  ]);
  const forced = applied(room, 'm1', { a: '1' }, '&force=true');
  t.deepEqual([forced.status, shown(forced).data], [200, { a: '1' }]);
  t.deepEqual(owners(forced), [['m1 Apply', { 'f:data': { 'f:a': {} } }]]);
});

test('server-side apply › of the same again writes nothing', (t) => {
  const room = createRoom();
  const first = shown(applied(room, 'm', { a: '1' })).metadata.resourceVersion;
  t.is(shown(applied(room, 'm', { a: '1' })).metadata.resourceVersion, first);
});

function deployment(containers: readonly object[]): object {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers } };
  const spec = { selector: { matchLabels: { a: 'b' } }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec };
}

function message(seen: Seen): unknown {
  return shown(seen).message;
}

test('server-side apply › items of lists are told apart by their keys, and come in the order that is applied', (t) => {
  const { ask } = createRoom();
  const apply = (manager: string, body: object): Seen =>
    ask('PATCH', `${DEPLOYMENTS}/d?fieldManager=${manager}`, { body, contentType: 'application/apply-patch+yaml' });
  t.is(
    apply(
      'm',
      deployment([
        { name: 'a', image: 'i' },
        { name: 'b', image: 'i' },
      ]),
    ).status,
    201,
  );
  const mixed = apply(
    'n',
    deployment([
      { name: 'c', image: 'i' },
      { name: 'a', image: 'i' },
    ]),
  );
  const { containers } = (
    mixed.body as {
      readonly spec: {
        readonly template: { readonly spec: { readonly containers: readonly { readonly name: string }[] } };
      };
    }
  ).spec.template.spec;
  t.deepEqual(
    containers.map(({ name }) => name),
    ['c', 'a', 'b'],
  );
  const [first] = owners(mixed);
  t.deepEqual(first, [
    'm Apply',
    {
      'f:spec': {
        'f:selector': {},
        'f:template': {
          'f:metadata': { 'f:labels': { 'f:a': {} } },
          'f:spec': {
            'f:containers': {
              'k:{"name":"a"}': { '.': {}, 'f:image': {}, 'f:name': {} },
              'k:{"name":"b"}': { '.': {}, 'f:image': {}, 'f:name': {} },
            },
          },
        },
      },
    },
  ]);
});

test('server-side apply › needs a manager, no managed fields, and fields that there are', (t) => {
  const { ask } = createRoom();
  const contentType = 'application/apply-patch+yaml';
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  t.is(
    message(ask('PATCH', `${CONFIG_MAPS}/a`, { body, contentType })),
    'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
  );
  const metadata = { name: 'a', managedFields: [{}] };
  t.is(
    message(ask('PATCH', `${CONFIG_MAPS}/a?fieldManager=m`, { body: { ...body, metadata }, contentType })),
    'metadata.managedFields must be nil',
  );
  const unknown = ask('PATCH', `${CONFIG_MAPS}/a?fieldManager=m`, { body: { ...body, foo: 1 }, contentType });
  t.deepEqual(
    [unknown.status, message(unknown)],
    [500, 'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .foo: field not declared in schema'],
  );
});

test('managed fields › the label that a namespace gets by default belongs to its creator', (t) => {
  const { ask } = createRoom();
  const made = ask('POST', '/api/v1/namespaces?fieldManager=m', { body: { metadata: { name: 'a' } } });
  t.deepEqual(
    shown(made).metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1),
    [{ 'f:metadata': { 'f:labels': { '.': {}, 'f:kubernetes.io/metadata.name': {} } } }],
  );
});

test('apply › of a conflict, the fields of a level are named before those below it', (t) => {
  const { ask } = createRoom();
  const apply = (manager: string, image: string, fieldPath: string): unknown => {
    const env = [{ name: 'P', valueFrom: { fieldRef: { fieldPath } } }];
    const body = {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name: 't' },
      template: { spec: { containers: [{ name: 'c', image, env }] } },
    };
    const path = `/api/v1/namespaces/default/podtemplates/t?fieldManager=${manager}`;
    return ask('PATCH', path, { body, contentType: 'application/apply-patch+yaml' }).body;
  };
  apply('one', 'a', 'metadata.name');
  const refusal = apply('two', 'b', 'metadata.uid') as { readonly message: string };
  t.deepEqual(refusal.message.split('\n').slice(1), [
    '- .template.spec.containers[name="c"].image',
    '- .template.spec.containers[name="c"].env[name="P"].valueFrom.fieldRef',
  ]);
});

test('apply › keys that stand twice are told of, or refused, as the request asks', (t) => {
  const { ask } = createRoom();
  const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: "1"\n  x: "2"\n';
  const contentType = 'application/apply-patch+yaml';
  const apply = (validation: string): Seen =>
    ask('PATCH', `${CONFIG_MAPS}/a?fieldManager=m&fieldValidation=${validation}`, { body, contentType });
  const refused = apply('Strict');
  t.is(refused.status, 400);
  t.is(
    shown(refused).message,
    'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n' +
      '  line 7: key "x" already set in map',
  );
  t.is(ask('GET', `${CONFIG_MAPS}/a`).status, 404);
  t.deepEqual(apply('Warn').headers['warning'], [String.raw`299 - "line 7: key \"x\" already set in map"`]);
  const quiet = apply('Ignore');
  t.is(quiet.headers['warning'], undefined);
  t.deepEqual(shown(quiet).data, { x: '2' });
});

test('managed fields › what an endpoint does not write has no owner there, whatever is applied', (t) => {
  const { ask } = createRoom();
  const contentType = 'application/apply-patch+yaml';
  const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  const frame = '-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n';
  const asked = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'a' },
    spec: { request: Buffer.from(frame).toString('base64'), signerName: 'a.b/c', usages: ['any'] },
  };
  t.is(ask('POST', requests, { body: asked }).status, 201);
  const other = { ...asked, spec: { ...asked.spec, signerName: 'a.b/d' } };
  const renamed = ask('PATCH', `${requests}/a?fieldManager=m`, { body: other, contentType });
  t.is(renamed.status, 200, JSON.stringify(renamed.body));
  t.deepEqual(owners(renamed), []);
  const ranges = '/apis/networking.k8s.io/v1/servicecidrs';
  const range = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: 'a' },
    spec: { cidrs: ['10.200.0.0/24'] },
  };
  const applying = ask('PATCH', `${ranges}/a?fieldManager=m`, { body: { ...range, status: {} }, contentType });
  t.deepEqual(owners(applying), [['m Apply', { 'f:spec': { 'f:cidrs': {} }, 'f:status': {} }]]);
});
