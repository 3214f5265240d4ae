/**
 * Bugs that could be written by mistake, as data: one line each in `mutants.jsonl`, with the text of the product that
 * is replaced and what must notice. A mutant is never on disk: the compiled program is loaded with one module of
 * it changed, see `preload.ts`.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** One line of the file. */
export interface Mutant {
  /** What the bug is, in a few words; unique. */
  readonly bug: string;
  /** Below `src`, such as `controllers/job/pod-tracking.ts`. */
  readonly file: string;
  /** A text of that file, which stands there exactly once. */
  readonly from: string;
  /** What takes its place. */
  readonly to: string;
  /** What must find it, each of them: `search`, and tests by their path below `test` without `.test.ts`. */
  readonly by: readonly string[];
}

/** The finder that is no test. */
export const SEARCH = 'search';

/** The repository, seen from the compiled tests. */
const ROOT = new URL('../../../', import.meta.url);
const TRANSFORM = fileURLToPath(new URL('transform.js', import.meta.url));

/** Every mutant, in the order of the file. @throws SyntaxError for a line that is not JSON */
export function readMutants(): readonly Mutant[] {
  const text = readFileSync(new URL('test/mutants/mutants.jsonl', ROOT), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Mutant);
}

/** Where the module of a mutant is loaded from. */
export function moduleOf({ file }: Mutant): string {
  return new URL(`dist/src/${file.replace(/\.ts$/, '.js')}`, ROOT).href;
}

/** The compiled tests of a name. */
export function testFileOf(name: string): string {
  return fileURLToPath(new URL(`dist/test/${name}.test.js`, ROOT));
}

/** The source of the changed module. @throws Error unless the text stands in its file exactly once */
export function mutatedSource({ bug, file, from, to }: Mutant): string {
  const parts = readFileSync(new URL(`src/${file}`, ROOT), 'utf8').split(from);
  if (parts.length === 2) return parts.join(to);
  throw new Error(
    `${bug}: must stand in src/${file} exactly once, and stands there ${parts.length - 1} times: ${from}`,
  );
}

/** The same as JavaScript. @throws Error as `mutatedSource`, and for what is no program any more */
export function mutatedModule(mutant: Mutant): string {
  const [module = ''] = mutatedModules([mutant]);
  return module;
}

/** The same of several. */
export function mutatedModules(mutants: readonly Mutant[]): readonly string[] {
  // The compiler is no JavaScript, and does not bear the end of a worker thread.
  const { stdout, stderr, status } = spawnSync(process.execPath, [TRANSFORM], {
    input: JSON.stringify(mutants.map(mutatedSource)),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`${mutants.map(({ bug }) => bug).join(', ')}: ${stderr}`);
  return JSON.parse(stdout) as readonly string[];
}
