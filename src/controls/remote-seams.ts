/**
 * What a cluster has for servers outside of it that serve group versions of their own: where they are, what they have
 * told, and the ConfigMap by which they know the front proxy (kube-apiserver's clusterauthenticationtrust controller,
 * v1.34). The authority is another one each time, so that it is shown to readers and never stored.
 */
import type { RemoteService } from '../api/aggregation/remote-service.js';
import type { ApiServer } from '../apiserver/store/server-types.js';
import { remotesBeside } from '../requests/discovery/remote-groups.js';
import type { RequestsOptions } from '../requests/requests.js';

const NAME = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };
/** Keys whose value is the authority of the server. */
const AUTHORITIES = { 'client-ca-file': '', 'requestheader-client-ca-file': '' };
const HEADERS = {
  'requestheader-allowed-names': '["front-proxy-client"]',
  'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
  'requestheader-group-headers': '["X-Remote-Group"]',
  'requestheader-uid-headers': '["X-Remote-Uid"]',
  'requestheader-username-headers': '["X-Remote-User"]',
};

interface ShownMap {
  readonly metadata: { readonly namespace?: string; readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** See the file header. */
export class RemoteSeams {
  readonly services: ReadonlyMap<string, string>;
  readonly told = new Map<string, readonly object[]>();
  /** In PEM, once the cluster is served. */
  authority = '';
  readonly #server: ApiServer;
  readonly #hasMetricsServer: boolean;

  constructor(server: ApiServer, services: ReadonlyMap<string, string>, hasMetricsServer: boolean) {
    this.#server = server;
    this.services = services;
    this.#hasMetricsServer = hasMetricsServer;
  }

  readonly all = (): readonly RemoteService[] => remotesBeside(this.#server, this.#hasMetricsServer);

  /** Makes the ConfigMap, where there is a service that such a server may be behind. */
  open(): void {
    if (this.services.size === 0 || this.#server.find('ConfigMap', NAME) !== undefined) return;
    this.#server.create('ConfigMap', { metadata: NAME, data: { ...AUTHORITIES, ...HEADERS } });
  }

  /** What requests need to show all of that. */
  requestOptions<T extends Pick<RequestsOptions, 'asRead'>>(
    shown: T,
  ): T & Pick<RequestsOptions, 'asRead' | 'toldResources'> {
    if (this.services.size === 0) return shown;
    return {
      ...shown,
      asRead: { ...shown.asRead, ConfigMap: (object) => this.#shown(object as ShownMap) },
      toldResources: ({ name }) => this.told.get(name),
    };
  }

  #shown(map: ShownMap): object {
    const { namespace, name } = map.metadata;
    if (name !== NAME.name || namespace !== NAME.namespace) return map;
    const authorities = Object.keys(AUTHORITIES).map((key) => [key, this.authority]);
    return { ...map, data: { ...map.data, ...(Object.fromEntries(authorities) as Record<string, string>) } };
  }
}
