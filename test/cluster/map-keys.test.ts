/** Keys of config maps and labels may be words that every object of the language knows. */
import test from 'ava';
import { createCluster, type Cluster } from '../../src/index.js';

const KEYS = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf'] as const;

/** A mapping with those keys of its own. */
function mapOf(value: string): Readonly<Record<string, string>> {
  return Object.fromEntries(KEYS.map((key) => [key, value]));
}

function manifest(kind: string, data: string): string {
  return `{apiVersion: v1, kind: ${kind}, metadata: {name: m}, ${data}}\n`;
}

/** Pairs in the order of {@link KEYS}. */
function inOrder(map: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function dataOf(cluster: Cluster, kind: 'ConfigMap' | 'Secret' = 'ConfigMap'): Readonly<Record<string, string>> {
  return cluster.get(kind, 'm').data ?? {};
}

test('keys of every object › survive apply, get, and a copy, from YAML and from JSON', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const yaml = `data: {${KEYS.map((key) => `${key}: one`).join(', ')}}`;
  t.is(cluster.apply(manifest('ConfigMap', yaml))[0]?.action, 'created');
  t.deepEqual(inOrder(dataOf(cluster)), Object.entries(mapOf('one')));
  t.is(cluster.apply(manifest('ConfigMap', yaml))[0]?.action, 'unchanged');
  t.is(cluster.apply(manifest('ConfigMap', `data: ${JSON.stringify(mapOf('two'))}`))[0]?.action, 'configured');
  t.deepEqual(inOrder(dataOf(cluster)), Object.entries(mapOf('two')));
  t.deepEqual(inOrder(structuredClone(dataOf(cluster))), Object.entries(mapOf('two')));
  await cluster.dispose();
});

for (const key of KEYS) {
  test(`${key} › comes and goes with the manifest that is applied`, async (t) => {
    const cluster = createCluster({ nodes: 0 });
    cluster.apply(manifest('ConfigMap', 'data: {a: one}'));
    t.is(cluster.apply(manifest('ConfigMap', `data: {a: one, ${key}: two}`))[0]?.action, 'configured');
    t.deepEqual(Object.entries(dataOf(cluster)), [
      ['a', 'one'],
      [key, 'two'],
    ]);
    t.is(cluster.apply(manifest('ConfigMap', 'data: {a: one}'))[0]?.action, 'configured');
    t.deepEqual(Object.keys(dataOf(cluster)), ['a']);
    await cluster.dispose();
  });

  test(`${key} › is added, changed and removed by patches of every type`, async (t) => {
    const cluster = createCluster({ nodes: 0 });
    cluster.create('ConfigMap', { metadata: { name: 'm' }, data: { a: 'one' } });
    const own = (value: string | null): object => ({ data: Object.fromEntries([[key, value]]) });
    for (const type of ['merge', 'strategic'] as const) {
      for (const value of ['one', 'two']) {
        cluster.patch('ConfigMap', 'm', own(value), type);
        t.deepEqual(Object.entries(dataOf(cluster)), [
          ['a', 'one'],
          [key, value],
        ]);
      }
      cluster.patch('ConfigMap', 'm', own(null), type);
      t.deepEqual(Object.keys(dataOf(cluster)), ['a']);
    }
    const path = `/data/${key}`;
    t.throws(() => cluster.patch('ConfigMap', 'm', [{ op: 'remove', path }], 'json'), { name: 'ApiError' });
    cluster.patch('ConfigMap', 'm', [{ op: 'add', path, value: 'one' }], 'json');
    t.deepEqual(Object.keys(dataOf(cluster)), ['a', key]);
    cluster.patch('ConfigMap', 'm', [{ op: 'remove', path }], 'json');
    t.deepEqual(Object.keys(dataOf(cluster)), ['a']);
    await cluster.dispose();
  });
}

test('keys of every object in a secret › survive, as texts and as bytes', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  cluster.apply(manifest('Secret', `stringData: ${JSON.stringify(mapOf('x'))}, data: {valueOf: eQ==}`));
  t.deepEqual(inOrder(dataOf(cluster, 'Secret')), Object.entries(mapOf('eA==')));
  await cluster.dispose();
});

test('keys of every object in a binary map › are no duplicates of those that the other map lacks', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  cluster.apply(manifest('ConfigMap', `data: {constructor: a}, binaryData: {toString: eA==}`));
  t.throws(() => cluster.apply(manifest('ConfigMap', `data: {toString: a}, binaryData: {toString: eA==}`)), {
    message: /data\[toString\]: Invalid value: "toString": duplicate of key present in binaryData/,
  });
  await cluster.dispose();
});

test('labels with such keys › are selected by what objects have, not by what they inherit', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  cluster.create('ConfigMap', { metadata: { name: 'with', labels: { constructor: 'x' } } });
  cluster.create('ConfigMap', { metadata: { name: 'without' } });
  const names = (labelSelector: string): readonly string[] =>
    cluster
      .list('ConfigMap', { labelSelector })
      .map(({ metadata }) => metadata.name)
      .filter((name) => name.startsWith('with'));
  t.deepEqual(names('constructor'), ['with']);
  t.deepEqual(names('!constructor'), ['without']);
  t.deepEqual(names('constructor=x'), ['with']);
  t.deepEqual(names('constructor!=x'), ['without']);
  await cluster.dispose();
});
