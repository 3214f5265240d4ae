/** Packages of their own, beside which their users install kubeloom: each in few files of its own `dist`. */
import { defineConfig } from 'rolldown';

const ENTRIES = { 'artillery-engine-kubeloom': ['index', 'host', 'run-thread'], 'create-kubeloom': ['create'] };

export default defineConfig(
  Object.entries(ENTRIES).map(([packageName, entries]) => ({
    input: Object.fromEntries(entries.map((name) => [name, `dist/packages/${packageName}/src/${name}.js`])),
    platform: 'node',
    logLevel: 'warn',
    external: ['kubeloom'],
    output: { dir: `packages/${packageName}/dist`, cleanDir: true, comments: false },
  })),
);
