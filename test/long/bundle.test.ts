/** What users get: the modules in few files, with the entries of threads and child processes among them. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { Observable } from 'rxjs';
import * as modules from '../../src/index.js';
import * as faults from '../../src/doors/faults.js';
import * as scheduler from '../../src/doors/scheduler.js';
import * as testing from '../../src/doors/testing.js';

const { bin, exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly bin: { readonly kubeloom: string };
  readonly exports: Readonly<
    Record<string, { readonly types: string; readonly require: string; readonly default: string }>
  >;
};
const bundle = (await load('.')) as typeof modules;

function load(door: string): Promise<object> {
  return import(pathToFileURL(exports[door]?.default ?? '').href) as Promise<object>;
}

async function kubeloom(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [bin.kubeloom, ...args]);
  return stdout;
}

test('bundle › each door has the names that its module has', async (t) => {
  const doors = { '.': modules, './scheduler': scheduler, './faults': faults, './testing': testing };
  t.deepEqual(
    Object.keys(exports).filter((door) => door !== './schemas/*'),
    Object.keys(doors),
  );
  for (const [door, exported] of Object.entries(doors)) {
    t.deepEqual(Object.keys(await load(door)).toSorted(), Object.keys(exported).toSorted(), door);
  }
});

test('bundle › a cluster on a thread of the bundle comes to the hash of the modules', async (t) => {
  const options = { nodes: 3, seed: 5 };
  const local = modules.createCluster(options);
  const hosted = await bundle.hostCluster(options);
  await local.run({ limit: '30s' });
  await hosted.run({ limit: '30s' });
  t.is(await hosted.traceHash(), local.traceHash);
  await hosted.dispose();
  await local.dispose();
});

test('bundle › a search plays on threads of the bundle', async (t) => {
  t.regex(await kubeloom('fuzz', '--seeds', '1', '--workers', '1'), /1 seed/);
});

test('bundle › a bench runs its cases in child processes of the bundle', async (t) => {
  const text = await kubeloom(
    'bench',
    'anchor/basic',
    '--mode',
    'algorithm',
    '--pods',
    '20',
    '--rounds',
    '1',
    '--json',
  );
  const { results } = JSON.parse(text) as { readonly results: readonly { readonly outcomes: object }[] };
  t.deepEqual(
    results.map(({ outcomes }) => outcomes),
    [{ placed: 20 }],
  );
});

test('bundle › an import loads what is used of RxJS and not all of it, and none of the host for the network', async (t) => {
  const program = `
    await import(process.argv[1]);
    const { default: { _cache } } = await import('node:module');
    const loaded = process.moduleLoadList.filter((name) => /undici|http2/.test(name));
    console.log(JSON.stringify({ loaded, files: Object.keys(_cache).filter((file) => file.includes('rxjs')) }));`;
  const door = pathToFileURL(exports['.']?.default ?? '').href;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program, door]);
  const { loaded, files } = JSON.parse(stdout) as { readonly loaded: string[]; readonly files: string[] };
  t.deepEqual(loaded, []);
  t.true(files.some((file) => file.endsWith('internal/Observable.js')));
  t.false(files.some((file) => file.endsWith('cjs/index.js')));
});

test('bundle › a cluster of which no number of workers is said has threads where there is a processor for them', async (t) => {
  const program = `
    const { createCluster } = await import(process.argv[1]);
    const { default: { _cache } } = await import('node:module');
    const hashes = [];
    const started = [];
    for (const workers of [{ workers: 0 }, {}]) {
      const scheduler = { percentageOfNodesToScore: 100, minPrefetchWork: 1 };
      const cluster = createCluster({ nodes: 40, seed: 3, clientLimits: 'unlimited', scheduler, ...workers });
      await cluster.ready();
      for (let index = 1; index <= 400; index += 1) {
        const resources = { requests: { memory: index + 'Mi' } };
        const spec = { containers: [{ name: 'app', image: 'app:1', resources }] };
        cluster.create('Pod', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'pod-' + index }, spec });
      }
      await cluster.run({ limit: '1m' });
      hashes.push(cluster.traceHash);
      started.push(Object.keys(_cache).some((file) => file.includes('piscina')));
      await cluster.dispose();
    }
    console.log(JSON.stringify({ hashes, started }));`;
  const door = pathToFileURL(exports['.']?.default ?? '').href;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program, door]);
  const { hashes, started } = JSON.parse(stdout) as { readonly hashes: string[]; readonly started: boolean[] };
  t.is(hashes[0], hashes[1]);
  t.deepEqual(started, [false, availableParallelism() > 1]);
});

test('bundle › a program that requires the doors has the parts of one that imports them', async (t) => {
  const program = `
    const required = require(process.argv[1]);
    import(process.argv[2]).then((imported) => console.log(required.createCluster === imported.createCluster));`;
  const doors = [exports['.']?.require ?? '', exports['.']?.default ?? ''].map((file) => path.resolve(file));
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=commonjs',
    '--eval',
    program,
    ...doors,
  ]);
  t.is(stdout, 'true\n');
});

test('bundle › RxJS is the one of the program, and the licences of what is inside lie beside it', (t) => {
  t.true(bundle.createCluster({ nodes: 0 }).stats$ instanceof Observable);
  t.regex(
    readFileSync('dist/bundle/THIRD-PARTY-LICENSES.txt', 'utf8'),
    /^xstate \d\S+ \(MIT\)\n\n.*Permission is hereby/ms,
  );
});
