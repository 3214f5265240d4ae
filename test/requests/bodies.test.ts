import test from 'ava';
import { CONFIG_MAPS, createRoom, type Seen } from './ask.js';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const MERGE = 'application/merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const YAML = 'application/yaml';
const STRATEGIC = 'application/strategic-merge-patch+json';

function messageOf({ body }: Seen): string {
  return (body as { readonly message: string }).message;
}

test('faults of a body › are told in the order of its text, each once', (t) => {
  const { ask } = createRoom();
  const body =
    '{"metadata":{"name":"a","zz":1,"labels":{"a":"1","a":"2"}},"foo":1,"data":{"a":"1","a":"3"},"foo":2,"bar":{"x":1,"x":2}}';
  const faults = [
    'unknown field "metadata.zz"',
    'duplicate field "metadata.labels.a"',
    'unknown field "foo"',
    'duplicate field "data.a"',
    'unknown field "bar"',
  ];
  t.is(
    messageOf(ask('POST', `${CONFIG_MAPS}?fieldValidation=Strict`, { body })),
    `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ${faults.join(', ')}`,
  );
  const warned = ask('POST', CONFIG_MAPS, { body });
  t.deepEqual(
    warned.headers['warning'],
    faults.map((fault) => `299 - ${JSON.stringify(fault)}`),
  );
});

test('bodies of YAML › are YAML 1.1, whose faults come first', (t) => {
  const { ask } = createRoom();
  const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, zz: 1}\n';
  const twice = `${head}data:\n  a: "1"\n  a: "2"\nfoo: 1\n`;
  t.is(
    messageOf(ask('POST', `${CONFIG_MAPS}?fieldValidation=Strict`, { body: twice, contentType: YAML })),
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n' +
      '  line 6: key "a" already set in map, unknown field "foo", unknown field "metadata.zz"',
  );
  const warned = ask('POST', CONFIG_MAPS, { body: twice, contentType: YAML });
  t.like(warned.body, { data: { a: '2' } });
  t.deepEqual(warned.headers['warning'], [
    String.raw`299 - "line 6: key \"a\" already set in map"`,
    String.raw`299 - "unknown field \"foo\""`,
    String.raw`299 - "unknown field \"metadata.zz\""`,
  ]);
  const isTrue = ask('POST', CONFIG_MAPS, { body: 'metadata: {name: y}\n', contentType: YAML });
  t.regex(messageOf(isTrue), /cannot unmarshal bool into Go struct field ObjectMeta\.metadata\.name of type string$/);
  const broken = ask('POST', CONFIG_MAPS, { body: 'apiVersion: v1\nkind: [ConfigMap\n', contentType: YAML });
  t.is(
    messageOf(broken),
    "the object provided is unrecognized (must be of type ConfigMap): yaml: line 2: did not find expected ',' or ']' " +
      '(61706956657273696f6e3a2076310a6b696e643a205b436f6e6669674d61 ...)',
  );
});

test('bodies of YAML › that nest, name or repeat too much are refused at once', (t) => {
  const { ask } = createRoom();
  const bombs: readonly (readonly [text: string, problem: RegExp])[] = [
    ['['.repeat(200_000), /yaml: exceeded max depth of 500/],
    ['? '.repeat(20_000), /yaml: exceeded max depth of 500/],
    ['!!str '.repeat(50_000), /yaml: did not find expected node content/],
    ['&a '.repeat(50_000), /yaml: did not find expected node content/],
    ['? {a: b}\n: c\n', /yaml: invalid map key/],
    [`a: &a [x]\nb: [${'*a,'.repeat(20_000)}*a]`, /yaml: Excessive alias count/],
  ];
  for (const [body, problem] of bombs) {
    const refused = ask('POST', CONFIG_MAPS, { body, contentType: YAML });
    t.is(refused.status, 400);
    t.regex(messageOf(refused), problem);
  }
  const keys = Array.from({ length: 30_000 }, (_, index) => `  a${index}: b\n`);
  const wide = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: wide}\ndata:\n${keys.join('')}`;
  t.is(ask('POST', CONFIG_MAPS, { body: wide, contentType: YAML }).status, 201);
});

test('bodies that are no objects › show their first 30 bytes', (t) => {
  const { ask } = createRoom();
  const refusal = (body: string): string => messageOf(ask('POST', CONFIG_MAPS, { body }));
  const head = 'the object provided is unrecognized (must be of type ConfigMap): ';
  const json = "couldn't get version/kind; json parse error: ";
  t.is(refusal('xyz'), `${head}${json}invalid character 'x' looking for beginning of value (78797a)`);
  t.is(refusal('{"a":1}}'), `${head}${json}invalid character '}' after top-level value ({"a":1}})`);
  t.regex(refusal('[]'), /of type struct \{.*\} \(5b5d\)$/);
  const long = `{"a":"${'b'.repeat(40)}"`;
  t.is(refusal(long), `${head}${json}unexpected end of JSON input (${long.slice(0, 30)} ...)`);
  t.is(refusal('null'), 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required');
});

test('patches › say what they make of an object as maps and structs have it, and what they say twice', (t) => {
  const { ask } = createRoom();
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { selector: { matchLabels: { a: 'b' } }, template };
  ask('POST', DEPLOYMENTS, { body: { metadata: { name: 'w', annotations: { a: '<b>' } }, spec } });
  const refusal = (contentType: string, body: unknown, query = ''): string =>
    messageOf(ask('PATCH', `${DEPLOYMENTS}/w${query}`, { contentType, body }));
  const merged = refusal(MERGE, { spec: { replicas: 'x' } });
  // The levels on the way are sorted, the strategy is not.
  t.true(merged.includes(String.raw`\"spec\":{\"progressDeadlineSeconds\":600,\"replicas\":\"x\",\"revisionHistory`));
  t.true(merged.includes(String.raw`\"strategy\":{\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"maxUnavailable\"`));
  t.true(merged.includes(String.raw`\"a\":\"\\u003cb\\u003e\"`));
  const env = refusal(JSON_PATCH, [
    { op: 'add', path: '/spec/template/spec/containers/0/env', value: [{ value: 1, name: 'x' }] },
  ]);
  t.true(env.includes(String.raw`[{\"env\":[{\"value\":1,\"name\":\"x\"}],\"image\":\"i\",\"imagePullPolicy\"`));
  const twice = refusal(MERGE, '{"spec":{"replicas":1,"replicas":2,"foo":1,"foo":2}}', '?fieldValidation=Strict');
  t.true(
    twice.endsWith(
      'strict decoding error: duplicate field "spec.replicas", duplicate field "spec.foo", unknown field "spec.foo"',
    ),
  );
  const operation = '[{"op":"add","op":"add","path":"/spec/zz","value":1},{"op":"add","path":"/aa","value":1}]';
  t.true(
    refusal(JSON_PATCH, operation, '?fieldValidation=Strict').endsWith(
      'strict decoding error: json patch duplicate field "[0].op", unknown field "aa", unknown field "spec.zz"',
    ),
  );
});

test('names and places › a body without a name is refused, and so is a collection of all namespaces', (t) => {
  const { ask } = createRoom();
  t.is(
    messageOf(ask('PUT', `${CONFIG_MAPS}/a`, { body: { metadata: {} } })),
    'the name of the object (a based on URL) was undeterminable: name must be provided',
  );
  t.is(ask('DELETE', '/api/v1/configmaps').status, 405);
  t.is(
    messageOf(ask('GET', `${CONFIG_MAPS}?continue=x`)),
    'invalid continue token: continue key is not valid: illegal base64 data at input byte 0',
  );
});

test('strategic patches › whole numbers lose the bits that their field has no room for, and fractions are refused', (t) => {
  const { ask } = createRoom();
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { selector: { matchLabels: { a: 'b' } }, template };
  t.is(ask('POST', DEPLOYMENTS, { body: { metadata: { name: 'd' }, spec } }).status, 201);
  const patched = (change: object): Seen =>
    ask('PATCH', `${DEPLOYMENTS}/d`, { contentType: STRATEGIC, body: { spec: change } });
  t.like(patched({ minReadySeconds: 4_294_967_301 }).body, { spec: { minReadySeconds: 5 } });
  t.is(
    messageOf(patched({ minReadySeconds: 1e15 })),
    'Deployment.apps "d" is invalid: spec.minReadySeconds: Invalid value: -1530494976: must be greater than or equal to 0',
  );
  t.regex(messageOf(patched({ minReadySeconds: 1.5 })), /: cannot convert float64 to int32$/);
  t.regex(messageOf(patched({ template: { spec: { hostname: 1.5 } } })), /: unrecognized type: string$/);
});

test('JSON patches › what copies of copies would come to is bounded', (t) => {
  const { ask } = createRoom();
  t.is(ask('POST', CONFIG_MAPS, { body: { metadata: { name: 'a' }, data: { a: 'b' } } }).status, 201);
  const body = Array.from({ length: 60 }, (_, index) => ({ op: 'copy', from: '/data', path: `/data/x${index}` }));
  const refused = ask('PATCH', `${CONFIG_MAPS}/a`, { body, contentType: JSON_PATCH });
  t.deepEqual(
    [refused.status, messageOf(refused)],
    [422, 'the server rejected our request due to an error in our request'],
  );
});
