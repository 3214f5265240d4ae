/** Groups with versions, such as `apps/v1`, as Go reads and writes them (apimachinery's runtime/schema). */

/** A group and a version; either may be empty. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Undefined for a text that has more than two parts; see {@link badGroupVersion}. */
export function readGroupVersion(text: string): GroupVersion | undefined {
  if (text === '/') return { group: '', version: '' };
  const parts = text.split('/');
  const [first = '', version] = parts;
  if (parts.length > 2) return undefined;
  return version === undefined ? { group: '', version: first } : { group: first, version };
}

/** What is said of a text that {@link readGroupVersion} does not read. */
export function badGroupVersion(text: string): string {
  return `unexpected GroupVersion string: ${text}`;
}

/** As it is shown. */
export function groupVersionText({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}
