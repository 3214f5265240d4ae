import { SUBDOMAIN_MAX_LENGTH } from '../../api/values/names.js';

/** What the names of a controller's pods begin with. Upstream: getPodsPrefix (pkg/controller, v1.34). */
export function podNamePrefix(controllerName: string): string {
  return controllerName.length < SUBDOMAIN_MAX_LENGTH ? `${controllerName}-` : controllerName;
}
