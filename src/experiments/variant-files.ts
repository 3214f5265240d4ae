/** The files that a variant names: read from beside it, or carried along with it to where its own are not. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { ClusterPicture } from '../transfer/import/picture.js';
import { clusterOf, findClusterFiles, type ClusterFiles } from '../transfer/import/source-files.js';

/** See the file header. */
export interface VariantFiles {
  /** @throws what the file system throws */
  text(name: string): string;
  /** @throws ImportError, ManifestError */
  cluster(name: string): ClusterPicture;
}

/** A variant with all that it names, by the digests of contents. */
export interface VariantPack {
  /** How messages call it. */
  readonly source: string;
  readonly text: string;
  readonly texts: Readonly<Record<string, string>>;
  readonly clusters: Readonly<
    Record<string, { readonly isFolder: boolean; readonly files: readonly (readonly [name: string, digest: string])[] }>
  >;
}

/** Contents by their digests. */
export type Contents = ReadonlyMap<string, Uint8Array>;

/** Files of a folder; what is read there is told. */
export function filesBeside(
  folder: string,
  onText?: (name: string, text: string) => void,
  onCluster?: (name: string, files: ClusterFiles) => void,
): VariantFiles {
  return {
    text: (name) => {
      const text = readFileSync(resolve(folder, name), 'utf8');
      onText?.(name, text);
      return text;
    },
    cluster: (name) => {
      const path = resolve(folder, name);
      const files = findClusterFiles(path);
      onCluster?.(name, {
        ...files,
        files: files.files.map((file) => ({ ...file, name: relative(path, file.name) || name })),
      });
      return clusterOf(path, files);
    },
  };
}

/** Files of a pack, as its own folder would have them. */
export function filesOfPack({ texts, clusters }: VariantPack, contents: Contents): VariantFiles {
  return {
    text: (name) => Buffer.from(contentOf(contents, texts[name])).toString('utf8'),
    cluster: (name) => {
      const { isFolder = false, files = [] } = clusters[name] ?? {};
      return clusterOf(name, {
        isFolder,
        files: files.map(([file, digest]) => ({ name: file, bytes: contentOf(contents, digest) })),
      });
    },
  };
}

function contentOf(contents: Contents, digest = ''): Uint8Array {
  const bytes = contents.get(digest);
  if (bytes === undefined) throw new TypeError(`a file of the variant was not carried along: ${digest}`);
  return bytes;
}

/** Takes down what a variant names, for a pack of it. */
export class FilePacker {
  readonly #contents = new Map<string, Uint8Array>();

  /** Of all packs. */
  get contents(): Contents {
    return this.#contents;
  }

  /** @param read - reads the variant with the files that it is given */
  pack(source: string, text: string, folder: string, read: (files: VariantFiles) => unknown): VariantPack {
    const texts: Record<string, string> = {};
    const clusters: Record<string, VariantPack['clusters'][string]> = {};
    read(
      filesBeside(
        folder,
        (name, content) => void (texts[name] = this.#keep(Buffer.from(content))),
        (name, { isFolder, files }) => {
          clusters[name] = { isFolder, files: files.map((file) => [file.name, this.#keep(file.bytes)] as const) };
        },
      ),
    );
    return { source, text, texts, clusters };
  }

  #keep(bytes: Uint8Array): string {
    const digest = createHash('sha256').update(bytes).digest('hex');
    this.#contents.set(digest, bytes);
    return digest;
  }
}
