import test from 'ava';
import { applyPatch } from '../../../src/api/patches/patch.js';
import { resolveResource } from '../../../src/api/kinds/registry.js';
import type { Kind } from '../../../src/api/objects/objects.js';
import { answerOf, created, updated } from '../object-pipeline.js';

const KEY_TEXT =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const IMMUTABLE = 'Forbidden: field is immutable when `immutable` is set';

function refusal(kind: Kind, draft: object): string {
  return answerOf(() => created(kind, { metadata: { name: 'x' }, ...draft }));
}

function changeOf(kind: 'ConfigMap' | 'Secret', before: object, after: object): string {
  const stored = created(kind, { metadata: { name: 'x' }, ...before });
  return answerOf(() => updated(kind, { ...stored, ...after }, stored));
}

/** `text` as base64. */
function bytes(text: string): string {
  return Buffer.from(text).toString('base64');
}

test('config kinds are found by their short names', (t) => {
  t.deepEqual(['cm', 'configmaps', 'secrets', 'sa'].map(resolveResource), [
    'ConfigMap',
    'ConfigMap',
    'Secret',
    'ServiceAccount',
  ]);
});

test('the keys of a config map could be names of files, each in one of its maps', (t) => {
  t.is(refusal('ConfigMap', { data: { 'a.b-c_D': '1' }, binaryData: { e: 'AAE=' } }), 'accepted');
  t.is(
    refusal('ConfigMap', { data: { 'a b': '1' } }),
    `ConfigMap "x" is invalid: data[a b]: Invalid value: "a b": ${KEY_TEXT}`,
  );
  t.is(
    refusal('ConfigMap', { data: { '..': '', '..a': '', '.': '' } }),
    'ConfigMap "x" is invalid: [data[.]: Invalid value: ".": must not be \'.\', data[..]: Invalid value: "..": must not be \'..\', data[..a]: Invalid value: "..a": must not start with \'..\']',
  );
  t.is(
    refusal('ConfigMap', { data: { a: '1' }, binaryData: { a: 'AAE=' } }),
    'ConfigMap "x" is invalid: data[a]: Invalid value: "a": duplicate of key present in binaryData',
  );
  t.is(
    refusal('ConfigMap', { data: { ['k'.repeat(254)]: '' } }),
    `ConfigMap "x" is invalid: data[${'k'.repeat(254)}]: Invalid value: "${'k'.repeat(254)}": must be no more than 253 characters`,
  );
});

test('a config map and a secret hold a mebibyte each', (t) => {
  const half = 'x'.repeat(512 * 1024);
  t.is(refusal('ConfigMap', { data: { a: half }, binaryData: { b: bytes(half) } }), 'accepted');
  t.is(
    refusal('ConfigMap', { data: { a: `${half}x` }, binaryData: { b: bytes(half) } }),
    'ConfigMap "x" is invalid: []: Too long: may not be more than 1048576 bytes',
  );
  t.is(refusal('Secret', { stringData: { a: half, b: half } }), 'accepted');
  t.is(
    refusal('Secret', { stringData: { a: half, b: `${half}x` } }),
    'Secret "x" is invalid: data: Too long: may not be more than 1048576 bytes',
  );
});

test('an immutable config map or secret keeps its data and its mark', (t) => {
  const frozen = { immutable: true, data: { a: 'Yg==' } };
  t.is(
    changeOf('ConfigMap', { ...frozen, binaryData: { b: 'AAE=' } }, { immutable: false, data: {}, binaryData: {} }),
    `ConfigMap "x" is invalid: [immutable: ${IMMUTABLE}, data: ${IMMUTABLE}, binaryData: ${IMMUTABLE}]`,
  );
  t.is(
    changeOf('Secret', frozen, { immutable: undefined, data: { a: 'Yw==' } }),
    `Secret "x" is invalid: [immutable: ${IMMUTABLE}, data: ${IMMUTABLE}]`,
  );
  t.is(
    changeOf('ConfigMap', frozen, { metadata: { name: 'x', namespace: 'default', labels: { a: 'b' } } }),
    'accepted',
  );
  t.is(changeOf('ConfigMap', { data: { a: 'b' } }, { immutable: true, data: { a: 'c' } }), 'accepted');
});

test('the texts of a secret become bytes, over those that are given', (t) => {
  const draft = {
    metadata: { name: 'x' },
    data: { a: bytes('old'), c: bytes('kept') },
    stringData: { a: 'new', b: 'ü' },
  };
  const { data, type, ...rest } = created('Secret', draft);
  t.deepEqual([data, type], [{ a: bytes('new'), b: bytes('ü'), c: bytes('kept') }, 'Opaque']);
  t.false('stringData' in rest);
});

/** The refusal of bytes that are no base64 from here on. */
function badBytes(at: number): string {
  return `Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte ${at}`;
}

test('bytes must be base64', (t) => {
  for (const [text, at] of [
    ['a b=', 1],
    ['abc', 0],
    ['abcde', 4],
    ['=', 0],
    ['ab=c', 3],
    ['ab==x', 4],
  ] as const) {
    t.is(refusal('Secret', { data: { a: text } }), badBytes(at), text);
  }
  t.is(refusal('Secret', { data: { a: 'YWJj\nZGVm\n', b: 'YQ=\n=\n', c: '' } }), 'accepted');
  t.is(
    refusal('ConfigMap', { binaryData: { a: 1 } }),
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.binaryData of type []uint8',
  );
});

/** The refusal of a secret of one of Kubernetes' own types, without the words that all have. */
function typed(type: string, stringData: object, annotations = {}): string {
  const answer = refusal('Secret', { metadata: { name: 'x', annotations }, type: `kubernetes.io/${type}`, stringData });
  return answer.replace('Secret "x" is invalid: ', '');
}

test('secrets of Kubernetes own types have the keys that these need', (t) => {
  t.is(typed('tls', { 'tls.crt': '' }), 'data[tls.key]: Required value');
  t.is(typed('tls', {}), '[data[tls.crt]: Required value, data[tls.key]: Required value]');
  t.is(typed('basic-auth', {}), '[data[username]: Required value, data[password]: Required value]');
  t.is(typed('basic-auth', { password: '' }), 'accepted');
  t.is(typed('ssh-auth', { 'ssh-privatekey': '' }), 'data[ssh-privatekey]: Required value');
  t.is(typed('dockercfg', {}), 'data[.dockercfg]: Required value');
  t.is(typed('dockerconfigjson', { '.dockerconfigjson': '{}' }), 'accepted');
  const redacted = 'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": ';
  t.is(typed('dockerconfigjson', { '.dockerconfigjson': '' }), `${redacted}unexpected end of JSON input`);
  t.is(
    typed('dockerconfigjson', { '.dockerconfigjson': 'x' }),
    `${redacted}invalid character 'x' looking for beginning of value`,
  );
  t.is(
    typed('dockerconfigjson', { '.dockerconfigjson': '[]' }),
    `${redacted}json: cannot unmarshal array into Go value of type map[string]interface {}`,
  );
  t.is(typed('service-account-token', {}), 'metadata.annotations[kubernetes.io/service-account.name]: Required value');
  t.is(typed('service-account-token', {}, { 'kubernetes.io/service-account.name': 'a' }), 'accepted');
});

test('the type of a secret never changes', (t) => {
  t.is(
    changeOf('Secret', { stringData: { a: 'b' } }, { type: 'example.com/x' }),
    'Secret "x" is invalid: type: Invalid value: "example.com/x": field is immutable',
  );
});

test('the secrets of a service account merge by name, those for images are replaced', (t) => {
  const account = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    secrets: [{ name: 'a' }, { name: 'b' }],
    imagePullSecrets: [{ name: 'c' }],
  };
  const body = { secrets: [{ name: 'b', $patch: 'delete' }], imagePullSecrets: [{ name: 'd' }] };
  t.deepEqual(applyPatch(account, { type: 'strategic', body }), {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    secrets: [{ name: 'a' }],
    imagePullSecrets: [{ name: 'd' }],
  });
});
