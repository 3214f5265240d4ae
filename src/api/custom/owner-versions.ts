/**
 * Owners of fields that wrote another version of a custom resource: theirs are found out by reading the object as of
 * that version, which may not know all of it. Mirrors the converter of apimachinery's util/managedfields (v1.34).
 */
import { ApiError } from '../errors/api-error.js';
import { UnreadableVersion, type OwnedVersion, type VersionFinder } from '../ownership/owned-versions.js';
import { typedProblems } from '../ownership/typed-problems.js';
import { inVersion } from './conversion.js';
import type { CustomKind } from './custom-kind.js';
import type { Fields } from './json-schema.js';

/** The versions of a custom kind, seen from the one that is written. */
export function ownedVersions({ group, custom }: CustomKind, written: string): VersionFinder {
  const { definition, ask } = custom;
  const to =
    (version: string) =>
    (object: object): object =>
      readably(() => inVersion(object as Fields, version, definition, ask));
  return (apiVersion) => {
    const { typeKey: key } = custom.all.find(({ name }) => apiVersion === `${group}/${name}`) ?? {};
    if (key === undefined) return gone(apiVersion);
    const problem = (object: object): string | undefined => problemText(typedProblems(object, key));
    return { key, of: to(apiVersion), back: to(written), problem };
  };
}

/** A version that the definition had. */
function gone(apiVersion: string): OwnedVersion {
  const refuse = (): never => {
    throw new UnreadableVersion(`request to convert CR to an invalid group/version: ${apiVersion}`);
  };
  return { key: '', of: refuse, back: refuse };
}

/** @throws UnreadableVersion where the webhook fails */
function readably(convert: () => object): object {
  try {
    return convert();
  } catch (error) {
    throw error instanceof ApiError && error.code === 500 ? new UnreadableVersion(error.message) : error;
  }
}

/** Problems as one text; undefined for none. */
export function problemText(problems: readonly string[]): string | undefined {
  const [first] = problems;
  return problems.length > 1 ? `errors:\n${problems.map((each) => `  ${each}`).join('\n')}` : first;
}
