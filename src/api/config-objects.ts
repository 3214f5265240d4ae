/** What pods are configured with and whom they act as: config maps, secrets, service accounts. */
import type * as core from 'kubernetes-types/core/v1.js';
import type { Stored } from './kube-object.js';

/** Texts, and bytes as base64, by key. */
export type ConfigMap = Stored<core.ConfigMap>;
/** Bytes as base64, by key, of a type that says which keys there must be. */
export type Secret = Stored<core.Secret>;
/** Whom the processes of a pod act as. */
export type ServiceAccount = Stored<core.ServiceAccount>;

/** These kinds by name. */
export interface ConfigKindMap {
  ConfigMap: ConfigMap;
  Secret: Secret;
  ServiceAccount: ServiceAccount;
}
