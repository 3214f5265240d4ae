/** What looks for a mutant: a search, and files of tests. Each runs in a process of its own, in which the mutant is. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Find } from './hunt.js';
import { moduleOf, mutatedModule, testFileOf, type Mutant } from './mutant.js';
import type { Replacement } from './preload.js';

/** What one finder has come to. */
export interface Found {
  readonly isFound: boolean;
  /** What was found, or why nothing was. */
  readonly text: string;
}

/** A process that takes longer is ended: tests are stuck then, which is a find; a search is just not done. */
const LIMIT_MS = 15 * 60_000;
const NOT_FOUND: Found = { isFound: false, text: 'not found' };
const PRELOAD = new URL('preload.js', import.meta.url).href;
const HUNT = fileURLToPath(new URL('hunt.js', import.meta.url));
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const AVA = join(ROOT, 'node_modules/ava/entrypoints/cli.js');

/** Puts a mutant in place for processes that are given this environment. @param folder - for its file */
export function environmentOf(mutant: Mutant, folder: string): NodeJS.ProcessEnv {
  const file = join(folder, 'mutant.js');
  writeFileSync(file, mutatedModule(mutant));
  const replacement: Replacement = { module: moduleOf(mutant), file };
  const options = `${process.env['NODE_OPTIONS'] ?? ''} --import=${PRELOAD}`.trim();
  return { ...process.env, NODE_OPTIONS: options, KUBELOOM_MUTANT: JSON.stringify(replacement) };
}

/** Searches seeds from 1 on until something is found. */
export async function bySearch(seeds: number, env: NodeJS.ProcessEnv): Promise<Found> {
  const { code, output, errors } = await run([HUNT, '1', String(seeds)], env);
  const [line] = output.split('\n');
  if (line !== undefined && line !== '') {
    const { seed, invariant } = JSON.parse(line) as Find;
    return found(`seed ${seed}: ${invariant}`);
  }
  if (code === undefined) return { isFound: false, text: 'not found in time' };
  return code === 0 ? NOT_FOUND : found(`breaks down: ${errors.trim().split('\n').at(-1) ?? ''}`);
}

/** Runs one file of tests. @returns the title of the first that fails */
export async function byTest(name: string, env: NodeJS.ProcessEnv): Promise<Found> {
  const { code, output } = await run([AVA, '-c', '1', '--tap', testFileOf(name)], env);
  if (code === undefined) return found('never ends');
  if (code === 0) return NOT_FOUND;
  return found(/^not ok \d+ - (.*)$/m.exec(output)?.[1] ?? 'breaks down');
}

function found(text: string): Found {
  return { isFound: true, text };
}

interface Ended {
  /** `undefined` = it did not end by itself. */
  readonly code: number | undefined;
  readonly output: string;
  readonly errors: string;
}

function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env,
      timeout: LIMIT_MS,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? undefined, output, errors }));
  });
}
