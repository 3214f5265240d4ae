import test from 'ava';
import fc from 'fast-check';
import { ApiError } from '../../src/api/errors/api-error.js';
import { applyMergePatch, applyPatch } from '../../src/api/patches/patch.js';
import { answerOf } from './object-pipeline.js';

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', labels: { a: '1' }, finalizers: ['x/y'] },
  spec: {
    containers: [
      { name: 'c', image: 'one', env: [{ name: 'A', value: '1' }] },
      { name: 'd', image: 'two' },
    ],
    tolerations: [{ key: 'k' }],
  },
};

function strategic(body: unknown): unknown {
  return applyPatch(POD, { type: 'strategic', body });
}

function json(...body: unknown[]): unknown {
  return applyPatch(POD, { type: 'json', body });
}

test('a merge patch merges maps, removes nulls, replaces lists and shares the rest', (t) => {
  const patched = applyPatch(POD, {
    type: 'merge',
    body: { metadata: { labels: { a: null, b: '2' } }, spec: { tolerations: [] } },
  });
  t.deepEqual(patched, {
    ...POD,
    metadata: { ...POD.metadata, labels: { b: '2' } },
    spec: { ...POD.spec, tolerations: [] },
  });
  t.is((patched as unknown as typeof POD).spec.containers, POD.spec.containers);
});

test('a patch that changes nothing returns the object itself', (t) => {
  t.is(applyPatch(POD, { type: 'merge', body: { metadata: { labels: { a: '1', z: null } }, spec: {} } }), POD);
  t.is(strategic({ spec: { containers: [{ name: 'c', image: 'one' }] }, metadata: { finalizers: ['x/y'] } }), POD);
  t.is(json({ op: 'replace', path: '/metadata/labels/a', value: '1' }), POD);
});

test('merge patches obey the examples of RFC 7386', (t) => {
  const examples: readonly (readonly [unknown, unknown, unknown])[] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ];
  t.deepEqual(
    examples.map(([target, patch]) => applyMergePatch(target, patch)),
    examples.map(([, , result]) => result),
  );
});

test('a merge patch takes nulls out of objects within lists, as the library of the real server does', (t) => {
  const patch = { a: [{ b: null, c: [null, { d: null }] }, null] };
  t.deepEqual(applyMergePatch({ a: [1] }, patch), { a: [{ c: [null, {}] }, null] });
  t.deepEqual(applyMergePatch({}, patch), { a: [{ c: [null, {}] }, null] });
});

test('applying a merge patch twice is applying it once', (t) => {
  const value = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(value, value, (target, patch) => {
      const once = applyMergePatch(target, patch);
      return applyMergePatch(once, patch) === once;
    }),
  );
  t.pass();
});

test('a strategic patch merges lists by key, at every level', (t) => {
  const patched = strategic({
    spec: {
      containers: [
        { name: 'c', env: [{ name: 'B', value: '2' }] },
        { name: 'e', image: 'three' },
      ],
    },
  });
  t.deepEqual(patched, {
    ...POD,
    spec: {
      ...POD.spec,
      containers: [
        {
          name: 'c',
          image: 'one',
          env: [
            { name: 'B', value: '2' },
            { name: 'A', value: '1' },
          ],
        },
        { name: 'e', image: 'three' },
        { name: 'd', image: 'two' },
      ],
    },
  });
});

function containerNamesAfter(containers: unknown): unknown {
  return (strategic({ spec: { containers } }) as typeof POD).spec.containers.map(({ name }) => name);
}

test('new items come before those that the patch does not name, others keep their order', (t) => {
  t.deepEqual(containerNamesAfter([{ name: 'n', image: 'i' }]), ['n', 'c', 'd']);
  t.deepEqual(containerNamesAfter([{ name: 'd', image: 'i' }]), ['c', 'd']);
  t.deepEqual(containerNamesAfter([{ name: 'd', image: 'i' }, { name: 'c' }]), ['d', 'c']);
});

test('a strategic patch replaces atomic lists and adds to sets', (t) => {
  t.deepEqual(strategic({ spec: { tolerations: [{ key: 'l' }] }, metadata: { finalizers: ['z/w'] } }), {
    ...POD,
    metadata: { ...POD.metadata, finalizers: ['z/w', 'x/y'] },
    spec: { ...POD.spec, tolerations: [{ key: 'l' }] },
  });
});

test('directives delete and replace', (t) => {
  const containersAfter = (body: unknown): unknown => (strategic({ spec: body }) as typeof POD).spec.containers;
  t.deepEqual(containersAfter({ containers: [{ name: 'c', $patch: 'delete' }] }), [{ name: 'd', image: 'two' }]);
  t.deepEqual(containersAfter({ containers: [{ $patch: 'replace' }, { name: 'n', image: 'i' }] }), [
    { name: 'n', image: 'i' },
  ]);
  t.deepEqual(
    containersAfter({
      '$setElementOrder/containers': [{ name: 'd' }, { name: 'c' }],
      containers: [{ name: 'd', image: 'x' }],
    }),
    [{ name: 'd', image: 'x' }, POD.spec.containers[0]],
  );
  t.deepEqual(strategic({ metadata: { $patch: 'replace', name: 'p' } }), { ...POD, metadata: { name: 'p' } });
  t.deepEqual(strategic({ metadata: { '$deleteFromPrimitiveList/finalizers': ['x/y'] } }), {
    ...POD,
    metadata: { ...POD.metadata, finalizers: [] },
  });
  t.deepEqual(strategic({ metadata: { $retainKeys: ['name'] } }), { ...POD, metadata: { name: 'p' } });
});

test('ports merge by container port in pods and by port in services', (t) => {
  const service = { kind: 'Service', spec: { ports: [{ port: 80, name: 'a' }] } };
  const body = { spec: { ports: [{ port: 80, name: 'b' }] } };
  t.deepEqual(applyPatch(service, { type: 'strategic', body }), {
    kind: 'Service',
    spec: { ports: [{ port: 80, name: 'b' }] },
  });
});

test('strategic patches that cannot be read are internal errors, as upstream answers', (t) => {
  t.is(
    answerOf(() => strategic({ spec: { containers: [{ image: 'x' }] } })),
    'map: map[image:x] does not contain declared merge key: name',
  );
  t.is(
    answerOf(() => strategic({ spec: { containers: [{ name: 'c', $patch: 'foo' }] } })),
    'unknown patch type: foo in map: map[$patch:foo name:c]',
  );
});

test('every JSON patch operation does what RFC 6902 says', (t) => {
  const list = { a: [1, 2, 3], 'x/y': { '~': 1 } };
  const apply = (...body: unknown[]): unknown => applyPatch(list, { type: 'json', body });
  t.deepEqual(apply({ op: 'add', path: '/a/1', value: 9 }), { ...list, a: [1, 9, 2, 3] });
  t.deepEqual(apply({ op: 'add', path: '/a/-', value: 9 }), { ...list, a: [1, 2, 3, 9] });
  t.deepEqual(apply({ op: 'remove', path: '/a/0' }), { ...list, a: [2, 3] });
  t.deepEqual(apply({ op: 'replace', path: '/x~1y/~0', value: 2 }), { ...list, 'x/y': { '~': 2 } });
  t.deepEqual(apply({ op: 'move', from: '/a/0', path: '/b' }), { ...list, a: [2, 3], b: 1 });
  t.deepEqual(apply({ op: 'copy', from: '/a', path: '/b' }), { ...list, b: [1, 2, 3] });
  t.is(apply({ op: 'test', path: '/a/2', value: 3 }), list);
});

test('a replace of a missing key adds it', (t) => {
  t.deepEqual(json({ op: 'replace', path: '/metadata/labels/z', value: '1' }), {
    ...POD,
    metadata: { ...POD.metadata, labels: { a: '1', z: '1' } },
  });
});

test('a JSON patch that fails leaves one answer', (t) => {
  const failing = [
    { op: 'test', path: '/metadata/name', value: 'q' },
    { op: 'remove', path: '/metadata/labels/zz' },
    { op: 'add', path: '/no/where/to', value: 1 },
    { op: 'add', path: '/spec/containers/7', value: {} },
    { op: 'frobnicate', path: '/metadata' },
    { op: 'copy', from: '/no/where/to', path: '/metadata/labels/b' },
  ];
  for (const operation of failing) {
    const error = t.throws(() => json(operation), { instanceOf: ApiError }, JSON.stringify(operation));
    t.deepEqual(error.toStatus(), {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'the server rejected our request due to an error in our request',
      reason: 'Invalid',
      details: {},
      code: 422,
    });
  }
});

test('bodies of the wrong shape are bad requests', (t) => {
  t.is(
    answerOf(() => applyPatch(POD, { type: 'json', body: {} })),
    'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
  );
  t.is(
    answerOf(() => applyPatch(POD, { type: 'merge', body: [] })),
    'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
  );
});
