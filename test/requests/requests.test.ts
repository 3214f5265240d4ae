import test from 'ava';
import { CONFIG_MAPS, createRoom, PODS, type Seen } from './ask.js';

function message({ body }: Seen): unknown {
  return (body as { readonly message?: unknown }).message;
}

test('requests › an unknown group is a page that is not found, an unknown resource a Status', (t) => {
  const { ask } = createRoom();
  const group = ask('GET', '/apis/example.com/v1/namespaces/default/things');
  t.deepEqual([group.status, group.body], [404, '404 page not found\n']);
  t.deepEqual(ask('GET', '/api/v1/namespaces/default/things').body, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the server could not find the requested resource',
    reason: 'NotFound',
    details: {},
    code: 404,
  });
});

test('requests › a verb that a path does not take is refused with 405', (t) => {
  const { ask } = createRoom();
  const asked = [
    ask('POST', `${PODS}/a`, { body: {} }),
    ask('PATCH', PODS, { body: {} }),
    ask('POST', '/api/v1/pods', { body: {} }),
    ask('DELETE', '/api/v1/namespaces'),
  ];
  t.deepEqual(
    asked.map(({ status }) => status),
    [405, 405, 405, 405],
  );
});

test('requests › an item of a list says no kind, an object says it first', (t) => {
  const { ask } = createRoom();
  ask('POST', CONFIG_MAPS, { body: { metadata: { name: 'a' }, data: { k: 'v' } } });
  const list = ask('GET', CONFIG_MAPS).body as { readonly kind: string; readonly items: readonly object[] };
  t.is(list.kind, 'ConfigMapList');
  t.deepEqual(
    list.items.map((item) => Object.keys(item)),
    [['metadata', 'data']],
  );
  t.deepEqual(Object.keys(ask('GET', `${CONFIG_MAPS}/a`).body as object), ['kind', 'apiVersion', 'metadata', 'data']);
});

test('requests › a body of another namespace, name or version is refused', (t) => {
  const { ask } = createRoom();
  const create = (body: object): unknown => message(ask('POST', CONFIG_MAPS, { body }));
  t.is(
    create({ metadata: { name: 'a', namespace: 'other' } }),
    'the namespace of the provided object does not match the namespace sent on the request',
  );
  ask('POST', CONFIG_MAPS, { body: { metadata: { name: 'a' } } });
  t.is(
    message(ask('PUT', `${CONFIG_MAPS}/a`, { body: { metadata: { name: 'b' } } })),
    'the name of the object (b) does not match the name on the URL (a)',
  );
});

test('requests › unknown fields are told of, refused under Strict, and dropped under Ignore', (t) => {
  const { ask } = createRoom();
  const body = { metadata: { name: 'a' }, foo: 1 };
  const strict = ask('POST', `${CONFIG_MAPS}?fieldValidation=Strict`, { body });
  const why = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "foo"';
  t.deepEqual([strict.status, message(strict)], [400, why]);
  const told = ask('POST', CONFIG_MAPS, { body });
  t.deepEqual([told.status, told.headers['warning']], [201, [String.raw`299 - "unknown field \"foo\""`]]);
  const silent = ask('POST', `${CONFIG_MAPS}?fieldValidation=Ignore`, { body: { ...body, metadata: { name: 'b' } } });
  t.deepEqual([silent.status, silent.headers['warning']], [201, undefined]);
});

test('requests › a dry run answers as the request itself and stores nothing', (t) => {
  const { ask, server } = createRoom();
  const { status, body } = ask('POST', `${CONFIG_MAPS}?dryRun=All`, { body: { metadata: { name: 'a' } } });
  const { metadata } = body as { readonly metadata: Readonly<Record<string, unknown>> };
  t.deepEqual([status, metadata['resourceVersion'], typeof metadata['uid']], [201, undefined, 'string']);
  t.is(server.count('ConfigMap'), 0);
  const refused = ask('POST', `${CONFIG_MAPS}?dryRun=Some`, { body: { metadata: { name: 'a' } } });
  t.is(
    message(refused),
    'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
  );
});

test('requests › a deletion answers with a Status, or with the object while it is still there', (t) => {
  const { ask } = createRoom();
  for (const [name, finalizers] of [
    ['a', []],
    ['b', ['x.io/y']],
  ] as const) {
    ask('POST', CONFIG_MAPS, { body: { metadata: { name, finalizers } } });
  }
  const gone = ask('DELETE', `${CONFIG_MAPS}/a`).body as {
    readonly details: { readonly kind: string; readonly uid: string };
  };
  t.deepEqual([gone.details.kind, gone.details.uid.length], ['configmaps', 36]);
  const kept = ask('DELETE', `${CONFIG_MAPS}/b`).body as { readonly kind: string };
  t.is(kept.kind, 'ConfigMap');
});

test('requests › a watch tells the present state and its end, then what changes under its selector', (t) => {
  const { ask, watch } = createRoom();
  const create = (name: string, app: string): Seen =>
    ask('POST', CONFIG_MAPS, { body: { metadata: { name, labels: { app } } } });
  create('a', 'x');
  const frames = watch(`${CONFIG_MAPS}?watch=1&labelSelector=app%3Dx&allowWatchBookmarks=true`);
  create('b', 'y');
  ask('PATCH', `${CONFIG_MAPS}/b`, {
    body: { metadata: { labels: { app: 'x' } } },
    contentType: 'application/merge-patch+json',
  });
  ask('PATCH', `${CONFIG_MAPS}/a`, {
    body: { metadata: { labels: { app: 'z' } } },
    contentType: 'application/merge-patch+json',
  });
  const told = frames.map(({ type, object }) => {
    const { metadata } = object as { readonly metadata: { readonly name?: string; readonly annotations?: object } };
    return [type, metadata.name ?? metadata.annotations];
  });
  t.deepEqual(told, [
    ['ADDED', 'a'],
    ['BOOKMARK', { 'k8s.io/initial-events-end': 'true' }],
    ['ADDED', 'b'],
    ['DELETED', 'a'],
  ]);
});

test('requests › bodies in YAML are read as those in JSON, other types refused', (t) => {
  const { ask } = createRoom();
  const yaml = ask('POST', CONFIG_MAPS, { body: 'metadata:\n  name: a\n', contentType: 'application/yaml' });
  t.is(yaml.status, 201);
  t.deepEqual(
    [
      ask('POST', CONFIG_MAPS, { body: 'x', contentType: 'text/plain' }).status,
      ask('GET', CONFIG_MAPS, { accept: 'text/html' }).status,
    ],
    [415, 406],
  );
});

test('requests › logs and consoles of pods are handed to the transport', (t) => {
  const { ask } = createRoom();
  t.deepEqual(ask('GET', `${PODS}/a/log?follow=true`).body, {
    type: 'stream',
    verb: 'log',
    namespace: 'default',
    name: 'a',
    resource: 'pods',
    rest: '',
  });
});

function withFieldsTwice(name: string): string {
  return `{"metadata":{"name":"${name}","labels":{"a":"1","a":"2"}},"data":{"x":"a,\\"b\\":{","y":"1","y":"2"},"more":1}`;
}

test('a body with fields twice › is refused, told of or taken, as its client says; the last one counts', (t) => {
  const { ask } = createRoom();
  const strict = ask('POST', `${CONFIG_MAPS}?fieldValidation=Strict`, { body: withFieldsTwice('a') });
  t.is(strict.status, 400);
  t.regex(
    (strict.body as { readonly message: string }).message,
    /strict decoding error: duplicate field "metadata\.labels\.a", duplicate field "data\.y", unknown field "more"$/,
  );
  const warned = ask('POST', `${CONFIG_MAPS}?fieldValidation=Warn`, { body: withFieldsTwice('b') });
  t.is(warned.status, 201);
  t.is((warned.headers as { readonly warning: readonly string[] }).warning.length, 3);
  t.like(warned.body, { metadata: { labels: { a: '2' } }, data: { y: '2' } });
  const ignored = ask('POST', `${CONFIG_MAPS}?fieldValidation=Ignore`, { body: withFieldsTwice('c') });
  t.deepEqual([ignored.status, 'warning' in ignored.headers], [201, false]);
});
