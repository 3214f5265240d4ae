/**
 * An object in the versions in which its owners wrote it, seen from the one that is written now. Mirrors the converter
 * of apimachinery's util/managedfields (v1.34).
 */

/** An object in another version. */
export interface OwnedVersion {
  /** Of its type. */
  readonly key: string;
  readonly of: (object: object) => object;
  /** Undoes `of`. */
  readonly back: (object: object) => object;
  /** What is wrong with an object that is to be of the version. @defaultValue nothing ever is */
  readonly problem?: (object: object) => string | undefined;
}

/** Finds a version; undefined where there is no such. */
export type VersionFinder = (apiVersion: string) => OwnedVersion | undefined;

/** Thrown for an object that is not of a version in which one of its owners wrote: its owners cannot be told. */
export class UnreadableVersion extends Error {}

const same = (object: object): object => object;

/** See the file header. */
export class OwnedVersions {
  readonly #own: OwnedVersion;
  readonly #inVersion: VersionFinder | undefined;
  /** That is written now. */
  readonly apiVersion: string;

  constructor(
    { key, inVersion }: { readonly key: string; readonly inVersion?: VersionFinder | undefined },
    apiVersion: string,
  ) {
    this.#own = { key, of: same, back: same };
    this.#inVersion = inVersion;
    this.apiVersion = apiVersion;
  }

  /** Undefined for a version that there is not. */
  find(apiVersion: string): OwnedVersion | undefined {
    if (apiVersion === this.apiVersion || this.#inVersion === undefined) return this.#own;
    return this.#inVersion(apiVersion);
  }

  /** Whether an object is of a version. */
  canRead(object: object, apiVersion: string): boolean {
    try {
      this.convert(object, apiVersion, '');
      return true;
    } catch (error) {
      if (error instanceof UnreadableVersion) return false;
      throw error;
    }
  }

  /** @param failure - before what is wrong; may be empty. @throws UnreadableVersion */
  convert(object: object, apiVersion: string, failure: string): object {
    const version = this.find(apiVersion) ?? this.#own;
    const converted = version.of(object);
    const problem = version.problem?.(converted);
    if (problem === undefined) return converted;
    throw new UnreadableVersion(failure === '' ? problem : `${failure}: ${problem}`);
  }
}
