/** What the measurements run on a served cluster. */
import type { WireObject } from './wire-client.js';

/** A Deployment of equal pods that ask for little. */
export function loadDeployment(name: string, replicas: number, image = 'nginx:1'): WireObject {
  const labels = { app: name };
  const container = { name: 'app', image, resources: { requests: { cpu: '50m', memory: '64Mi' } } };
  const spec = {
    replicas,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [container] } },
  };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec };
}
