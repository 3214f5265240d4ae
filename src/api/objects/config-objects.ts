/** What pods are configured with, act as and are run by: config maps, secrets, service accounts, runtime classes. */
import type * as core from 'kubernetes-types/core/v1.js';
import type * as node from 'kubernetes-types/node/v1.js';
import type { Stored } from './kube-object.js';

/** Texts, and bytes as base64, by key. */
export type ConfigMap = Stored<core.ConfigMap>;
/** Bytes as base64, by key, of a type that says which keys there must be. */
export type Secret = Stored<core.Secret>;
/** The identity under which the processes of a pod make requests. */
export type ServiceAccount = Stored<core.ServiceAccount>;
/** What runs the containers of a pod, what it takes beside them, and on which nodes it is. */
export type RuntimeClass = Stored<node.RuntimeClass>;

/** These kinds by name. */
export interface ConfigKindMap {
  ConfigMap: ConfigMap;
  Secret: Secret;
  ServiceAccount: ServiceAccount;
  RuntimeClass: RuntimeClass;
}
