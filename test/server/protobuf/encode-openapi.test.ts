import { BinaryReader } from '@bufbuild/protobuf/wire';
import test from 'ava';
import { encodeOpenApi } from '../../../src/server/protobuf/encode-openapi.js';
import { createRoom } from '../../requests/ask.js';

/** The values of a field of a message, in their order. */
function valuesOf(message: Uint8Array, wanted: number): readonly Uint8Array[] {
  const reader = new BinaryReader(message);
  const values: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === wanted) values.push(reader.bytes());
    else reader.skip(wireType, number);
  }
  return values;
}

/** Down a path of numbers, the first value of each. */
function at(message: Uint8Array, ...path: readonly number[]): Uint8Array {
  let value = message;
  for (const number of path) value = valuesOf(value, number)[0] ?? new Uint8Array();
  return value;
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/** The value of a list of pairs that has a name. */
function namedIn(message: Uint8Array, number: number, name: string): Uint8Array {
  const found = valuesOf(message, number).find((pair) => textOf(at(pair, 1)) === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return at(found, 2);
}

test("encodeOpenApi › the document as gnostic's messages: what Go's clients look for in it is there", (t) => {
  const { ask } = createRoom();
  const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
  const { status, headers, body } = ask('GET', '/openapi/v2', { accept });
  t.is(status, 200);
  t.is(headers['content-type'], 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
  const bytes = encodeOpenApi(body as object);
  t.is(textOf(at(bytes, 1)), '2.0');
  const spec = namedIn(at(bytes, 9), 1, 'io.k8s.api.core.v1.PodSpec');
  const containers = namedIn(at(spec, 25), 1, 'containers');
  t.is(textOf(at(containers, 22, 1)), 'array');
  t.is(textOf(at(containers, 23, 1, 1)), '#/definitions/io.k8s.api.core.v1.Container');
  t.is(textOf(at(namedIn(containers, 31, 'x-kubernetes-patch-merge-key'), 2)), '"name"');
  const pod = namedIn(at(bytes, 8), 2, '/api/v1/namespaces/{namespace}/pods/{name}');
  const queries = valuesOf(at(pod, 8), 8).map((parameter) => textOf(at(parameter, 1, 2, 3, 4)));
  t.true(queries.includes('fieldValidation'));
  t.is(textOf(at(pod, 9, 1, 2, 4, 4)), 'name');
});

test('openapi › one that takes neither JSON nor protobuf of version 2 is told that there is nothing', (t) => {
  const { ask } = createRoom();
  t.is(ask('GET', '/openapi/v2', { accept: 'text/html' }).status, 406);
  // Of version 3 there is JSON alone, and what there is not is told first; the list of documents is for everybody.
  const statusOf = (path: string, accept: string): number => ask('GET', `/openapi/v3${path}`, { accept }).status;
  t.is(statusOf('/apis/apps/v1', 'text/html'), 406);
  t.is(statusOf('/apis/apps/v1?hash=abc', 'text/html'), 406);
  t.is(statusOf('/apis/apps/v1', 'text/html, application/json'), 200);
  t.is(statusOf('/apis/none', 'text/html'), 404);
  t.is(statusOf('', 'text/html'), 200);
});
