/** NamespaceLifecycle (staging/src/k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle, v1.34). */
import { forbidden, notFound, type ResourceNames } from '../store/api-errors.js';
import type { Shelf } from '../store/store.js';

/** Namespaces that exist from the start. */
export const INITIAL_NAMESPACES: readonly string[] = ['kube-system', 'kube-public', 'kube-node-lease', 'default'];

const IMMORTAL_NAMESPACES: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

/** New objects need a namespace that exists and is not on its way out. @throws ApiError 404, 403 */
export function guardNamespace(
  namespaces: Shelf<'Namespace'>,
  namespace: string,
  names: ResourceNames,
  objectName: string,
): void {
  const found = namespaces.table.get(undefined, namespace);
  if (found === undefined) throw notFound(namespaces.resource, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbidden(names, objectName, why, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ]);
}

/** @throws ApiError 403 for a namespace that the cluster cannot do without */
export function guardImmortalNamespace(name: string, namespaces: ResourceNames): void {
  if (IMMORTAL_NAMESPACES.has(name)) throw forbidden(namespaces, name, 'this namespace may not be deleted');
}
