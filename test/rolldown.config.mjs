/**
 * The tests as `npm test` runs them, bundled with the program: ava gives each file a thread, and to load and compile
 * 1,400 modules in 411 threads costs more than most tests. Those of a room share a file, in which they have their turn
 * one after the other (`tests-of-file.ts`); those that start processes, which wait, or measure the heap keep their own.
 * Each test is in exactly one of them (those of `long/` are run by `npm run test:long`), and `npx ava dist/test/…` runs
 * a single file as the compiler wrote it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineConfig } from 'rolldown';

const TESTS = path.resolve('dist/test');
/** Rooms and files that keep a thread for each file. */
const ALONE = [
  'cli/help',
  'cli/serve',
  'conformance/differential',
  'conformance/stories',
  'conformance/wire',
  'doors',
  'hosted',
  'long',
];
/** Rooms so small that several share a file: a thread with the program in it costs more than what they test. */
const TOGETHER = {
  ground: ['api', 'apiserver', 'bus', 'kernel', 'machines', 'requests', 'schemas', 'shell', 'templates', 'workload'],
  pages: ['bench', 'conformance', 'determinism', 'docs', 'examples', 'inputs', 'mutants', 'packages', 'sweep', ''],
  views: [
    'controls',
    'measurements',
    'observers',
    'offered-load',
    'recording',
    'report',
    'stages',
    'testing',
    'transfer',
  ],
};
const GROUPS = new Map(Object.entries(TOGETHER).flatMap(([group, names]) => names.map((name) => [name, group])));

const names = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.js'))
  .map((file) => file.replace(/\.test\.js$/, '').replaceAll(path.sep, '/'))
  .toSorted();

function isAlone(name) {
  return ALONE.some((each) => name === each || name.startsWith(`${each}/`));
}

/** The file that a test is in with others. */
function fileWith(name) {
  const room = name.slice(0, Math.max(0, name.indexOf('/')));
  return GROUPS.get(room) ?? room;
}

const rooms = Object.groupBy(
  names.filter((name) => !isAlone(name)),
  fileWith,
);
const input = {
  ...Object.fromEntries(names.filter(isAlone).map((name) => [`test/${name}.test`, fileOf(name)])),
  ...Object.fromEntries(Object.keys(rooms).map((room) => [`test/${room}.test`, `room:${room}`])),
  ...Object.fromEntries(
    ['evaluate-pods', 'host-cluster', 'play-job', 'play-plan', 'play-variant'].map((name) => [
      `workers/${name}`,
      `dist/workers/${name}.js`,
    ]),
  ),
};

function fileOf(name) {
  return path.join(TESTS, `${name}.test.js`);
}

/** A room is the tests of its files, each with an `ava` of its own. */
const together = {
  name: 'together',
  resolveId(id, importer = '') {
    if (id.startsWith('room:')) return `\0${id}`;
    const name = path.relative(TESTS, importer).replace(/(?:\.test)?\.js$/, '');
    if (id === 'ava' && importer.startsWith(TESTS) && !isAlone(name)) return `\0ava:${name}`;
    return /^(?:node:|@|[a-z])/.test(id) && !id.startsWith('dist/') ? { id, external: true } : undefined;
  },
  load(id) {
    const [, kind, name = ''] = /^\0(room|ava):(.*)$/.exec(id) ?? [];
    if (kind === 'room') return rooms[name].map((each) => `import ${JSON.stringify(fileOf(each))};`).join('\n');
    if (kind !== 'ava') return undefined;
    const parts = name.split('/');
    const title = parts.slice(parts[0] === fileWith(name) ? 1 : 0).join(' › ');
    return `import test from 'ava';
import { testsOf } from ${JSON.stringify(path.join(TESTS, 'tests-of-file.js'))};
export default testsOf(test, ${JSON.stringify(title)});`;
  },
};

/** Errors name the lines of the sources; tests find files beside the module that the compiler wrote. */
const places = {
  name: 'places',
  load(id) {
    if (!id.startsWith(path.resolve('dist')) || !id.endsWith('.js')) return undefined;
    const code = readFileSync(id, 'utf8');
    const map = JSON.parse(readFileSync(`${id}.map`, 'utf8'));
    const own = JSON.stringify(pathToFileURL(id).href);
    return { code: id.startsWith(TESTS) ? code.replaceAll('import.meta.url', own) : code, map };
  },
};

const tests = defineConfig({
  input,
  platform: 'node',
  treeshake: false,
  logLevel: 'warn',
  checks: { ineffectiveDynamicImport: false },
  plugins: [together, places],
  output: {
    dir: 'dist/rooms',
    cleanDir: true,
    // As deep as the modules of src, see src/kernel/program-file.ts.
    chunkFileNames: 'src/parts/[name].js',
    sourcemap: true,
    codeSplitting: { groups: [{ name: 'program', test: /\/dist\/(?:src|workers)\// }] },
  },
});

/** Programs that tests start (`bench-program.ts`), with what they use and no more. */
const programs = defineConfig({
  input: Object.fromEntries(
    ['conformance', 'differential'].map((name) => [`bench/${name}/main`, `dist/bench/${name}/main.js`]),
  ),
  platform: 'node',
  logLevel: 'warn',
  external: ['piscina', '@kubernetes/client-node', 'bullmq', 'ioredis', 'pg'],
  output: { dir: 'dist/programs', cleanDir: true, chunkFileNames: 'src/parts/[name].js' },
});

export default [tests, programs];
