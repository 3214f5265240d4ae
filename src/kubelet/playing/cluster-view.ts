/** What a container sees of its cluster that no kubelet's watch has told: services, their endpoints, tokens. */
import type { Pod, Service } from '../../api/objects/objects.js';

/** Whose token is asked for. */
export interface TokenQuestion {
  readonly pod: Pod;
  readonly audience: string | undefined;
  readonly expirationSeconds: number;
}

/** See the file header. */
export interface ClusterView {
  /** Services of a namespace, in order of their names, and `kubernetes` of the default one. */
  services(namespace: string): readonly Service[];
  service(namespace: string, name: string): Service | undefined;
  /** The service with that address. */
  serviceAt(address: string): Service | undefined;
  /** The service that all nodes take connections for on that port, if the address is a node's. */
  serviceOfNode(address: string, port: number): ServicePort | undefined;
  /** Ready addresses behind a service, each with the port there that stands for one of the service's. */
  endpoints(
    service: Service,
    port: number,
  ): readonly { readonly address: string; readonly port: number; readonly hostname?: string }[];
  token(question: TokenQuestion): string;
}

/** A service, and one of its ports. */
export interface ServicePort {
  readonly service: Service;
  readonly port: number;
}

/** A cluster in which there is nothing. */
export const NO_VIEW: ClusterView = {
  services: () => [],
  service: () => undefined,
  serviceAt: () => undefined,
  serviceOfNode: () => undefined,
  endpoints: () => [],
  token: () => '',
};
