/** What an API server makes that nothing inside a cluster asks for, and clients over the network expect. */
import type { Draft } from '../api/objects/objects.js';
import type { ApiServer } from '../apiserver/store/server-types.js';
import type { Kernel } from '../kernel/engine/kernel.js';

const NAME = { name: 'kubernetes' };
/** The range out of which services get their addresses. */
const SERVICE_RANGE: Draft = { metadata: NAME, spec: { cidrs: ['10.96.0.0/12'] } };

/**
 * Makes them, unless they are there. Mirrors pkg/controlplane/controller/defaultservicecidr (v1.34).
 */
export function createServedObjects({ clock, timestamps }: Kernel, server: ApiServer): void {
  if (server.find('ServiceCIDR', NAME) !== undefined) return;
  const created = server.create('ServiceCIDR', SERVICE_RANGE);
  const condition = {
    type: 'Ready',
    status: 'True',
    lastTransitionTime: timestamps.toTime(clock.now()),
    reason: '',
    message: 'Kubernetes default Service CIDR is ready',
  };
  server.update('ServiceCIDR', { ...created, status: { conditions: [condition] } }, 'status');
}
