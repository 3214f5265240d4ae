import { canonicalJson } from '../../api/values/canonical-json.js';

/**
 * A ControllerRevision with its data as Go writes a map, its keys in order: clients compare it with a template byte by
 * byte (pkg/controller/daemon/update.go, v1.34).
 */
export function shownRevision(object: object): object {
  const { data } = object as { readonly data?: unknown };
  return data === undefined ? object : { ...object, data: JSON.parse(canonicalJson(data)) as unknown };
}
