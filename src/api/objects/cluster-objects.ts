/** Objects that every cluster has, by the names and with the content that Kubernetes gives them (v1.34). */
import type { Draft, StringMap } from './objects.js';

/** The service account of pods that name none; every namespace has it. */
export const DEFAULT_SERVICE_ACCOUNT = 'default';
/** The config map by which pods know their API server; every namespace has it. */
export const ROOT_CA_CONFIG_MAP = 'kube-root-ca.crt';

const DESCRIPTION = 'kubernetes.io/description';
const ROOT_CA_DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the ' +
  'internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';
/** Stands for the certificate of the cluster: within the simulation connections have no TLS. */
const ROOT_CA = '-----BEGIN CERTIFICATE-----\na3ViZWxvb20=\n-----END CERTIFICATE-----\n';

/** What the config map holds. */
export const ROOT_CA_DATA: StringMap = Object.freeze({ 'ca.crt': ROOT_CA });

/** Says of the config map what it is for. */
export function describesRootCa(annotations: StringMap | undefined): boolean {
  return (annotations?.[DESCRIPTION] ?? '') !== '';
}

/** The annotations of the config map, beside those that it has. */
export function rootCaAnnotations(annotations: StringMap = {}): StringMap {
  return { ...annotations, [DESCRIPTION]: ROOT_CA_DESCRIPTION };
}

/** The config map of a namespace as it is created. */
export function rootCaDraft(namespace: string): Draft {
  return { metadata: { name: ROOT_CA_CONFIG_MAP, namespace, annotations: rootCaAnnotations() }, data: ROOT_CA_DATA };
}

/** The default account of a namespace as it is created. */
export function defaultAccountDraft(namespace: string): Draft {
  return { metadata: { name: DEFAULT_SERVICE_ACCOUNT, namespace } };
}
