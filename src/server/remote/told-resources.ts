import type { RemoteService } from '../../api/aggregation/remote-service.js';
import { isFields } from '../../api/custom/json-schema.js';

/** A resource of an APIResourceList. */
interface ListedResource {
  readonly name: string;
  readonly singularName?: string;
  readonly namespaced?: boolean;
  readonly kind?: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** An APIResourceList as aggregated discovery tells it (kube-aggregator's discovery manager, v1.34). */
export function toldResources(
  { group, version }: Pick<RemoteService, 'group' | 'version'>,
  { resources }: Readonly<Record<string, unknown>>,
): readonly object[] {
  const listed = Array.isArray(resources) ? resources.filter(isListed) : [];
  const kindOf = (each: ListedResource): object => ({
    group: each.group ?? group,
    version: each.version ?? version,
    kind: each.kind ?? '',
  });
  return listed
    .filter(({ name }) => !name.includes('/'))
    .map((each) => {
      const subresources = listed
        .filter(({ name }) => name.startsWith(`${each.name}/`))
        .map((part) => ({
          subresource: part.name.slice(each.name.length + 1),
          responseKind: kindOf(part),
          verbs: part.verbs ?? [],
        }));
      return {
        resource: each.name,
        responseKind: kindOf(each),
        scope: each.namespaced === true ? 'Namespaced' : 'Cluster',
        singularResource: each.singularName ?? '',
        verbs: each.verbs ?? [],
        ...(each.shortNames === undefined ? {} : { shortNames: each.shortNames }),
        ...(each.categories === undefined ? {} : { categories: each.categories }),
        ...(subresources.length === 0 ? {} : { subresources }),
      };
    });
}

function isListed(value: unknown): value is ListedResource {
  return isFields(value) && typeof value['name'] === 'string';
}
