/**
 * The service `kubernetes` by which pods find the API server, and its slice: there from the start, and made anew when
 * they were deleted. Mirrors pkg/controlplane/controller/kubernetesservice (v1.34), without its rounds of 10 s while
 * there is nothing to make.
 */
import type { Draft } from '../../api/objects/objects.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { ApiServer } from '../store/server-types.js';

const NAME = { namespace: 'default', name: 'kubernetes' };
const ROUND_MS = 10_000;
const SERVICE_PORT = 443;
const SERVER_PORT = 6443;
/** The first address of the range of cluster IPs. */
const CLUSTER_IP = '10.96.0.1';
/** Outside of the ranges of nodes and pods. */
const SERVER_ADDRESS = '172.30.0.1';

const SERVICE: Draft = {
  metadata: { ...NAME, labels: { component: 'apiserver', provider: 'kubernetes' } },
  spec: {
    type: 'ClusterIP',
    clusterIP: CLUSTER_IP,
    ipFamilyPolicy: 'SingleStack',
    sessionAffinity: 'None',
    ports: [{ name: 'https', protocol: 'TCP', port: SERVICE_PORT, targetPort: SERVER_PORT }],
  },
};
const SLICE: Draft = {
  metadata: { ...NAME, labels: { 'kubernetes.io/service-name': NAME.name } },
  addressType: 'IPv4',
  endpoints: [{ addresses: [SERVER_ADDRESS], conditions: { ready: true } }],
  ports: [{ name: 'https', protocol: 'TCP', port: SERVER_PORT }],
};

/** See the file header. @param options - `hasEndpoints: false` is upstream's `--endpoint-reconciler-type=none` */
export function keepKubernetesService(
  { clock }: Kernel,
  server: ApiServer,
  { hasEndpoints = true }: { readonly hasEndpoints?: boolean } = {},
): void {
  let isDue = false;
  const make = (): void => {
    isDue = false;
    if (server.find('Service', NAME) === undefined) server.create('Service', SERVICE);
    if (hasEndpoints && server.find('EndpointSlice', NAME) === undefined) server.create('EndpointSlice', SLICE);
  };
  make();
  for (const kind of ['Service', 'EndpointSlice'] as const) {
    const selection = { namespace: NAME.namespace, fieldSelector: `metadata.name=${NAME.name}` };
    server.watch(kind, { ...selection, resourceVersion: String(server.version) }, ({ type }) => {
      if (type !== 'DELETED' || isDue) return;
      isDue = true;
      clock.schedule(ROUND_MS - (clock.now() % ROUND_MS), make);
    });
  }
}
