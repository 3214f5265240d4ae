/** What a cluster has from the start beside what its API server makes: what kind and minikube bring along. */
import { IS_DEFAULT_CLASS } from '../api/default-storage-class.js';
import type { Draft } from '../api/objects.js';
import type { ApiServer } from '../apiserver/server-types.js';

/** Its volumes are reached from every node, and made by the provisioner that serves all CSI drivers. */
const STANDARD_CLASS: Draft = {
  metadata: { name: 'standard', annotations: { [IS_DEFAULT_CLASS]: 'true' } },
  provisioner: 'csi.kubeloom.dev',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
};

/** What of it there is to be. */
export interface InitialObjects {
  /** A storage class `standard`, for claims that name none. */
  readonly defaultStorageClass: boolean;
}

/** See the file header. */
export function createInitialObjects(server: ApiServer, { defaultStorageClass }: InitialObjects): void {
  if (defaultStorageClass) server.create('StorageClass', STANDARD_CLASS);
}
