import test from 'ava';
import fc from 'fast-check';
import { ApiError } from '../../../src/api/errors/api-error.js';
import { decodeObject } from '../../../src/server/protobuf/decode-object.js';
import { requestBody } from '../../../src/server/request-body.js';
import { message, protobufBody, type Part } from './protobuf-body.js';

const zeroTime = new Uint8Array();
/** Metadata as Go writes it: what is no pointer is written, zero or not. */
const metadata = (name: string, ...more: readonly Part[]): Uint8Array =>
  message([1, name], [2, ''], [3, 'default'], [4, ''], [5, ''], [6, ''], [7, 0], [8, zeroTime], ...more);

test('decodeObject › a Deployment of a typed client of Go: zeros behind pointers stay, others go', (t) => {
  const container = message([1, 'web'], [2, 'nginx'], [5, ''], [8, new Uint8Array()], [13, ''], [18, false]);
  const template = message([1, metadata('')], [2, message([2, container], [4, 0])]);
  const labels = message([1, message([1, 'app'], [2, 'web'])]);
  const spec = message([1, 0], [2, labels], [3, template], [4, message([1, 'Recreate'])], [5, 0], [7, false]);
  const status = message([1, 0], [2, 0], [3, 0]);
  const body = protobufBody('apps/v1', 'Deployment', message([1, metadata('web')], [2, spec], [3, status]));
  t.deepEqual(decodeObject(body), {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { namespace: 'default' },
        spec: { containers: [{ name: 'web', image: 'nginx', resources: {} }], terminationGracePeriodSeconds: 0 },
      },
      strategy: { type: 'Recreate' },
    },
    status: {},
  });
});

test('decodeObject › times, quantities, numbers or texts, bytes, and structs that Go embeds', (t) => {
  const lease = message(
    [1, metadata('leader')],
    [2, message([1, 'me'], [2, 15], [4, message([1, 1_700_000_000], [2, 123_456_789])])],
  );
  t.like(decodeObject(protobufBody('coordination.k8s.io/v1', 'Lease', lease)), {
    spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2023-11-14T22:13:20.123456Z' },
  });
  const port = message([1, ''], [2, 'TCP'], [3, 80], [4, message([1, 1], [2, 0], [3, 'http'])], [5, 0]);
  t.like(decodeObject(protobufBody('v1', 'Service', message([1, metadata('s')], [2, message([1, port])]))), {
    spec: { ports: [{ protocol: 'TCP', port: 80, targetPort: 'http' }] },
  });
  const volume = message([1, 'data'], [2, message([2, message([1, ''], [2, message([1, '1Gi'])])])]);
  t.like(decodeObject(protobufBody('v1', 'Pod', message([1, metadata('p')], [2, message([1, volume])]))), {
    spec: { volumes: [{ name: 'data', emptyDir: { sizeLimit: '1Gi' } }] },
  });
  const entry = message([1, 'key'], [2, Uint8Array.of(1, 2, 255)]);
  t.like(decodeObject(protobufBody('v1', 'Secret', message([1, metadata('s')], [2, entry], [3, 'Opaque']))), {
    data: { key: 'AQL/' },
    type: 'Opaque',
  });
});

test('decodeObject › a definition: that it has a subresource without fields is told by an empty message', (t) => {
  const subresources = message([1, new Uint8Array()], [2, message([1, '.spec.replicas'], [2, '.status.replicas'])]);
  const version = message([1, 'v1'], [2, true], [3, true], [5, subresources]);
  const definition = message([1, metadata('d')], [2, message([1, 'example.com'], [7, version])]);
  t.like(decodeObject(protobufBody('apiextensions.k8s.io/v1', 'CustomResourceDefinition', definition)), {
    spec: {
      versions: [
        {
          name: 'v1',
          subresources: {
            status: {},
            scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
          },
        },
      ],
    },
  });
});

test('decodeObject › parts of a schema that are one thing or another', (t) => {
  const text = message([5, 'string']);
  const properties = [
    ['map', message([5, 'object'], [30, message([1, false], [2, text])])],
    ['open', message([5, 'object'], [30, message([1, true])])],
    ['closed', message([5, 'object'], [30, message([1, false])])],
    ['list', message([5, 'array'], [24, message([1, text])])],
  ] as const;
  const schema = message([5, 'object'], ...properties.map(([key, value]): Part => [29, message([1, key], [2, value])]));
  const version = message([1, 'v1'], [2, true], [3, true], [4, message([1, schema])]);
  const definition = message([1, metadata('d')], [2, message([1, 'example.com'], [7, version])]);
  t.like(decodeObject(protobufBody('apiextensions.k8s.io/v1', 'CustomResourceDefinition', definition)), {
    spec: {
      versions: [
        {
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                map: { type: 'object', additionalProperties: { type: 'string' } },
                open: { type: 'object', additionalProperties: true },
                closed: { type: 'object', additionalProperties: false },
                list: { type: 'array', items: { type: 'string' } },
              },
            },
          },
        },
      ],
    },
  });
});

test('decodeObject › options of a delete, whatever group they are of', (t) => {
  const options = message([1, 0], [4, 'Foreground']);
  for (const apiVersion of ['v1', 'apps/v1', 'meta.k8s.io/v1']) {
    const decoded = decodeObject(protobufBody(apiVersion, 'DeleteOptions', options));
    t.like(decoded, { gracePeriodSeconds: 0, propagationPolicy: 'Foreground' });
  }
});

test('decodeObject › fields that are not known are passed over, and a key is never more than a key', (t) => {
  const entry = message([1, '__proto__'], [2, 'x']);
  const decoded = decodeObject(protobufBody('v1', 'ConfigMap', message([2, entry], [99, 'new'], [98, 1])));
  t.is(JSON.stringify(decoded), '{"kind":"ConfigMap","apiVersion":"v1","data":{"__proto__":"x"}}');
  t.is(Object.getPrototypeOf((decoded as { data: object }).data), Object.prototype);
});

test('decodeObject › what is no message, and kinds that have none, are refused', (t) => {
  t.like(
    t.throws(() => decodeObject(Uint8Array.of(1, 2, 3, 4, 5)), { instanceOf: ApiError }),
    { code: 400 },
  );
  t.like(
    t.throws(() => decodeObject(protobufBody('example.com/v1', 'Widget', message()))),
    { code: 415 },
  );
});

/** Whether bytes are decoded, or refused as a client's mistake. */
function refusedOrDecoded(bytes: Uint8Array): boolean {
  try {
    return typeof decodeObject(bytes) === 'object';
  } catch (error) {
    return error instanceof ApiError && error.code < 500;
  }
}

test('decodeObject › bytes at random are decoded or refused, and nothing else comes of them', (t) => {
  const kinds = fc.constantFrom(['v1', 'Pod'], ['apps/v1', 'Deployment'], ['v1', 'Secret'], ['policy/v1', 'Eviction']);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), refusedOrDecoded), { seed: 1 });
  fc.assert(
    fc.property(kinds, fc.uint8Array({ maxLength: 400 }), ([apiVersion = '', kind = ''], raw) =>
      refusedOrDecoded(protobufBody(apiVersion, kind, raw)),
    ),
    { seed: 2, numRuns: 2000 },
  );
  t.pass();
});

test('decodeObject › messages within messages end before the stack does', (t) => {
  let schema = message([5, 'object']);
  for (let depth = 0; depth < 2000; depth += 1) schema = message([27, schema]);
  const crd = message([1, metadata('c')], [2, message([7, message([1, 'v1'], [4, message([1, schema])])])]);
  t.notThrows(() => decodeObject(protobufBody('v1', 'Pod', crd)));
  t.like(
    t.throws(() => decodeObject(protobufBody('apiextensions.k8s.io/v1', 'CustomResourceDefinition', crd))),
    { code: 400 },
  );
});

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

test('requestBody › JSON that nests deeply is refused before it is read; brackets in texts do not count', (t) => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  t.like(
    t.throws(() => requestBody(encoded(deep), 'application/json')),
    { code: 400, message: 'exceeded max depth of 500' },
  );
  const text = JSON.stringify({ a: `\\"${'[{'.repeat(5000)}` });
  t.deepEqual(requestBody(encoded(text), 'application/json'), { text });
  t.is(requestBody(new Uint8Array(), undefined), undefined);
});
