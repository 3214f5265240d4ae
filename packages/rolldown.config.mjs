/** Packages of their own, beside which their users install kubeloom: each in few files of its own `dist`. */
import { defineConfig } from 'rolldown';

const ENTRIES = ['index', 'host', 'run-thread'];

export default defineConfig({
  input: Object.fromEntries(ENTRIES.map((name) => [name, `dist/packages/artillery-engine-kubeloom/src/${name}.js`])),
  platform: 'node',
  logLevel: 'warn',
  external: ['kubeloom'],
  output: { dir: 'packages/artillery-engine-kubeloom/dist', cleanDir: true, comments: false },
});
