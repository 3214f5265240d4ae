import test from 'ava';
import { createRoom, type Room, type Seen } from '../ask.js';

const GIZMOS = '/apis/shop.example.com/v1/namespaces/default/gizmos';
const OLD_GIZMOS = '/apis/shop.example.com/v1beta1/namespaces/default/gizmos';
const MERGE = 'application/merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';

function version(name: string, required: readonly string[]): object {
  const a = { type: 'integer' };
  const properties = { spec: { type: 'object', required: ['a'], properties: { a } }, status: { type: 'object' } };
  const openAPIV3Schema = { type: 'object', required, properties };
  return { name, served: true, storage: name === 'v1', subresources: { status: {} }, schema: { openAPIV3Schema } };
}

/** A room with a gizmo. */
function room(): Room {
  const own = createRoom();
  own.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    body: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'gizmos.shop.example.com' },
      spec: {
        group: 'shop.example.com',
        scope: 'Namespaced',
        names: { plural: 'gizmos', singular: 'gizmo', kind: 'Gizmo', listKind: 'GizmoList' },
        versions: [version('v1', ['spec']), version('v1beta1', [])],
      },
    },
  });
  own.ask('POST', GIZMOS, { body: gizmo({}) });
  return own;
}

function gizmo(parts: object): object {
  return { apiVersion: 'shop.example.com/v1', kind: 'Gizmo', metadata: { name: 'one' }, spec: { a: 1 }, ...parts };
}

/** The code and what is said, without the object that is shown. */
function told({ status, body }: Seen): readonly [number, string | undefined] {
  const { message } = body as { readonly message?: string };
  return [status, message?.replace(/Invalid value: "(?:[^"\\]|\\.)*\{(?:[^"\\]|\\.)*": /, '')];
}

function other(got: string): string {
  return `the API version in the data (${got}) does not match the expected API version (shop.example.com/v1)`;
}

const NO_VERSION = "Object 'apiVersion' is missing in 'object has no apiVersion field'";

test('a custom resource › says of what type it is as Go reads it', (t) => {
  const { ask } = room();
  const created = (apiVersion: unknown, query = ''): string =>
    told(ask('POST', `${GIZMOS}?dryRun=All${query}`, { body: gizmo({ apiVersion }) }))[1] ?? '';
  t.is(created('/'), other(''));
  t.is(created('/v1'), other('v1'));
  t.regex(created('a/b/c'), /must be of type Gizmo\): unexpected GroupVersion string: a\/b\/c \(\{/);
  t.regex(created(3, '&fieldValidation=Ignore'), /must be of type Gizmo\): couldn't get version\/kind; json parse/);
  t.regex(created(null), /^Gizmo in version "" cannot be handled as a Gizmo: .apiVersion accessor error/);
  t.is(created('shop.example.com/', '&fieldValidation=Strict'), NO_VERSION);
  const odd = (parts: object): string => {
    const body = gizmo({ metadata: { name: 'one', nope: 1 }, ...parts });
    return told(ask('POST', `${GIZMOS}?dryRun=All&fieldValidation=Strict`, { body }))[1] ?? '';
  };
  const fault = 'strict decoding error: unknown field "metadata.nope"';
  t.is(odd({ kind: 'Other' }), `Other in version "v1" cannot be handled as a Other: ${fault}`);
  t.is(odd({ apiVersion: '/' }), NO_VERSION);
});

test('a patch of a custom resource › is judged whole, of its type last', (t) => {
  const { ask } = room();
  const patched = (operations: readonly object[], path = GIZMOS): readonly [number, string | undefined] =>
    told(ask('PATCH', `${path}/one?dryRun=All`, { contentType: JSON_PATCH, body: operations }));
  const uid = { op: 'replace', path: '/metadata/uid', value: 'x' };
  const wrong = 'metadata.uid: Invalid value: "x": field is immutable';
  const untyped = 'spec.a: Invalid value: "string": spec.a in body must be of type integer: "string"';
  t.deepEqual(patched([uid, { op: 'replace', path: '/spec/a', value: 'x' }]), [
    422,
    `Gizmo.shop.example.com "one" is invalid: [${wrong}, ${untyped}]`,
  ]);
  const kind = { op: 'replace', path: '/kind', value: 'Other' };
  t.deepEqual(patched([uid, kind]), [
    422,
    `Other.shop.example.com "one" is invalid: [${wrong}, kind: Invalid value: "Other": must be Gizmo]`,
  ]);
  const gone = { op: 'remove', path: '/apiVersion' };
  t.deepEqual(patched([gone, uid]), [500, `Internal error occurred: ${NO_VERSION}`]);
  const renamed = { op: 'replace', path: '/metadata/name', value: 'x' };
  t.deepEqual(patched([gone, renamed]), [400, 'the name of the object (x) does not match the name on the URL (one)']);
  const bad = { op: 'replace', path: '/apiVersion', value: 'a/b/c' };
  t.deepEqual(patched([bad]), [422, ' "" is invalid: patch: unexpected GroupVersion string: a/b/c']);
});

test('a patch of a status › has nothing else looked at', (t) => {
  const { ask } = room();
  const body = { kind: 'Other', apiVersion: 'other/v9', metadata: { uid: 'x' }, spec: { a: 'x' } };
  const seen = ask('PATCH', `${GIZMOS}/one/status`, { contentType: MERGE, body });
  t.is(seen.status, 200);
  t.deepEqual((seen.body as { readonly spec: unknown }).spec, { a: 1 });
});

test('a patch of which no fields are checked › is read by the library that applies it', (t) => {
  const { ask } = room();
  const patched = (contentType: string, body: unknown, validation = 'Ignore'): readonly [number, string | undefined] =>
    told(ask('PATCH', `${GIZMOS}/one?dryRun=All&fieldValidation=${validation}`, { contentType, body }));
  const failed = 'the server rejected our request due to an error in our request';
  t.deepEqual(patched(JSON_PATCH, '"x"'), [400, 'json: cannot unmarshal string into Go value of type jsonpatch.Patch']);
  t.deepEqual(patched(JSON_PATCH, [1]), [
    400,
    'json: cannot unmarshal number into Go value of type jsonpatch.Operation',
  ]);
  t.deepEqual(patched(JSON_PATCH, [{ op: 'add', path: 1 }]), [422, failed]);
  t.deepEqual(patched(MERGE, 5), [400, 'Invalid JSON Patch']);
  const struct =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  t.deepEqual(patched(MERGE, []), [
    422,
    ` "" is invalid: patch: Invalid value: "[]": couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${struct}`,
  ]);
  t.deepEqual(patched(MERGE, [], 'Warn'), [
    400,
    'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
  ]);
});

test('a custom resource › that another version would not take is refused even where nothing changes', (t) => {
  const { ask } = room();
  const old = { apiVersion: 'shop.example.com/v1beta1', kind: 'Gizmo', metadata: { name: 'two' } };
  t.is(ask('POST', OLD_GIZMOS, { body: old }).status, 201);
  t.is(ask('PATCH', `${OLD_GIZMOS}/two`, { contentType: MERGE, body: {} }).status, 200);
  t.deepEqual(told(ask('PATCH', `${GIZMOS}/two`, { contentType: MERGE, body: {} })), [
    422,
    'Gizmo.shop.example.com "two" is invalid: spec: Required value',
  ]);
});

function ruled(name: string, rules: object): object {
  const spec = { type: 'object', properties: { a: { type: 'string', ...rules }, b: { type: 'string' } } };
  const openAPIV3Schema = { type: 'object', properties: { spec, status: { type: 'object' } } };
  return { name, served: true, storage: name === 'v1', subresources: { status: {} }, schema: { openAPIV3Schema } };
}

test('a rule that an object broke before › is told of and holds no update up', (t) => {
  const own = createRoom();
  const validations = [{ rule: "self != 'bad'", message: 'no bad' }];
  own.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    body: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'gizmos.shop.example.com' },
      spec: {
        group: 'shop.example.com',
        scope: 'Namespaced',
        names: { plural: 'gizmos', singular: 'gizmo', kind: 'Gizmo', listKind: 'GizmoList' },
        versions: [ruled('v1', { 'x-kubernetes-validations': validations }), ruled('v1beta1', {})],
      },
    },
  });
  const body = gizmo({ apiVersion: 'shop.example.com/v1beta1', spec: { a: 'bad' } });
  own.ask('POST', OLD_GIZMOS, { body });
  const merged = (part: object, path = `${GIZMOS}/one`): readonly unknown[] => {
    const { status, headers } = own.ask('PATCH', path, { contentType: MERGE, body: part });
    return [status, headers['warning']];
  };
  const warned = [200, ['299 - "spec.a: Invalid value: \\"string\\": no bad"']];
  t.deepEqual(merged({}), warned, 'nothing changes');
  t.deepEqual(merged({ spec: { b: 'x' } }), warned);
  t.deepEqual(merged({ status: {} }, `${GIZMOS}/one/status`), warned);
  t.deepEqual(merged({ spec: { a: 'good' } }), [200, undefined]);
  t.is(merged({ spec: { a: 'bad' } })[0], 422);
});

test('an apply › escapes no half of a letter', (t) => {
  const { ask } = room();
  const text = '{"apiVersion":"shop.example.com/v1","kind":"Gizmo","metadata":{"name":"one"},"spec":{"a":1,"b":"%"}}';
  const applied = (escape: string): readonly [number, string | undefined] =>
    told(
      ask('PATCH', `${GIZMOS}/one?fieldManager=a`, {
        contentType: 'application/apply-patch+yaml',
        body: text.replace('%', escape),
      }),
    );
  const why = 'error converting YAML to JSON: yaml: found invalid Unicode character escape code';
  t.deepEqual(applied('\\ud83d\\ude00'), [400, `error decoding YAML: ${why}`]);
  t.is(applied('\\\\ud83d')[0], 500, 'what is no escape is a text: of a field that there is not');
});
