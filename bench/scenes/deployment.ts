import type { Draft } from '../../src/index.js';

/** A Deployment of pods with small requests. */
export function deployment(index: number, replicas: number): Draft {
  const labels = { app: `app-${index}` };
  const containers = [{ name: 'app', image: 'app:1', resources: { requests: { cpu: '100m', memory: '128Mi' } } }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `app-${index}` },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}
