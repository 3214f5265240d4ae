/** Cluster roles that are made of others (pkg/controller/clusterroleaggregation, v1.34). */
import { compileLabelSelector } from '../selectors/labels.js';
import { isSameJson } from '../values/canonical-json.js';
import type { PolicyRule, Role } from './rbac-objects.js';

/** The rules of the roles that an aggregated one selects, in order of their names, each once; undefined = it is none. */
export function aggregatedRules(
  { metadata, aggregationRule }: Role,
  all: Iterable<Role>,
): readonly PolicyRule[] | undefined {
  if (aggregationRule === undefined) return undefined;
  const others = [...all].filter((each) => each.metadata.name !== metadata.name);
  others.sort((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const selector of aggregationRule.clusterRoleSelectors ?? []) {
    const selected = compileLabelSelector(selector);
    for (const each of others) {
      if (!selected.matches(each.metadata.labels)) continue;
      for (const rule of each.rules ?? []) if (!rules.some((own) => isSameJson(own, rule))) rules.push(rule);
    }
  }
  return rules;
}
