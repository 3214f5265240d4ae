/**
 * Files and folders that a cluster is taken over from: manifests, dumps of kubectl, snapshots of kwokctl, must-gather.
 * Of a folder all files are read that can hold objects, in order of their names; those without any are passed over.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { pictureOf, type ClusterPicture } from './picture.js';
import { ImportError } from './import-error.js';
import { type SourceObject } from './source-object.js';
import { digestOf, readBytes } from './source-objects.js';

const OBJECT_FILE = /\.(?:json|ya?ml|ndjson|jsonl)(?:\.gz)?$/;
/** As keys of JSON or YAML. */
const FIELDS_OF_OBJECTS: readonly RegExp[] = [/\bkind["']?\s*:/, /\bapiVersion["']?\s*:/];
/** Of each file in a folder. */
const LOOKED_AT = 1 << 20;
const GZIP = 0x1f8b;
/** Behind which Node.js finds no bytes any more (`Buffer.indexOf`), nor reads a file at once. */
const LONGEST_FILE = 0x7fff_ffff;
const TOO_LONG =
  'is larger than 2 GiB: dump it as several files (`kubectl get pods …`, `kubectl get deploy,rs …`) into one folder';
const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ERR_FS_FILE_TOO_LARGE: TOO_LONG,
};

/** What a cluster is read from, as it lies on the disk. */
export interface ClusterFiles {
  readonly isFolder: boolean;
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

/** See the file header. @throws ImportError, ManifestError that names the file */
export function readCluster(path: string): ClusterPicture {
  return clusterOf(path, findClusterFiles(path));
}

/** Files of a cluster, none of them looked into. @throws ImportError */
export function findClusterFiles(path: string): ClusterFiles {
  const isFolder = attempt(path, () => statSync(path).isDirectory());
  const files = isFolder ? filesBelow(path) : [path];
  return { isFolder, files: files.map((name) => ({ name, bytes: attempt(name, () => readFileSync(name)) })) };
}

/** @param path - how messages call all of them. @throws ImportError, ManifestError that names the file */
export function clusterOf(path: string, { isFolder, files }: ClusterFiles): ClusterPicture {
  const objects: SourceObject[] = [];
  const pieces: Uint8Array[] = [];
  for (const file of files) {
    const bytes = contentOf(file.name, file.bytes);
    if (isFolder && !mayHaveObjects(bytes)) continue;
    for (const object of readBytes(bytes, file.name)) objects.push(object);
    pieces.push(bytes);
  }
  if (objects.length === 0)
    throw new ImportError(path, '', isFolder ? 'has no file with objects in it' : 'has no objects');
  const picture = pictureOf({ objects, digest: digestOf(pieces) });
  if (picture.objects.length > 0) return picture;
  const { strandedPods } = picture.leftOut;
  if (strandedPods > 0)
    throw new ImportError(path, '', `has pods alone, on nodes that are not in it, got ${strandedPods}`);
  const [first] = objects;
  throw new ImportError(path, '', `has no object of a kind that is simulated, got ${String(first?.value['kind'])}`);
}

/** Folders of dumps have answers of other programs beside the objects. */
function mayHaveObjects(bytes: Buffer): boolean {
  const head = bytes.toString('utf8', 0, Math.min(bytes.length, LOOKED_AT));
  return FIELDS_OF_OBJECTS.every((field) => field.test(head));
}

function filesBelow(folder: string): readonly string[] {
  const entries = attempt(folder, () => readdirSync(folder, { withFileTypes: true }));
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return sorted.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return OBJECT_FILE.test(entry.name) ? [path] : [];
  });
}

function contentOf(file: string, { buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  if (bytes.length < 2 || bytes.readUInt16BE(0) !== GZIP) return bytes;
  const content = attempt(file, () => gunzipSync(bytes));
  if (content.length > LONGEST_FILE) throw new ImportError(file, '', TOO_LONG);
  return content;
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new ImportError(path, '', PROBLEMS[code] ?? `cannot be read: ${code}`);
  }
}
