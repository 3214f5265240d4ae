/**
 * The program with something changed in it, for tests that ask whether the search would find that: a second copy in
 * memory of the modules that are changed and of those that import them, however indirectly; the others have no part in
 * the change, and all copies share them. The files stay as they are, and so does the program that other modules
 * import. What is replaced is compiled JavaScript: types are gone from it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import type * as door from '../../../../src/index.js';
import { mutatedModule, type Mutant } from '../../../mutants/mutant.js';

/** Compiled sources, with a slash at the end. */
const SOURCES = new URL('../../../../src/', import.meta.url).href;

/** A text of one file, which stands there exactly once, and what takes its place. */
export interface SourceChange {
  /** Below `src`, without its ending, such as `controllers/job/status-draft`. */
  readonly file: string;
  readonly text: string;
  readonly becomes: string;
}

/** Everything that the program exports. */
export type Program = typeof door;

/**
 * Loads the program anew with these changes.
 *
 * @param name - unlike those of other copies
 * @throws Error for a text that does not stand in its file exactly once, and for a file that is not loaded
 */
export async function loadBroken(name: string, changes: readonly SourceChange[]): Promise<Program> {
  const pending = new Set(changes);
  const program = await load(name, new Set(changes.map(({ file }) => file)), (path, source) => {
    let text = source;
    for (const change of changes) {
      if (change.file !== path) continue;
      text = changed(text, change);
      pending.delete(change);
    }
    return text;
  });
  const [missing] = pending;
  if (missing !== undefined) throw new Error(`${name}: the program does not load ${missing.file}`);
  return program;
}

/**
 * Loads the program anew with a mutant in it.
 *
 * @param module - its module, where several are compiled at once
 * @throws Error for one that does not fit
 */
export function loadMutant(mutant: Mutant, module = mutatedModule(mutant)): Promise<Program> {
  const own = mutant.file.replace(/\.ts$/, '');
  return load(mutant.bug, new Set([own]), (path, source) => (path === own ? module : source));
}

/**
 * @param files - what is changed, below `src`
 * @param edit - what is loaded of each module that has a copy, by its path below `src`
 */
async function load(
  name: string,
  files: ReadonlySet<string>,
  edit: (path: string, source: string) => string,
): Promise<Program> {
  const copied = withDependents(files);
  // Nothing that a URL would spell otherwise.
  const mark = `?planted=${name.replaceAll(/[^a-zA-Z0-9]+/g, '-')}`;
  const hooks = registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      const isInside = context.parentURL?.endsWith(mark) === true && resolved.url.startsWith(SOURCES);
      return isInside && copied.has(pathOf(resolved.url)) ? { ...resolved, url: resolved.url + mark } : resolved;
    },
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(mark)) return loaded;
      return { ...loaded, source: edit(pathOf(url.slice(0, -mark.length)), textOf(loaded.source)) };
    },
  });
  try {
    return (await import(`${SOURCES}index.js${mark}`)) as Program;
  } finally {
    hooks.deregister();
  }
}

/** Below `src`, without its ending. */
function pathOf(url: string): string {
  return url.slice(SOURCES.length).replace(/\.js$/, '');
}

/** The modules that import each, by paths below `src`. */
let importersByPath: ReadonlyMap<string, readonly string[]> | undefined;

function withDependents(files: ReadonlySet<string>): ReadonlySet<string> {
  importersByPath ??= readImporters();
  const reached = new Set(files);
  // What is added on the way is walked over, too.
  for (const path of reached) for (const importer of importersByPath.get(path) ?? []) reached.add(importer);
  return reached;
}

function readImporters(): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const file of readdirSync(new URL(SOURCES), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.js')) continue;
    const url = new URL(file.replaceAll('\\', '/'), SOURCES);
    for (const [, imported = ''] of readFileSync(url, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
      const path = pathOf(new URL(imported, url).href);
      importers.set(path, [...(importers.get(path) ?? []), pathOf(url.href)]);
    }
  }
  return importers;
}

function textOf(source: string | ArrayBuffer | NodeJS.TypedArray | undefined): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source);
}

function changed(source: string, { file, text, becomes }: SourceChange): string {
  const parts = source.split(text);
  if (parts.length === 2) return parts.join(becomes);
  throw new Error(`this must stand in ${file} exactly once, and stands there ${parts.length - 1} times: ${text}`);
}
