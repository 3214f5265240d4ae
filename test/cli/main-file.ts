import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const COMPILED = path.resolve('dist/src/cli/main.js');
/** Written with whatever the compiler writes. */
const COMPILATION = 'dist/tsconfig.tsbuildinfo';

/**
 * The program that `kubeloom` starts: what users have, if it was bundled after the last time that the compiler ran, as
 * `npm test` does it; else what the compiler wrote, so that a test can be run without a bundle. The bundle starts in a
 * third of the time.
 */
export const MAIN = mainFile();

function mainFile(): string {
  const { bin } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly bin: { readonly kubeloom: string } };
  const bundled = statSync(bin.kubeloom, { throwIfNoEntry: false });
  const isCurrent = bundled !== undefined && bundled.mtimeMs >= statSync(COMPILATION).mtimeMs;
  return isCurrent ? path.resolve(bin.kubeloom) : COMPILED;
}
