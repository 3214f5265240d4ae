/** Manifests as kubectl takes them: files, folders, standard input, and of their objects those with some labels. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseLabelSelector, parseManifests, type Draft } from '../../index.js';
import { fileProblem, readInput } from './read-input.js';
import { UsageError } from './usage-error.js';

/** What is read. */
export interface ManifestFlags {
  readonly manifest?: readonly string[];
  readonly recursive?: true;
  readonly selector?: string;
}

type Manifests = ReturnType<typeof parseManifests>;

/** Standard input. */
export const STDIN = '-';
const STDIN_NAME = 'STDIN';
const MANIFEST = /\.(?:json|ya?ml)$/;

/** Every object, in the order of the options and, within a folder, of names. @throws UsageError, ManifestError */
export function readManifests({ manifest = [], recursive, selector }: ManifestFlags): Manifests {
  if (manifest.indexOf(STDIN) !== manifest.lastIndexOf(STDIN)) {
    throw new UsageError('--manifest - can be given once: standard input has one end');
  }
  const sources = manifest.flatMap((path) => filesOf(path, recursive === true));
  const all = sources.flatMap((path) =>
    path === STDIN ? parseManifests(stdinText(), STDIN_NAME) : parseManifests(readInput('--manifest', path), path),
  );
  const objects = selector === undefined ? all : all.filter(selectedBy(selector));
  if (manifest.length > 0 && objects.length === 0) {
    const chosen = selector === undefined ? '' : ` with --selector ${selector}`;
    throw new UsageError(`--manifest ${manifest.join(' ')}${chosen}: no objects passed to apply`);
  }
  return objects;
}

function filesOf(path: string, isRecursive: boolean): readonly string[] {
  if (path === STDIN || !isFolder(path)) return [path];
  const found = below(path, isRecursive);
  if (found.length > 0) return found;
  const hint = isRecursive ? '' : '; --recursive looks into its folders as well';
  throw new UsageError(`--manifest: ${path} has no file that ends in .json, .yaml or .yml${hint}`);
}

function below(folder: string, isRecursive: boolean): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (isFolder(path)) return isRecursive ? below(path, true) : [];
    return MANIFEST.test(entry.name) ? [path] : [];
  });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function stdinText(): string {
  try {
    return readFileSync(process.stdin.fd, 'utf8');
  } catch (error) {
    throw new UsageError(`--manifest -: cannot read standard input: ${fileProblem(error)}`);
  }
}

function selectedBy(text: string): (document: { readonly draft: Draft }) => boolean {
  const selector = parseLabelSelector(text);
  return ({ draft }) => selector.matches(draft.metadata?.labels ?? {});
}

/** Looks at a selector before anything is read. @throws UsageError */
export function selectorFlag(flag: string): (text: string) => string {
  return (text) => {
    try {
      parseLabelSelector(text);
      return text;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new UsageError(
        `${flag} must be a label selector such as "app=web,tier in (a,b)", got ${JSON.stringify(text)}: ${why}`,
      );
    }
  };
}
