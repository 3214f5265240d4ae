/**
 * The programs of the pages: those in TypeScript are compiled, strictly, and all are run. What stands on a page without imports is a part of
 * a program: it is put into one that has a cluster and the other names which the page leaves to its reader.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { createCluster, saveCluster } from '../../../src/index.js';
import { BLOCKS, placeOf } from '../../docs/pages.js';

/** Within the package, which is found there by its name. */
const FOLDER = path.resolve('dist/pages');
const COMPILER = path.resolve('node_modules/typescript/bin/tsc');
const PROGRAMS = BLOCKS.filter(({ language }) => language === 'js' || language === 'ts');

/** What parts of programs stand in. */
const BEFORE = `import { arrivals, createCluster, defineController, hostCluster, keyOf, parseKey, type Draft, type Kind, type Pod } from 'kubeloom';
import { lastValueFrom } from 'rxjs';
// Of the house: a page for contributors names it.
import type { AdmissionPlugin } from '../src/apiserver/admission/chain/admission-plugin.js';
import { definitions, manifest, podNamed, report, url } from './names.mts';
void [arrivals, createCluster, defineController, hostCluster, keyOf, parseKey, lastValueFrom, definitions, manifest, podNamed, report, url];
export type Used = [AdmissionPlugin, Draft, Kind, Pod];
const around = createCluster({ nodes: 5, seed: 1 });
await around.ready();
around.apply(manifest(3));
await around.run({ limit: '30s' });
{
  const cluster = around;
  {
`;
const AFTER = `
    await cluster.run({ limit: '1m' });
    await cluster.dispose();
  }
}
await around.dispose();
`;

const NAMES = `import type { Draft } from 'kubeloom';
const template = (name: string) => ({
  metadata: { labels: { app: name } },
  spec: { containers: [{ name, image: 'registry.example/web:1' }] },
});
export const manifest = (replicas: number): Draft => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: template('web') },
});
export const podNamed = (name: string): Draft => ({ metadata: { name }, spec: template(name).spec });
export const report = (..._told: unknown[]): void => undefined;
export const url = 'data:application/json,{"price":"1"}';
const schema = { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } };
export const definitions: Draft = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.shop.example.com' },
  spec: {
    group: 'shop.example.com',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
};
`;

const LABELLER = `import { defineController, keyOf } from 'kubeloom';
export default ({ label }) => defineController({
  name: 'labeller',
  setup: (context) => context.watch('Pod', { onAdd: (pod) => context.queue.add(keyOf(pod)) }),
  reconcile: () => Promise.resolve(void label),
});
`;

const OPERATOR = `import { defineController, keyOf, type Draft, type Invariant } from 'kubeloom';
export const myOperator = defineController({
  name: 'my-operator',
  setup: (context) => context.watch('ConfigMap', { onAdd: (map) => context.queue.add(keyOf(map)) }),
  reconcile: () => Promise.resolve(),
});
export const myPromise: Invariant = { name: 'mine', promise: 'nothing', onWrite: { Pod: () => undefined } };
export const startObjects: Draft[] = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }];
`;

const LOAD_TEST = `name: wait
namespace: { number: 1 }
steps: [{ name: wait, measurements: [{ method: Sleep, identifier: s, params: { duration: 1s } }] }]
`;

const CONFIG = {
  compilerOptions: {
    strict: true,
    module: 'nodenext',
    target: 'es2024',
    allowImportingTsExtensions: true,
    skipLibCheck: false,
    noEmit: true,
    types: ['node'],
  },
  include: ['*.mts'],
};

/** A page may name a module of its reader's as it is called once it is compiled, and a manifest where it has a function. */
function fitted(text: string): string {
  return text
    .replaceAll("'./my-operator.js'", "'./my-operator.mts'")
    .replaceAll('cluster.apply(manifest)', 'cluster.apply(manifest(300))');
}

function write(name: string, text: string): void {
  writeFileSync(path.join(FOLDER, name), text);
}

const NAMES_OF_PROGRAMS = PROGRAMS.map((block, index) => {
  return `${String(index).padStart(2, '0')}-${block.page.replaceAll(/\W+/g, '-')}-${block.line}.${block.language === 'ts' ? 'mts' : 'mjs'}`;
});

test.before(async () => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(path.join(FOLDER, 'load'), { recursive: true });
  write('names.mts', NAMES);
  write('labeller.js', LABELLER);
  write('my-operator.mts', OPERATOR);
  write('load/config.yaml', LOAD_TEST);
  write('tsconfig.json', JSON.stringify(CONFIG));
  const cluster = createCluster({ nodes: 2 });
  await cluster.ready();
  saveCluster(cluster.export(), path.join(FOLDER, 'dump.json'));
  await cluster.dispose();
  for (const [index, { text }] of PROGRAMS.entries()) {
    const isWhole = /^import /m.test(text);
    write(NAMES_OF_PROGRAMS[index] ?? '', isWhole ? text : BEFORE + fitted(text).replaceAll(/^/gm, '    ') + AFTER);
    if (isWhole) write(NAMES_OF_PROGRAMS[index] ?? '', fitted(text));
  }
});

test('pages › every program in TypeScript compiles, strictly', (t) => {
  t.true(PROGRAMS.length > 10, `${PROGRAMS.length} programs`);
  const { status, stdout } = spawnSync(process.execPath, [COMPILER, '-p', FOLDER], { encoding: 'utf8' });
  t.is(stdout, '');
  t.is(status, 0);
});

test('pages › every program runs to its end', (t) => {
  write(
    'all.mts',
    NAMES_OF_PROGRAMS.map((name) => `await import('./${name}');\nconsole.error('ended ${name}');\n`).join(''),
  );
  const { NODE_TEST_CONTEXT: _outer, ...env } = process.env;
  const { status, stderr, stdout } = spawnSync(process.execPath, ['--no-warnings', 'all.mts'], {
    cwd: FOLDER,
    encoding: 'utf8',
    env,
    timeout: 300_000,
  });
  t.deepEqual(
    [...stderr.matchAll(/^ended (.*)$/gm)].map(([, name = '']) => name),
    NAMES_OF_PROGRAMS,
    stderr,
  );
  t.is(status, 0, PROGRAMS.map(placeOf).join(' ') + stdout + stderr);
});
