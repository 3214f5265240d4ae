import assert from 'node:assert/strict';
import test from 'ava';
import fc from 'fast-check';
import { AlikeLines } from '../../src/transfer/import/alike-lines.js';

const HEAD = '{"apiVersion":"v1","kind":"Pod","metadata":';

function line(metadata: unknown, spec: unknown, status: unknown): string {
  return `${HEAD}${JSON.stringify(metadata)},"spec":${JSON.stringify(spec)},"status":${JSON.stringify(status)}}`;
}

test('lines are what JSON.parse makes of them, whatever stands in their texts', (t) => {
  const text = fc.constantFrom(
    'a',
    'node-1',
    'Node 2',
    '',
    ',"spec":{',
    ',"status":{',
    '"nodeName":"',
    '\\',
    '__proto__',
  );
  const part = fc.dictionary(
    fc.constantFrom('nodeName', 'spec', 'status', 'a', '__proto__'),
    fc.oneof(text, fc.object()),
  );
  const pods = fc.array(fc.tuple(part, fc.oneof(part, fc.constant({ a: 1, nodeName: 'n' }), text), part), {
    minLength: 2,
  });
  fc.assert(
    fc.property(pods, (written) => {
      const lines = new AlikeLines();
      for (const [metadata, spec, status] of [...written, ...written]) {
        const one = line(metadata, spec, status);
        assert.deepEqual(lines.parse(one), JSON.parse(one));
      }
    }),
    { numRuns: 60 },
  );
  t.pass();
});

test('pods of one template share what was read of their spec, and have each their own node', (t) => {
  const lines = new AlikeLines();
  const specs = ['node-1', 'node-2', 'node-1'].map((nodeName) => {
    const pod = lines.parse(line({ name: 'p' }, { containers: [{ name: 'c' }], nodeName, priority: 0 }, {}));
    return (pod as { readonly spec: { readonly containers: unknown; readonly nodeName: string } }).spec;
  });
  t.deepEqual(
    specs.map(({ nodeName }) => nodeName),
    ['node-1', 'node-2', 'node-1'],
  );
  t.is(specs[0]?.containers, specs[2]?.containers);
  t.is(specs[1]?.containers, specs[2]?.containers);
});

test('a line that is no JSON is refused as JSON.parse does it', (t) => {
  const lines = new AlikeLines();
  lines.parse(line({}, { nodeName: 'a' }, {}));
  for (const bad of [
    `${HEAD}{},"spec":{"nodeName":"a"},"status":{}`,
    `${HEAD}{},"spec":{"nodeName":"a"},"status":{},}`,
  ])
    t.throws(() => lines.parse(bad), { instanceOf: SyntaxError });
  const escaped = (name: string): string =>
    `${HEAD}{},"spec":{"a":{"nodeName":"${name}"},"node\\u004eame":"a"},"status":{}}`;
  t.deepEqual(lines.parse(escaped('a')), JSON.parse(escaped('a')));
  t.deepEqual(lines.parse(escaped('b')), JSON.parse(escaped('b')));
  const twice = `${HEAD}{},"spec":{"nodeName":"a"},"status":{"b":1},"spec":{"nodeName":"c"}}`;
  t.deepEqual(lines.parse(twice), JSON.parse(twice));
});
