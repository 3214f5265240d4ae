/** What containers that compute see of their cluster: services and endpoints as the API server has them, tokens. */
import type { Service } from '../api/objects/objects.js';
import type { ApiServer } from '../apiserver/store/server-types.js';
import type { ClusterView, ServicePort, TokenQuestion } from '../kubelet/playing/cluster-view.js';

const SERVICE_NAME = 'kubernetes.io/service-name';

/** See the file header. */
export class ContainerView implements ClusterView {
  /** Where tokens come from. @defaultValue nowhere: they are empty */
  issueToken: (question: TokenQuestion) => string = () => '';
  readonly #server: Pick<ApiServer, 'list' | 'find'>;

  constructor(server: Pick<ApiServer, 'list' | 'find'>) {
    this.#server = server;
  }

  services(namespace: string): readonly Service[] {
    const own = this.#server.list('Service', { namespace }).items;
    const master = namespace === 'default' ? undefined : this.service('default', 'kubernetes');
    return master === undefined ? own : [master, ...own];
  }

  service(namespace: string, name: string): Service | undefined {
    return this.#server.find('Service', { namespace, name });
  }

  serviceAt(address: string): Service | undefined {
    return this.#server.list('Service').items.find(({ spec }) => spec.clusterIP === address);
  }

  serviceOfNode(address: string, port: number): ServicePort | undefined {
    for (const service of this.#server.list('Service').items) {
      const found = service.spec.ports?.find(({ nodePort }) => nodePort === port);
      if (found !== undefined) return this.#isNode(address) ? { service, port: found.port } : undefined;
    }
    return undefined;
  }

  endpoints(service: Service, port: number): ReturnType<ClusterView['endpoints']> {
    const { namespace, name } = service.metadata;
    const meant = service.spec.ports?.find((each) => each.port === port);
    if (meant === undefined && service.spec.clusterIP !== 'None') return [];
    const slices = this.#server.list('EndpointSlice', { namespace, labelSelector: `${SERVICE_NAME}=${name}` }).items;
    return slices.flatMap(({ endpoints, ports }) => {
      const target = ports?.find((each) => (each.name ?? '') === (meant?.name ?? ''))?.port ?? port;
      return endpoints
        .filter(({ conditions }) => conditions?.ready !== false)
        .flatMap(({ addresses, hostname }) =>
          addresses.map((address) => ({ address, port: target, ...(hostname === undefined ? {} : { hostname }) })),
        );
    });
  }

  #isNode(address: string): boolean {
    const nodes = this.#server.list('Node').items;
    return nodes.some(({ status }) => status.addresses?.some((each) => each.address === address) === true);
  }

  token(question: TokenQuestion): string {
    return this.issueToken(question);
  }
}
