/**
 * The program in few files: 1,400 modules take 0.8 s to load, these 0.2 s. `dist/bundle` has the places of `dist`, so
 * that entries of threads are found beside `src`; tests and types stay with the modules that the compiler writes.
 */
import { defineConfig } from 'rolldown';

const ENTRIES = {
  'src/index': 'dist/src/index.js',
  'src/scheduler': 'dist/src/doors/scheduler.js',
  'src/faults': 'dist/src/doors/faults.js',
  'src/testing': 'dist/src/doors/testing.js',
  'src/main': 'dist/src/cli/main.js',
  'workers/evaluate-pods': 'dist/workers/evaluate-pods.js',
  'workers/host-cluster': 'dist/workers/host-cluster.js',
  'workers/play-plan': 'dist/workers/play-plan.js',
  'bench/case-process': 'dist/bench/case-process.js',
};

export default defineConfig({
  input: ENTRIES,
  platform: 'node',
  logLevel: 'warn',
  // It starts threads from a file of its own.
  external: ['piscina'],
  output: {
    dir: 'dist/bundle',
    cleanDir: true,
    chunkFileNames: 'src/parts/[name].js',
    sourcemap: true,
    comments: false,
  },
});
