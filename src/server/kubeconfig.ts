import { stringify } from 'yaml';
import type { KeyPair } from './certificates.js';

/** What a client needs to know of a served cluster. */
export interface KubeconfigFacts {
  /** Such as `https://127.0.0.1:6443`. */
  readonly url: string;
  /** The authority's certificate in PEM; absent over plain HTTP. */
  readonly authority?: string | undefined;
  /** The administrator's certificate; absent over plain HTTP. */
  readonly client?: KeyPair | undefined;
  /** The administrator's bearer token. */
  readonly token: string;
}

/** The text of a kubeconfig with one cluster, one user and one context, all named `kubeloom`. */
export function kubeconfigText({ url, authority, client, token }: KubeconfigFacts): string {
  const name = 'kubeloom';
  const cluster = {
    ...(authority === undefined ? {} : { 'certificate-authority-data': base64(authority) }),
    server: url,
  };
  const user = {
    ...(client === undefined
      ? {}
      : { 'client-certificate-data': base64(client.certificate), 'client-key-data': base64(client.key) }),
    token,
  };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ cluster, name }],
    contexts: [{ context: { cluster: name, user: name }, name }],
    'current-context': name,
    users: [{ name, user }],
  };
  return stringify(config, { lineWidth: 0 });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
