import test from 'ava';
import { createRoom, type Room, type Seen } from '../ask.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GADGETS = '/apis/shop.example.com/v1/namespaces/default/gadgets';
const OLD_GADGETS = '/apis/shop.example.com/v1beta1/namespaces/default/gadgets';
const APPLY = 'application/apply-patch+yaml';

const SCHEMA = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        frame: { type: 'object', properties: { color: { type: 'string' } } },
        made: { type: 'string', format: 'date-time' },
        free: { type: 'object' },
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string', nullable: true }, count: { type: 'integer' } },
          },
        },
      },
    },
    status: { type: 'object', properties: { phase: { type: 'string' } } },
  },
};

interface Body {
  readonly message?: string;
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly metadata: { readonly generation?: number; readonly managedFields?: readonly Owner[] };
}

interface Owner {
  readonly manager: string;
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsV1: unknown;
}

/** A room that knows gadgets in these versions. */
function roomWith(versions: readonly object[]): Room {
  const own = createRoom();
  own.ask('POST', DEFINITIONS, {
    body: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'gadgets.shop.example.com' },
      spec: {
        group: 'shop.example.com',
        scope: 'Namespaced',
        names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
        versions,
      },
    },
  });
  return own;
}

function room(): Room {
  const version = { served: true, schema: { openAPIV3Schema: SCHEMA }, subresources: { status: {} } };
  return roomWith([
    { name: 'v1', storage: true, ...version },
    { name: 'v1beta1', storage: false, ...version },
  ]);
}

function gadget(parts: object, version = 'v1', name = 'one'): object {
  return { apiVersion: `shop.example.com/${version}`, kind: 'Gadget', metadata: { name }, ...parts };
}

function bodyOf({ body }: Seen): Body {
  return body as Body;
}

function ownersOf(seen: Seen): readonly string[] | undefined {
  return bodyOf(seen).metadata.managedFields?.map(
    ({ manager, apiVersion, fieldsV1 }) => `${manager} ${apiVersion} ${JSON.stringify(fieldsV1)}`,
  );
}

test('owners of custom resources › own in the version in which they write', (t) => {
  const { ask } = room();
  const made = ask('POST', OLD_GADGETS, { body: gadget({ spec: { size: 1 } }, 'v1beta1') });
  t.deepEqual(ownersOf(made), ['tester shop.example.com/v1beta1 {"f:spec":{".":{},"f:size":{}}}']);
  const applied = ask('PATCH', `${OLD_GADGETS}/one?fieldManager=a`, {
    contentType: APPLY,
    body: gadget({ spec: { size: 1 } }, 'v1beta1'),
  });
  t.is(applied.status, 200);
  const [first] = bodyOf(applied).metadata.managedFields ?? [];
  t.deepEqual(first && [first.manager, first.time], ['a', undefined], 'one that changes nothing is of no time');
});

test('owners of custom resources › are told of none where something is said that is not of its type', (t) => {
  const { ask } = room();
  const made = ask('POST', GADGETS, { body: gadget({ spec: { size: 1 }, status: 'no' }) });
  t.deepEqual([made.status, ownersOf(made)], [201, undefined]);
  ask('POST', GADGETS, { body: gadget({ spec: { size: 1 } }, 'v1', 'two') });
  const kept = ask('PATCH', `${GADGETS}/two/status?fieldManager=a`, {
    contentType: 'application/merge-patch+json',
    body: { metadata: { labels: { a: 'b' } }, status: { phase: 'Up' } },
  });
  t.deepEqual(ownersOf(kept), [
    'a shop.example.com/v1 {"f:status":{".":{},"f:phase":{}}}',
    'tester shop.example.com/v1 {"f:spec":{".":{},"f:size":{}}}',
  ]);
  const lost = ask('PATCH', `${GADGETS}/two/status?fieldManager=a`, {
    contentType: 'application/merge-patch+json',
    body: { spec: 'no' },
  });
  t.deepEqual([lost.status, bodyOf(lost).spec, ownersOf(lost)], [200, { size: 1 }, undefined]);
});

test('a custom resource › without a status has none, and is of a new generation when its spec goes', (t) => {
  const { ask } = room();
  const made = ask('POST', GADGETS, { body: gadget({ spec: { size: 1 } }) });
  const { metadata: stored } = bodyOf(made);
  const untouched = ask('PUT', `${GADGETS}/one/status`, { body: gadget({ metadata: stored }) });
  t.deepEqual([untouched.status, 'status' in bodyOf(untouched)], [200, false]);
  const emptied = ask('PATCH', `${GADGETS}/one`, {
    contentType: 'application/merge-patch+json',
    body: { spec: null },
  });
  const { metadata } = bodyOf(emptied);
  t.deepEqual([metadata.generation, metadata.managedFields], [2, undefined]);
});

test('apply of a custom resource › judges types as a real API server does', (t) => {
  const { ask } = room();
  const apply = (parts: object, path = `${GADGETS}/one`): readonly [number, string | undefined] => {
    const seen = ask('PATCH', `${path}?fieldManager=a`, { contentType: APPLY, body: gadget(parts) });
    return [seen.status, bodyOf(seen).message?.replace(/^.*Kind=Gadget\): /s, '')];
  };
  t.deepEqual(apply({ one: 1, two: 2 }), [500, '.one: field not declared in schema'], 'the first of a map alone');
  t.deepEqual(apply({ spec: { parts: [null] } }), [
    500,
    '.spec.parts: element 0: associative list with keys may not have a null element',
  ]);
  t.deepEqual(apply({ spec: { parts: [3, {}] } }), [
    500,
    '.spec.parts: element 0: associative list with keys may not have non-map elements',
  ]);
  t.deepEqual(apply({ spec: { parts: [{ name: null }] } }), [201, undefined], 'a key that is null is one');
  t.deepEqual(apply({ spec: { free: 'text' } }), [500, '.spec.free: expected map, got &{text}']);
  const [status, message] = apply({ spec: { made: 3 } });
  t.is(status, 422, 'texts with a format are judged by the schema alone');
  t.regex(message ?? '', /spec.made in body must be of type/);
  t.regex(apply({ spec: { frame: null } })[1] ?? '', /spec.frame in body must be of type object: "null"/);
  const stored = { spec: { size: 2 }, status: { phase: 'Up' } };
  t.deepEqual(
    apply(stored, `${GADGETS}/one/status`),
    [200, undefined],
    'what an endpoint does not write is no conflict',
  );
});

test('owners of replicas › are those that scale them, of none where there are no replicas', (t) => {
  const { ask } = createRoom();
  const path = '/apis/apps/v1/namespaces/default/deployments';
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  const body = { metadata: { name: 'web' }, spec: { replicas: 2, selector: { matchLabels: labels }, template } };
  ask('POST', path, { body });
  const scalers = (replicas: number): readonly string[] => {
    const contentType = 'application/merge-patch+json';
    ask('PATCH', `${path}/web/scale?fieldManager=s`, { contentType, body: { spec: { replicas } } });
    const { managedFields = [] } = bodyOf(ask('GET', `${path}/web`)).metadata;
    return managedFields
      .filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('f:replicas'))
      .map(({ manager }) => manager);
  };
  t.deepEqual([scalers(3), scalers(0), scalers(4)], [['s'], [], []], 'what nothing owns is not tracked');
});

function versionOf(name: string, required: readonly string[]): object {
  return {
    name,
    served: true,
    storage: name === 'v1',
    deprecated: name !== 'v1',
    schema: {
      openAPIV3Schema: { type: 'object', required, properties: { spec: { type: 'object' }, old: { type: 'string' } } },
    },
  };
}

test('a custom resource › is judged by the schema of the version in which it is written', (t) => {
  const { ask } = roomWith([versionOf('v1', ['spec']), versionOf('v1beta1', ['old'])]);
  const made = ask('POST', OLD_GADGETS, { body: gadget({ old: 'a' }, 'v1beta1') });
  t.deepEqual(
    [made.status, made.headers['warning']],
    [201, ['299 - "shop.example.com/v1beta1 Gadget is deprecated; use shop.example.com/v1 Gadget"']],
  );
  t.is(ask('POST', GADGETS, { body: gadget({ old: 'a' }) }).status, 422);
  t.is(ask('POST', OLD_GADGETS, { body: gadget({ spec: {} }, 'v1beta1', 'two') }).status, 422);
});

test('keys of owned items › are written as Go writes JSON, and told as they are', (t) => {
  const { ask } = room();
  const apply = (manager: string, count: number): Seen =>
    ask('PATCH', `${GADGETS}/one?fieldManager=${manager}`, {
      contentType: APPLY,
      body: gadget({ spec: { parts: [{ name: '<a&b>', count }] } }),
    });
  const [owner = ''] = ownersOf(apply('a', 1)) ?? [];
  t.true(owner.includes(JSON.stringify('k:{"name":"\\u003ca\\u0026b\\u003e"}')), owner);
  t.is(
    bodyOf(apply('b', 2)).message,
    'Apply failed with 1 conflict: conflict with "a": .spec.parts[name="<a&b>"].count',
  );
});

test('owners of custom resources › own both the map and the leaf where a field without a type changes from one to the other', (t) => {
  const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: free } } };
  const { ask } = roomWith([{ name: 'v1', served: true, storage: true, schema }]);
  const contentType = 'application/merge-patch+json';
  ask('POST', GADGETS, { body: gadget({ spec: { a: 'x', b: { c: 1 } } }) });
  const changed = ask('PATCH', `${GADGETS}/one?fieldManager=b`, {
    contentType,
    body: { spec: { a: { d: 1 }, b: [] } },
  });
  t.deepEqual(ownersOf(changed), [
    'b shop.example.com/v1 {"f:spec":{"f:a":{".":{},"f:d":{}},"f:b":{}}}',
    'tester shop.example.com/v1 {"f:spec":{}}',
  ]);
});

function versionWith(name: string, fields: object): object {
  return {
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: fields } } } },
  };
}

/** Versions of which each has a field that the other does not have. */
function roomOfUnlike(delay: object): Room {
  return roomWith([
    versionWith('v1', { size: { type: 'integer' }, delay: { type: 'integer', ...delay } }),
    versionWith('v1beta1', { size: { type: 'integer' }, color: { type: 'string' } }),
  ]);
}

function gadgetOf(version: string, spec: object): object {
  return { apiVersion: `shop.example.com/${version}`, kind: 'Gadget', metadata: { name: 'one' }, spec };
}

test('custom resources › a patch that changes nothing leaves the owners of another version', (t) => {
  const { ask } = roomOfUnlike({ default: 3 });
  ask('POST', OLD_GADGETS, { body: gadgetOf('v1beta1', { size: 1 }) });
  const patch = { body: { spec: {} }, contentType: 'application/merge-patch+json' };
  const { metadata } = ask('PATCH', `${OLD_GADGETS}/one`, patch).body as Body;
  t.is(metadata.managedFields?.length, 1);
});

test('custom resources › what an apply leaves empty stays where the version of the last one is not known any more', (t) => {
  const { ask } = roomOfUnlike({});
  const apply = (version: string, path: string, spec: object) =>
    ask('PATCH', `${path}/one?fieldManager=m&force=true`, { body: gadgetOf(version, spec), contentType: APPLY });
  apply('v1beta1', OLD_GADGETS, { color: 'red' });
  const { status, body } = apply('v1', GADGETS, {});
  t.deepEqual([status, (body as Body).spec], [200, {}]);
});

test('custom resources › what a version defaults and the stored one does not know changes an object with every write', (t) => {
  const size = { type: 'integer' };
  const { ask } = roomWith([
    versionWith('v1', { size }),
    versionWith('v1beta1', { size, delay: { type: 'integer', default: 3 } }),
  ]);
  ask('POST', `${OLD_GADGETS}?fieldManager=first`, { body: gadgetOf('v1beta1', { size: 1 }) });
  const patch = { body: { spec: {} }, contentType: 'application/merge-patch+json' };
  const patched = (): unknown => {
    const { metadata } = ask('PATCH', `${OLD_GADGETS}/one?fieldManager=second`, patch).body as Body;
    return [metadata.generation, metadata.managedFields?.map(({ manager, fieldsV1 }) => [manager, fieldsV1])];
  };
  const owners = [
    ['first', { 'f:spec': { '.': {}, 'f:size': {} } }],
    ['second', { 'f:spec': { 'f:delay': {} } }],
  ];
  t.deepEqual(patched(), [2, owners]);
  t.deepEqual(patched(), [3, owners]);
});
