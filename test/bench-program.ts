import { statSync } from 'node:fs';
import path from 'node:path';

/** Written with whatever the compiler writes. */
const COMPILATION = 'dist/tsconfig.tsbuildinfo';

/**
 * A program of `bench`: bundled with the tests (`test/rolldown.config.mjs`), if that was after the last time that the
 * compiler ran, else what the compiler wrote. The bundle starts in a third of the time.
 */
export function benchProgram(name: 'conformance' | 'differential'): string {
  const bundled = path.resolve('dist/programs/bench', name, 'main.js');
  const bundledMs = statSync(bundled, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return bundledMs >= statSync(COMPILATION).mtimeMs ? bundled : path.resolve('dist/bench', name, 'main.js');
}
