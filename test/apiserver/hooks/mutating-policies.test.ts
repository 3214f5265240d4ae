import test from 'ava';
import { ApiError, createCluster, type Cluster, type ClusterOptions, type ConfigMap } from '../../../src/index.js';

const ON = {
  nodes: 0,
  featureGates: { MutatingAdmissionPolicy: true },
  runtimeConfig: { 'admissionregistration.k8s.io/v1beta1': true },
} satisfies ClusterOptions;
const RULES = [
  { operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps', 'pods'] },
];
const API = 'admissionregistration.k8s.io/v1beta1';

const applied = (expression: string): object => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patched = (expression: string): object => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

function policy(name: string, spec: object): object {
  const common = { matchConstraints: { resourceRules: RULES }, reinvocationPolicy: 'Never' };
  return { apiVersion: API, kind: 'MutatingAdmissionPolicy', metadata: { name }, spec: { ...common, ...spec } };
}

function bind(
  cluster: Cluster,
  mutations: readonly object[],
  spec: object = {},
  binding: object = {},
  name = 'p',
): void {
  const bound = { apiVersion: API, kind: 'MutatingAdmissionPolicyBinding', metadata: { name } };
  cluster.apply([policy(name, { mutations, ...spec }), { ...bound, spec: { policyName: name, ...binding } }] as never);
}

/** What becomes of a new object, or what is said to it. */
function made(cluster: Cluster, name: string, more: object = {}): ConfigMap | string {
  try {
    return cluster.create('ConfigMap', { metadata: { name, labels: { own: '1' } }, data: { a: '1' }, ...more });
  } catch (error) {
    const { code, reason = '', message } = error as ApiError;
    return `${code} ${reason} ${message}`;
  }
}

test('kinds of policies that change objects are there where their version is turned on, and policies act by a gate', async (t) => {
  const off = createCluster({ nodes: 0 });
  const why = /^the server could not find .*: kind MutatingAdmissionPolicy is off, runtimeConfig with .*v1beta1: true/;
  t.throws(() => off.list('MutatingAdmissionPolicy'), { code: 404, message: why });
  t.is(off.apply([policy('p', {})] as never)[0]?.action, 'ignored');
  t.deepEqual(await discovered(off), ['admissionregistration.k8s.io/v1']);
  const inactive = createCluster({ nodes: 0, runtimeConfig: ON.runtimeConfig });
  t.deepEqual(await discovered(inactive), ['admissionregistration.k8s.io/v1', API]);
  bind(inactive, [applied('Object{metadata: Object.metadata{labels: {"a": "b"}}}')]);
  t.deepEqual((made(inactive, 'x') as ConfigMap).metadata.labels, { own: '1' });
  const alone = { featureGates: ON.featureGates };
  t.throws(() => createCluster(alone), { message: /^featureGates\.MutatingAdmissionPolicy must be false unless/ });
  const other = { runtimeConfig: { 'apps/v9': true } };
  t.throws(() => createCluster(other as ClusterOptions), { message: /^option runtimeConfig\.apps\/v9 must be one of/ });
  await Promise.all([off.dispose(), inactive.dispose()]);
});

async function discovered(cluster: Cluster): Promise<readonly string[]> {
  const { body } = await cluster.ask({ method: 'GET', path: '/apis/admissionregistration.k8s.io' });
  const { versions } = body as { readonly versions: readonly { readonly groupVersion: string }[] };
  return versions.map(({ groupVersion }) => groupVersion);
}

test('an older version shows the same policies', async (t) => {
  const cluster = createCluster({
    ...ON,
    runtimeConfig: { ...ON.runtimeConfig, 'admissionregistration.k8s.io/v1alpha1': true },
  });
  const older = { ...policy('p', { mutations: [applied('Object{}')] }), apiVersion: API.replace('beta', 'alpha') };
  cluster.apply([older] as never);
  t.is(cluster.get('MutatingAdmissionPolicy', 'p').apiVersion, API);
  t.is((cluster.get('MutatingAdmissionPolicy', 'p').spec as { failurePolicy: string }).failurePolicy, 'Fail');
  await cluster.dispose();
});

test('apply configurations are merged as server-side apply does, patches are applied one after the other', async (t) => {
  const cluster = createCluster(ON);
  bind(
    cluster,
    [
      applied('Object{metadata: Object.metadata{labels: {"from": variables.v}}, data: {"b": object.metadata.name}}'),
      patched(
        `[JSONPatch{op: "test", path: "/data/a", value: "1"},
          JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("example.com/x"), value: object.data.b},
          JSONPatch{op: "add", path: "/metadata/annotations", value: Object.metadata.annotations{n: string(size(object.data))}}]`,
      ),
      patched('[JSONPatch{op: "test", path: "/data/a", value: "2"}, JSONPatch{op: "remove", path: "/data"}]'),
    ],
    { variables: [{ name: 'v', expression: 'request.operation' }] },
  );
  const { metadata, data } = made(cluster, 'x') as ConfigMap;
  t.deepEqual(data, { a: '1', b: 'x' });
  t.deepEqual(metadata.labels, { own: '1', from: 'CREATE', 'example.com/x': 'x' } as never);
  t.deepEqual(metadata.annotations, { n: '2' });
  cluster.patch('ConfigMap', 'x', { data: { a: '3' } });
  t.is(cluster.get('ConfigMap', 'x').metadata.labels?.['from'], 'UPDATE');
  const containers = 'object.spec.containers.map(c, Object.spec.containers{name: c.name, imagePullPolicy: "Never"})';
  bind(cluster, [applied(`Object{spec: Object.spec{containers: ${containers}}}`)], {
    matchConstraints: { resourceRules: [{ ...RULES[0], resources: ['pods'] }] },
  });
  const pod = cluster.create('Pod', { metadata: { name: 'p' }, spec: { containers: [{ name: 'a', image: 'i' }] } });
  t.deepEqual(
    pod.spec.containers.map(({ name, image, imagePullPolicy }) => [name, image, imagePullPolicy]),
    [['a', 'i', 'Never']],
  );
  await cluster.dispose();
});

test('changes that cannot be made are told as a real server tells them, unless the policy ignores them', async (t) => {
  const cluster = createCluster(ON);
  const told = (mutation: object, spec: object = {}): string => {
    bind(cluster, [mutation], spec);
    const text = made(cluster, `x${Math.trunc(cluster.list('ConfigMap').length)}`);
    return typeof text === 'string' ? text.replace("policy 'p' with binding 'p' denied request: ", '') : 'made';
  };
  const cases: readonly (readonly [object, string])[] = [
    [
      applied('Object{metadata: Object.metadata{foo: 1}}'),
      '403 Invalid error applying patch: failed to convert patch object to typed object: .metadata.foo: field not declared in schema',
    ],
    [
      applied('Object{metadata: Object.spec{}}'),
      '403 Invalid type mismatch: unexpected type name "Object.spec", expected "Object.metadata", which matches field name path from root Object type',
    ],
    [
      applied('Object{metadata: Object.metadata{creationTimestamp: "now"}}'),
      '403 Invalid unable to convert unstructured object to /v1, Kind=ConfigMap: parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006"',
    ],
    [
      applied('Object{data: {"a": timestamp("2020-01-01T00:00:00Z")}}'),
      '403 Invalid error applying patch: failed to convert patch object to typed object: .data.a: expected string, got &value.valueUnstructured{Value:time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)}',
    ],
    [
      applied('Object{metadata: Object.metadata{managedFields: []}}'),
      '403 Invalid error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .metadata.managedFields',
    ],
    [
      applied('Object{data: {"a": object.spec.x}}'),
      `403 Invalid expression 'Object{data: {"a": object.spec.x}}' resulted in error: no such key: spec`,
    ],
    [
      patched('[JSONPatch{op: "remove", path: "/data/b~1c"}]'),
      "403 Invalid JSON Patch: error in remove for path: '/data/b~1c': Unable to remove nonexistent key: b/c: missing value",
    ],
    [
      patched('[JSONPatch{op: "copy", path: "/data/b"}]'),
      '403 Invalid JSON Patch: copy operation failed to decode from: operation, missing from field: missing value',
    ],
    [
      patched('[JSONPatch{op: "add", path: "/foo", value: 1}]'),
      '500 InternalError Internal error occurred: strict decoding error: unknown field "foo"',
    ],
    [
      applied('Object{metadata: Object.metadata{namespace: "kube-system"}}'),
      '400 BadRequest the namespace of the provided object does not match the namespace sent on the request',
    ],
  ];
  for (const [mutation, text] of cases) t.is(told(mutation), text);
  t.is(told(applied('Object{foo: 1}'), { failurePolicy: 'Ignore' }), 'made');
  const missing = { paramKind: { apiVersion: 'v1', kind: 'Foo' } };
  t.is(
    told(applied('Object{}'), missing),
    `403 Forbidden policy "p" denied request: failed to configure policy: failed to find resource referenced by paramKind: '/v1, Kind=Foo'`,
  );
  await cluster.dispose();
});

test('what is in no namespace is put into none', async (t) => {
  const cluster = createCluster(ON);
  const matchConstraints = { resourceRules: [{ ...RULES[0], resources: ['namespaces'] }] };
  bind(cluster, [applied('Object{metadata: Object.metadata{namespace: "x", labels: {"a": "b"}}}')], {
    matchConstraints,
  });
  const { namespace, labels } = cluster.create('Namespace', { metadata: { name: 'n' } }).metadata;
  t.deepEqual([namespace, labels?.['a']], [undefined, 'b']);
  await cluster.dispose();
});

test('an update keeps its identity, its version and its status, whatever policies say', async (t) => {
  const cluster = createCluster(ON);
  cluster.create('ConfigMap', { metadata: { name: 'x' } });
  const told = (expression: string): string => {
    bind(cluster, [applied(expression)]);
    const error = t.throws(() => cluster.patch('ConfigMap', 'x', { data: { a: '1' } }), { instanceOf: ApiError });
    return `${error?.code} ${error?.message}`;
  };
  const immutable = 'Invalid value: "abc": field is immutable';
  t.true(told('Object{metadata: Object.metadata{uid: "abc"}}').startsWith(`422 ConfigMap "x" is invalid: `));
  t.true(told('Object{metadata: Object.metadata{uid: "abc"}}').includes(`metadata.uid: ${immutable}`));
  t.true(
    told('Object{metadata: Object.metadata{resourceVersion: "5"}}').startsWith('409 Operation cannot be fulfilled'),
  );
  await cluster.dispose();
});

test('a policy runs again after others have changed the object, if it asks for that', async (t) => {
  const cluster = createCluster(ON);
  const count =
    'Object{metadata: Object.metadata{labels: {"n": string(size(object.metadata.labels)), object.metadata.name: "x"}}}';
  bind(cluster, [applied(count)], { reinvocationPolicy: 'IfNeeded' }, {}, 'a');
  bind(cluster, [applied('Object{metadata: Object.metadata{labels: {"other": "b"}}}')], {}, {}, 'b');
  t.deepEqual((made(cluster, 'x') as ConfigMap).metadata.labels, { own: '1', n: '4', x: 'x', other: 'b' } as never);
  cluster.delete('MutatingAdmissionPolicyBinding', 'a');
  bind(cluster, [applied(count)], { reinvocationPolicy: 'Never' }, {}, 'a');
  t.deepEqual((made(cluster, 'y') as ConfigMap).metadata.labels, { own: '1', n: '1', y: 'x', other: 'b' } as never);
  await cluster.dispose();
});

test('policies that change objects are refused in the words of a real server', async (t) => {
  const cluster = createCluster(ON);
  const errors = (spec: object): readonly string[] => {
    const draft = { metadata: { name: 'a' }, spec };
    const error = t.throws(() => cluster.create('MutatingAdmissionPolicy', draft), { instanceOf: ApiError });
    return (error?.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
  };
  t.deepEqual(errors({}), [
    'spec.matchConstraints: Required value',
    'spec.mutations: Required value: mutations must contain at least one item',
    'spec.reinvocationPolicy: Required value',
  ]);
  const found = errors({
    matchConstraints: { resourceRules: [{ ...RULES[0], operations: ['DELETE'] }] },
    reinvocationPolicy: 'Foo',
    mutations: [
      { patchType: 'X' },
      { patchType: 'JSONPatch', applyConfiguration: {} },
      applied('object'),
      patched('[]'),
      patched('[JSONPatch{foo: 1}]'),
      applied('variables.x'),
    ],
  });
  t.deepEqual(
    found.map((text) => text.split('\n', 1)[0]),
    [
      'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      'spec.mutations[0].patchType: Unsupported value: "X": supported values: "ApplyConfiguration", "JSONPatch"',
      'spec.mutations[1].jsonPatch: Required value: must be specified when patchType is JSONPatch',
      'spec.mutations[1].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch',
      'spec.mutations[2].applyConfiguration.expression: Invalid value: "object": must evaluate to Object but got dyn',
      'spec.mutations[3].jsonPatch.expression: Invalid value: "[]": must evaluate to list(JSONPatch) but got list(dyn)',
      `spec.mutations[4].jsonPatch.expression: Invalid value: "[JSONPatch{foo: 1}]": compilation failed: ERROR: <input>:1:15: expected type of field 'foo' is '' but provided type is 'int'`,
      `spec.mutations[5].applyConfiguration.expression: Invalid value: "variables.x": compilation failed: ERROR: <input>:1:10: undefined field 'x'`,
      'spec.reinvocationPolicy: Unsupported value: "Foo": supported values: "IfNeeded", "Never"',
    ],
  );
  await cluster.dispose();
});
