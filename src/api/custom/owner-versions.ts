/**
 * Owners of fields that wrote another version of a custom resource: theirs are found out by reading the object as of
 * that version, which may not know all of it. Mirrors structured-merge-diff's merge/update.go (v6.3.0) where objects
 * are not converted by a webhook.
 */
import type { ManagedFieldsEntry } from '../objects/kube-object.js';
import { liveProblems } from '../ownership/typed-problems.js';
import { isConvertedByWebhook, type CustomKind } from './custom-kind.js';

/** A write of an object whose fields have owners. */
export interface SharedWrite {
  /** In the version that is written. */
  readonly live: object;
  readonly next: object;
  readonly apiVersion: string;
  readonly manager: string;
}

/** Why owners cannot be found out, if they cannot. */
export function ownerVersionProblem(
  { group, custom }: CustomKind,
  entries: readonly ManagedFieldsEntry[],
  { live, next, apiVersion, manager }: SharedWrite,
): string | undefined {
  if (isConvertedByWebhook(custom)) return undefined;
  const keyOf = (version: string): string | undefined =>
    [...custom.versions, custom.storage].find(({ name }) => version === `${group}/${name}`)?.typeKey;
  const others = entries.filter((entry) => entry.apiVersion !== apiVersion);
  for (const { apiVersion: version } of others) {
    const problem = problemOf(live, keyOf(version));
    if (problem !== undefined) return problem;
  }
  for (const { apiVersion: version, manager: name, operation } of others) {
    const problem = problemOf(next, keyOf(version));
    if (problem !== undefined)
      return `${name === manager && operation === 'Apply' ? UNPRUNED : UNREADABLE}: ${problem}`;
  }
  return undefined;
}

const UNREADABLE = 'failed to convert new object';
const UNPRUNED = 'failed to prune fields: failed to convert merged object to last applied version';

function problemOf(object: object, key: string | undefined): string | undefined {
  return key === undefined ? undefined : problemText(liveProblems(object, key));
}

/** Problems as one text; undefined for none. */
export function problemText(problems: readonly string[]): string | undefined {
  const [first] = problems;
  return problems.length > 1 ? `errors:\n${problems.map((each) => `  ${each}`).join('\n')}` : first;
}
