import test from 'ava';
import { createRoom, type Room, type Seen } from '../ask.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';

interface Body {
  readonly message?: string;
  readonly spec?: unknown;
  readonly metadata: { readonly managedFields?: readonly { readonly manager: string; readonly fieldsV1: unknown }[] };
}

/** A version whose lists are sets, or owned as a whole; the former know a field more. */
function version(name: string, served: boolean, listType: 'set' | 'atomic'): object {
  const list = { type: 'array', 'x-kubernetes-list-type': listType, items: { type: 'string' } };
  const only = listType === 'set' ? { only: { type: 'string' } } : {};
  const spec = { type: 'object', properties: { a: { type: 'string' }, list, ...only } };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  return { name, served, storage: name === 'v1', schema: { openAPIV3Schema } };
}

const VERSIONS = [version('v1', true, 'set'), version('v1beta1', true, 'atomic')];

function definition(versions: readonly object[]): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gizmos.shop.example.com' },
    spec: {
      group: 'shop.example.com',
      scope: 'Namespaced',
      names: { plural: 'gizmos', singular: 'gizmo', kind: 'Gizmo', listKind: 'GizmoList' },
      versions,
    },
  };
}

/** A room that knows gizmos in two versions. */
function room(): Room {
  const own = createRoom();
  own.ask('POST', DEFINITIONS, { body: definition(VERSIONS) });
  return own;
}

type Writes = Readonly<Record<'apply' | 'merge', (version: string, manager: string, spec: object) => Seen>>;

function path(of: string): string {
  return `/apis/shop.example.com/${of}/namespaces/default/gizmos/one`;
}

function writes({ ask }: Room): Writes {
  return {
    apply: (of, manager, spec) =>
      ask('PATCH', `${path(of)}?fieldManager=${manager}`, {
        contentType: APPLY,
        body: { apiVersion: `shop.example.com/${of}`, kind: 'Gizmo', metadata: { name: 'one' }, spec },
      }),
    merge: (of, manager, spec) =>
      ask('PATCH', `${path(of)}?fieldManager=${manager}`, { contentType: MERGE, body: { spec } }),
  };
}

function bodyOf({ body }: Seen): Body {
  return body as Body;
}

function told(seen: Seen): readonly string[] {
  const { managedFields = [] } = bodyOf(seen).metadata;
  return managedFields.map(({ manager, fieldsV1 }) => `${manager} ${JSON.stringify(fieldsV1)}`).toSorted();
}

test('owners of another version › have their fields as that version has them', (t) => {
  const { apply, merge } = writes(room());
  apply('v1', 'm1', { list: ['a', 'b'] });
  apply('v1beta1', 'm2', { a: 'q' });
  const changed = merge('v1beta1', 'm3', { list: ['b', 'c'] });
  t.deepEqual(told(changed), [
    'm1 {"f:spec":{"f:list":{"v:\\"b\\"":{}}}}',
    'm2 {"f:spec":{"f:a":{}}}',
    'm3 {"f:spec":{"f:list":{}}}',
  ]);
  const refused = apply('v1', 'm1', { list: ['d'] });
  t.is(
    bodyOf(refused).message,
    'Apply failed with 1 conflict: conflict with "m3" using shop.example.com/v1beta1: .spec.list',
  );
});

test('apply › takes nothing out of a list that another version owns as a whole', (t) => {
  const { apply } = writes(room());
  apply('v1', 'm1', { list: ['a', 'b'] });
  t.deepEqual(bodyOf(apply('v1', 'm1', { list: ['a'] })).spec, { list: ['a'] });
  apply('v1beta1', 'm2', { a: 'q' });
  apply('v1', 'm1', { list: ['a', 'b'] });
  t.deepEqual(bodyOf(apply('v1', 'm1', { list: ['a'] })).spec, { a: 'q', list: ['a', 'b'] });
});

test('owners of another version › cannot be told where it does not know what is there', (t) => {
  const own = room();
  const { apply, merge } = writes(own);
  apply('v1beta1', 'm1', { a: 'q' });
  const unknown = apply('v1', 'm2', { a: 'r', only: 'x' });
  t.deepEqual(
    [unknown.status, bodyOf(unknown).message],
    [500, 'failed to convert new object: .spec.only: field not declared in schema'],
    'before it is told that there is a conflict',
  );
  t.deepEqual(told(merge('v1', 'm2', { only: 'x' })), []);
});

test('owners of a version that has gone › cannot be told', (t) => {
  const own = room();
  const { apply, merge } = writes(own);
  apply('v1beta1', 'm1', { a: 'q' });
  const remove = (versions: readonly object[]): Seen =>
    own.ask('PATCH', `${DEFINITIONS}/gizmos.shop.example.com`, {
      contentType: MERGE,
      body: { spec: { versions } },
    });
  remove([version('v1', true, 'set'), version('v1beta1', false, 'atomic')]);
  t.deepEqual(told(apply('v1', 'm2', { list: ['a'] })).length, 2, 'one that is not served is there');
  remove([version('v1', true, 'set')]);
  const refused = apply('v1', 'm2', { list: ['b'] });
  const why = 'request to convert CR to an invalid group/version: shop.example.com/v1beta1';
  t.deepEqual([refused.status, bodyOf(refused).message], [500, why]);
  t.deepEqual(told(merge('v1', 'm2', { list: ['b'] })), []);
});

function plain(name: string, parts: object, subresources: object): object {
  const spec = { type: 'object', properties: { a: { type: 'string' } } };
  const openAPIV3Schema = { type: 'object', properties: { spec, ...parts } };
  return { name, served: true, storage: name === 'v1', subresources, schema: { openAPIV3Schema } };
}

test('owners of a version without a status › stay where there is none', (t) => {
  const own = createRoom();
  const versions = [plain('v1', { status: { type: 'object' } }, { status: {} }), plain('v1beta1', {}, {})];
  own.ask('POST', DEFINITIONS, { body: definition(versions) });
  const { apply, merge } = writes(own);
  apply('v1beta1', 'm1', { a: 'q' });
  t.deepEqual(told(merge('v1beta1', 'm2', {})), ['m1 {"f:spec":{"f:a":{}}}']);
  t.deepEqual(told(merge('v1', 'm2', { a: 'r' })), ['m2 {"f:spec":{"f:a":{}}}']);
});

test('owners of another version › lose what a write says of a status that its endpoint does not keep', (t) => {
  const own = createRoom();
  const status = { type: 'object', properties: { phase: { type: 'string' }, size: { type: 'integer' } } };
  const versions = ['v1', 'v1beta1'].map((name) => plain(name, { status }, { status: {} }));
  own.ask('POST', DEFINITIONS, { body: definition(versions) });
  const { apply, merge } = writes(own);
  apply('v1', 'm1', { a: 'q' });
  const patch = (of: string, part: string, body: object): Seen =>
    own.ask('PATCH', `${path(of)}${part}?fieldManager=m2`, { contentType: MERGE, body });
  patch('v1beta1', '/status', { status: { phase: 'Up', size: 1 } });
  t.deepEqual(told(patch('v1', '', { status: { phase: null } })), [
    'm1 {"f:spec":{"f:a":{}}}',
    'm2 {"f:status":{".":{},"f:size":{}}}',
  ]);
  t.deepEqual(told(merge('v1', 'm3', {})).length, 2);
});
