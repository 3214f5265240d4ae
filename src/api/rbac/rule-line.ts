import type { PolicyRule } from './rbac-objects.js';

/** The rule of a line as default-roles.ts has them. */
export function ruleOf(line: string): PolicyRule {
  const [verbs = '', groups = '', resources = '', names] = line.split(' ');
  if (groups === 'paths') return { verbs: verbs.split(','), nonResourceURLs: resources.split(',') };
  return {
    verbs: verbs.split(','),
    apiGroups: groups.split(',').map((group) => (group === 'core' ? '' : group)),
    resources: resources.split(','),
    ...(names === undefined ? {} : { resourceNames: names.split(',') }),
  };
}
