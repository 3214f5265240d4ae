/** The rows of src/api/types, out of facts about Go types. */
import { readGoTypes } from './go-types.js';
import { reachableTypes } from './reachable.js';

/** Types that a request or an answer begins with, and are no kinds of a group. */
const ENTRIES = [
  'meta/v1.DeleteOptions',
  'meta/v1.Status',
  'meta/v1.APIGroupList',
  'meta/v1.APIResourceList',
  'meta/v1.APIVersions',
  'core/v1.Binding',
  'policy/v1.Eviction',
  'autoscaling/v1.Scale',
  'autoscaling/v1.HorizontalPodAutoscaler',
  'autoscaling/v2.HorizontalPodAutoscaler',
  'authentication/v1.TokenRequest',
  'authentication/v1.TokenReview',
  'authentication/v1.SelfSubjectReview',
  'authorization/v1.SubjectAccessReview',
  'authorization/v1.LocalSubjectAccessReview',
  'authorization/v1.SelfSubjectAccessReview',
  'authorization/v1.SelfSubjectRulesReview',
  'apiextensions/v1.CustomResourceDefinition',
  'apiregistration/v1.APIService',
];
/** Groups of objects that are served; each object of their `v1` has metadata. */
const GROUPS = [
  'core',
  'apps',
  'batch',
  'policy',
  'networking',
  'rbac',
  'storage',
  'scheduling',
  'coordination',
  'node',
  'discovery',
  'events',
  'certificates',
  'admissionregistration',
  'resource',
  'flowcontrol',
];

/** Rows by package, such as `core/v1`, each sorted. @throws Error for a type that is missing */
export function typeRows(facts: unknown): ReadonlyMap<string, readonly string[]> {
  const types = readGoTypes(facts);
  const kinds = [...types].flatMap(([key, type]) => {
    const isKind = GROUPS.some((group) => key.startsWith(`${group}/v1.`)) && type.isKind && !key.endsWith('List');
    return isKind ? [key] : [];
  });
  const byPackage = new Map<string, string[]>();
  for (const key of [...reachableTypes(types, [...kinds, ...ENTRIES])].sort()) {
    const at = key.lastIndexOf('.');
    const [place, name] = [key.slice(0, at), key.slice(at + 1)];
    const rows = byPackage.get(place) ?? [];
    byPackage.set(place, rows);
    const { fields = [], isAtomic = false } = types.get(key) ?? {};
    rows.push([isAtomic ? `${name}~` : name, ...fields].join(' '));
  }
  return byPackage;
}
