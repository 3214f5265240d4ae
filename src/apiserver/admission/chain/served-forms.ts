/** The versions, and groups, in which a resource is served: rules of webhooks and policies mean them by name. */
import { isCustomKind } from '../../../api/custom/custom-kind.js';
import { otherForms } from '../../../api/kinds/version-forms.js';
import type { ResourceKind } from '../../../api/objects/resource-kind.js';
import type { RequestContext } from '../../store/request-context.js';

/** A version of a group. */
export interface ServedForm {
  readonly group: string;
  readonly version: string;
}

const known = new WeakMap<ResourceKind, readonly ServedForm[]>();

/** All of them: that in which its objects are kept, and those in which clients are shown them as well. */
export function servedForms(resource: ResourceKind): readonly ServedForm[] {
  let forms = known.get(resource);
  if (forms === undefined) {
    const { group, version, kind } = resource;
    forms = isCustomKind(resource)
      ? resource.custom.versions.map(({ name }) => ({ group, version: name }))
      : [{ group, version }, ...otherForms(kind).map((form) => ({ group: form.group, version: form.version }))];
    known.set(resource, forms);
  }
  return forms;
}

/** The one in which a request is made: the kept one of what the cluster does by itself, beside the request as well. */
export function askedForm(resource: ResourceKind, { group, version }: RequestContext): ServedForm {
  const asked = servedForms(resource).find((form) => form.group === group && form.version === version);
  return asked ?? { group: resource.group, version: resource.version };
}

/** Whether two are the same. */
export function isSameForm(a: ServedForm, b: ServedForm): boolean {
  return a.group === b.group && a.version === b.version;
}
