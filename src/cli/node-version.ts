/** The oldest Node that has all that kubeloom uses; the field `engines` of package.json says the same. */
const OLDEST = [22, 20] as const;

/** What is wrong with a version of Node, such as `20.19.5`; `undefined` = nothing. */
export function nodeVersionProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `Node ${OLDEST.join('.')} or newer is needed, got ${version}`;
}
