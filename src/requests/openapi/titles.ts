/** Names of groups and operations in OpenAPI documents (pkg/controlplane and apiserver/pkg/endpoints, v1.34). */

const SUFFIX = '.k8s.io';

function wordsOf(group: string): readonly string[] {
  return (group === '' ? 'core' : group.replace(new RegExp(`${SUFFIX.replaceAll('.', '\\.')}$`), '')).split('.');
}

/** The first letter is a capital. */
export function title(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** `AppsV1`, `RbacAuthorizationV1`; without a version that of the group. */
export function groupTitle(group: string, version = ''): string {
  return wordsOf(group).map(title).join('') + title(version);
}

/** `apps_v1`, `rbacAuthorization_v1`; without a version that of the group. */
export function tagOf(group: string, version = ''): string {
  const [first = '', ...rest] = wordsOf(group);
  return [first + rest.map(title).join(''), ...(version === '' ? [] : [version])].join('_');
}
