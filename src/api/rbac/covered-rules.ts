/** Whether rules allow all that other rules do (component-helpers/auth/rbac/validation/policy_comparator.go, v1.34). */
import type { PolicyRule } from './rbac-objects.js';

const EVERYTHING = '*';

/** What of `wanted` none of the own rules allows, one verb, group, resource and name each. */
export function uncoveredRules(own: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  return wanted.flatMap(singleRules).filter((rule) => !own.some((each) => covers(each, rule)));
}

/** Rules as upstream prints them: those of one resource together, in the order of their texts. */
export function rulesText(rules: readonly PolicyRule[]): string {
  const compact = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const { verbs, ...rest } = rule;
    const key = JSON.stringify(rule.nonResourceURLs === undefined ? rest : rule);
    const known = compact.get(key);
    compact.set(key, known === undefined ? rule : { ...known, verbs: [...known.verbs, ...verbs] });
  }
  return [...new Set([...compact.values()].map(ruleText))].sort().join('\n');
}

function singleRules({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule) {
  const named: readonly Pick<PolicyRule, 'resourceNames'>[] =
    resourceNames.length === 0 ? [{}] : resourceNames.map((name) => ({ resourceNames: [name] }));
  const ofResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        named.map((name): PolicyRule => ({ apiGroups: [group], resources: [resource], verbs: [verb], ...name })),
      ),
    ),
  );
  const ofPaths = nonResourceURLs.flatMap((path) =>
    verbs.map((verb): PolicyRule => ({ nonResourceURLs: [path], verbs: [verb] })),
  );
  return [...ofResources, ...ofPaths];
}

/** @param single - with one verb, group, resource and name, or one verb and path */
function covers(own: PolicyRule, single: PolicyRule): boolean {
  if (!has(own.verbs, single.verbs) || !has(own.apiGroups, single.apiGroups)) return false;
  const hasResource = (single.resources ?? []).every((resource) => {
    const [, part] = resource.split('/', 2);
    return has(own.resources, [resource]) || (part !== undefined && own.resources?.includes(`*/${part}`) === true);
  });
  const hasPath = (single.nonResourceURLs ?? []).every((path) =>
    (own.nonResourceURLs ?? []).some(
      (each) => each === path || (each.endsWith(EVERYTHING) && path.startsWith(each.replace(/\*+$/, ''))),
    ),
  );
  const { resourceNames = [] } = own;
  const isOfAll = resourceNames.length === 0;
  const [name] = single.resourceNames ?? [];
  return hasResource && hasPath && (isOfAll || (name !== undefined && resourceNames.includes(name)));
}

function has(list: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return list.includes(EVERYTHING) || wanted.every((each) => list.includes(each));
}

function ruleText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const fields = Object.entries({
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  });
  const texts = fields.flatMap(([name, values]) =>
    values === undefined || values.length === 0 ? [] : [`${name}:${listText(values)}`],
  );
  return `{${texts.join(', ')}}`;
}

/** As Go prints a list of texts with `%q`. */
export function listText(texts: readonly string[]): string {
  return `[${texts.map((each) => JSON.stringify(each)).join(' ')}]`;
}
