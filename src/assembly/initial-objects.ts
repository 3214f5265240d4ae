/**
 * What a cluster has from the start beside what its API server makes: what controllers would have made in the
 * namespaces of the system, the service of the API server, and what kind and minikube bring along.
 */
import {
  DEFAULT_SERVICE_ACCOUNT,
  defaultAccountDraft,
  ROOT_CA_CONFIG_MAP,
  rootCaDraft,
} from '../api/objects/cluster-objects.js';
import { IS_DEFAULT_CLASS } from '../api/volumes/default-storage-class.js';
import type { Draft, Kind } from '../api/objects/objects.js';
import { INITIAL_NAMESPACES } from '../apiserver/admission/namespace-lifecycle.js';
import { placeDefaultRoles } from './default-roles.js';
import { placeLocalServices } from './local-services.js';
import type { ApiServer } from '../apiserver/store/server-types.js';

/** Its volumes are reached from every node, and made by the provisioner that serves all CSI drivers. */
const STANDARD_CLASS: Draft = {
  metadata: { name: 'standard', annotations: { [IS_DEFAULT_CLASS]: 'true' } },
  provisioner: 'csi.kubeloom.dev',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
};

/** What of it there is to be. */
export interface InitialObjects {
  /** The account `default` of each namespace. */
  readonly serviceAccounts: boolean;
  /** The config map `kube-root-ca.crt` of each namespace. */
  readonly rootCas: boolean;
  /** When the roles and APIServices were made that every cluster has; absent = they are not there. */
  readonly rolesSince?: string | undefined;
  /** A storage class `standard`, for claims that name none. */
  readonly defaultStorageClass: boolean;
}

/** See the file header. */
export function createInitialObjects(
  server: ApiServer,
  { serviceAccounts, rootCas, defaultStorageClass, rolesSince }: InitialObjects,
): void {
  // What was taken over from another cluster is left as it is.
  const isMissing = (kind: Kind, namespace: string, name: string): boolean =>
    server.find(kind, { namespace, name }) === undefined;
  const { beginsAs } = server;
  server.beginsAs = 'kube-controller-manager';
  for (const namespace of INITIAL_NAMESPACES) {
    if (serviceAccounts && isMissing('ServiceAccount', namespace, DEFAULT_SERVICE_ACCOUNT))
      server.create('ServiceAccount', defaultAccountDraft(namespace));
    if (rootCas && isMissing('ConfigMap', namespace, ROOT_CA_CONFIG_MAP))
      server.create('ConfigMap', rootCaDraft(namespace));
  }
  server.beginsAs = beginsAs;
  if (rolesSince !== undefined) {
    placeDefaultRoles(server, rolesSince);
    placeLocalServices(server, rolesSince);
  }
  if (defaultStorageClass && isMissing('StorageClass', '', 'standard')) server.create('StorageClass', STANDARD_CLASS);
}
