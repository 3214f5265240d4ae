import type { Draft, Pod } from '../../../src/api/objects/objects.js';
import { createHarness, template, type Harness, type HarnessOptions } from '../harness.js';

/** The daemon set that the tests are about. */
export const DAEMON = { namespace: 'default', name: 'd' };

/** A control plane with nodes and only the daemon set controller. */
export function createDaemonScene(nodes: readonly string[], options: HarnessOptions = {}): Harness {
  const harness = createHarness({ controllers: ['daemonset-controller'], ...options });
  for (const name of nodes) harness.server.create('Node', { metadata: { name } });
  for (const name of nodes) untaint(harness, name);
  return harness;
}

/** A node as one that its kubelet has reported as ready. */
export function untaint({ server }: Harness, name: string): void {
  server.patch('Node', { name }, { type: 'merge', body: { spec: { taints: null } } });
}

/** Gives a node one more taint. */
export function taint({ server }: Harness, name: string, key: string, effect: string): void {
  server.change('Node', { name }, (node) => ({
    ...node,
    spec: { ...node.spec, taints: [...(node.spec.taints ?? []), { key, effect }] },
  }));
}

/** A daemon set as a user writes it. */
export function daemonSetDraft(spec: object = {}): Draft {
  return {
    metadata: { name: DAEMON.name },
    spec: { selector: { matchLabels: { a: 'b' } }, template: template('v1'), ...spec },
  };
}

/** Changes the daemon set's image. */
export function update({ server }: Harness, image: string): void {
  server.patch('DaemonSet', DAEMON, { type: 'merge', body: { spec: { template: template(image) } } });
}

/** Nodes of the pods, in order; with `*` after those whose pods are being deleted. */
export function nodesOf(pods: readonly Pod[]): string[] {
  return pods
    .map(({ metadata, spec }) => `${spec.nodeName ?? 'none'}${metadata.deletionTimestamp === undefined ? '' : '*'}`)
    .sort();
}
