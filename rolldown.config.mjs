/**
 * The program in few files: 1,400 modules take 0.8 s to load, these 0.2 s. `dist/bundle` has the places of `dist`, so
 * that entries of threads are found beside `src`; tests and types stay with the modules that the compiler writes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';

const ENTRIES = {
  'src/index': 'dist/src/index.js',
  'src/scheduler': 'dist/src/doors/scheduler.js',
  'src/faults': 'dist/src/doors/faults.js',
  'src/testing': 'dist/src/doors/testing.js',
  'src/main': 'dist/src/cli/main.js',
  'workers/evaluate-pods': 'dist/workers/evaluate-pods.js',
  'workers/host-cluster': 'dist/workers/host-cluster.js',
  'workers/play-job': 'dist/workers/play-job.js',
  'workers/play-plan': 'dist/workers/play-plan.js',
  'workers/play-variant': 'dist/workers/play-variant.js',
  'bench/case-process': 'dist/bench/case-process.js',
};

const DOORS = ['index', 'scheduler', 'faults', 'testing'];

/** Writes down the licences of the packages whose code is in the bundle, as they ask for. */
const licences = {
  name: 'licences',
  generateBundle(_options, bundle) {
    const ids = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
    const folders = new Set(ids.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
    const texts = [...folders].toSorted().map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
      return `${name} ${version} (${license})\n\n${text}\n`;
    });
    this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-LICENSES.txt', source: texts.join('\n---\n\n') });
  },
};

/** One letter beyond Latin-1 has V8 keep a whole file, and all that it compiles from it, at two bytes a letter. */
const asciiCode = {
  name: 'ascii-code',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      chunk.code = chunk.code.replaceAll(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    }
  },
};

/** Where RxJS has each of its names: its front door loads all of its 200 modules, of which 65 come in with what is in use here. */
const RXJS_MODULES = new Map(
  Array.from(
    readFileSync('node_modules/rxjs/dist/cjs/index.js', 'utf8').matchAll(
      /var (\w+) = require\("\.\/(internal\/[^"]+)"\);\n((?:Object\.defineProperty\(exports, "\w+", .*\n)+)/g,
    ),
    ([, , file, names]) => Array.from(names.matchAll(/exports, "(\w+)"/g), ([, name]) => [name, file]),
  ).flat(),
);

/** Takes each name of RxJS from its own module; these are the very modules that a program has which imports `rxjs`. */
const rxjsModules = {
  name: 'rxjs-modules',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      // On the line where they were: source maps hold.
      chunk.code = chunk.code.replaceAll(/^import \{([^}]+)\} from "rxjs";/gm, (_statement, names) =>
        Array.from(names.matchAll(/(\w+)(?: as [\w$]+)?/g), ([binding, name]) => {
          const file = RXJS_MODULES.get(name);
          if (file === undefined) throw new Error(`RxJS has no ${name}, which ${chunk.fileName} imports`);
          return `import { ${binding} } from "rxjs/${file}";`;
        }).join(' '),
      );
    }
  },
};

/** What is used of prom-client: its front door loads its push gateway and its cluster, and with them the host's HTTP and zlib. */
const PROM_CLIENT = '\0prom-client';
const promClient = {
  name: 'prom-client',
  resolveId: (id) => (id === 'prom-client' ? PROM_CLIENT : undefined),
  load: (id) =>
    id === PROM_CLIENT
      ? ['Counter', 'Gauge', 'Histogram', 'Registry']
          .map((name) => [name, fileURLToPath(import.meta.resolve(`prom-client/lib/${name.toLowerCase()}.js`))])
          .map(([name, file]) => `export { default as ${name} } from ${JSON.stringify(file)};`)
          .join('\n')
      : undefined,
};

/**
 * The doors as `import` finds them: each has the program loaded with what V8 compiled for the last run of it, in Node's own
 * folder for that, which takes half as long. `require` takes the doors themselves, since it cannot wait for them.
 * Not while coverage is taken, which is less exact for code that was compiled before.
 */
const cachedDoors = {
  name: 'cached-doors',
  generateBundle(_options, bundle) {
    for (const door of DOORS) {
      const { exports } = bundle[`src/${door}.js`];
      this.emitFile({
        type: 'asset',
        fileName: `src/cached/${door}.js`,
        source: `import module from 'node:module';
if (process.env.NODE_V8_COVERAGE === undefined) module.enableCompileCache();
export const { ${exports.toSorted().join(', ')} } = await import('../${door}.js');
`,
      });
    }
  },
};

export default defineConfig({
  input: ENTRIES,
  platform: 'node',
  logLevel: 'warn',
  // Piscina starts threads from a file of its own; the program that imports kubeloom and kubeloom share one RxJS; queues and
  // client-node are packages that users install.
  external: ['piscina', '@kubernetes/client-node', 'bullmq', 'ioredis', 'pg', /^rxjs/],
  plugins: [promClient, licences, rxjsModules, asciiCode, cachedDoors],
  output: {
    dir: 'dist/bundle',
    cleanDir: true,
    chunkFileNames: 'src/parts/[name].js',
    sourcemap: true,
    comments: false,
  },
});
