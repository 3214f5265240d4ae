/** Nodes with leases that are renewed every ten seconds, and the node lifecycle controller, which watches them. */
import type { ExecutionContext } from 'ava';
import type { Node, Pod } from '../../../src/api/objects/objects.js';
import type { ControllerSettings } from '../../../src/controllers/runtime/controller-settings.js';
import { createHarness, type Harness } from '../harness.js';

const CONDITIONS = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable'];

/** What the tests do with the world. */
export interface LifecycleScene extends Harness {
  /** A ready node whose lease is renewed at 0, 10, 20 … s; `zone` is its label. */
  addNode(name: string, zone?: string): void;
  addNodes(count: number, zone: string): void;
  /** The node's kubelet is not heard of any more. */
  silence(...names: readonly string[]): void;
  /** It is heard of again, and says so itself. */
  speak(...names: readonly string[]): void;
  /** A pod that says that it is running and ready, on a node or on none. */
  addPod(name: string, node?: string): void;
  node(name: string): Node;
  pod(name: string): Pod;
  /** Status of a node's Ready condition, as its kubelet or an operator writes it. */
  report(name: string, ready: string): void;
  /** Seconds at which each node first showed what is asked for, in order. */
  firstSeconds(shows: (node: Node) => boolean, sinceMs?: number): [name: string, second: number][];
}

export interface LifecycleOptions {
  readonly controllers?: readonly string[];
  readonly settings?: Partial<ControllerSettings>;
}

function podName(name: string): { readonly namespace: string; readonly name: string } {
  return { namespace: 'default', name };
}

/** First pass: at 2 ms, after both ways of the first lists. */
export function lifecycleScene(
  t: ExecutionContext,
  { controllers = ['node-lifecycle-controller'], settings = {} }: LifecycleOptions = {},
): LifecycleScene {
  const harness = createHarness({ controllers, settings, runs: () => false, stopMs: 1e9, watch: ['Node', 'Pod'] });
  t.teardown(() => harness.dispose());
  const { server, kernel, log } = harness;
  const report = (of: string, ready: string): void => {
    const time = kernel.timestamps.toTime(kernel.clock.now());
    const condition = { type: 'Ready', status: ready, lastHeartbeatTime: time, lastTransitionTime: time };
    server.patch('Node', { name: of }, { type: 'strategic', body: { status: { conditions: [condition] } } }, 'status');
  };
  const addNode = (of: string, zone?: string): void => {
    const labels = zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone };
    const time = kernel.timestamps.toTime(kernel.clock.now());
    const times = { lastHeartbeatTime: time, lastTransitionTime: time };
    const conditions = CONDITIONS.map((type) => ({ type, status: 'False', ...times }));
    server.create('Node', {
      metadata: { name: of, labels },
      status: { conditions: [...conditions, { type: 'Ready', status: 'True', ...times }] },
    });
    server.create('Lease', { metadata: { namespace: 'kube-node-lease', name: of }, spec: {} });
    server.renewLease(of, { firstMs: Math.ceil(kernel.clock.now() / 10_000) * 10_000, periodMs: 10_000 });
  };
  return {
    ...harness,
    addNode,
    addNodes(count, zone) {
      for (let index = 0; index < count; index += 1) addNode(`${zone}-${index}`, zone);
    },
    silence(...names) {
      for (const each of names) server.renewLease(each, undefined);
    },
    speak(...names) {
      for (const each of names) {
        server.renewLease(each, { firstMs: kernel.clock.now(), periodMs: 10_000 });
        report(each, 'True');
      }
    },
    addPod(of, nodeName) {
      const containers = [{ name: 'c', image: 'x' }];
      const spec = nodeName === undefined ? { containers } : { nodeName, containers };
      server.create('Pod', { metadata: podName(of), spec });
      const time = kernel.timestamps.toTime(kernel.clock.now());
      const conditions = ['Initialized', 'Ready', 'ContainersReady'].map((type) => ({
        type,
        status: 'True' as const,
        lastTransitionTime: time,
        ...(type === 'Ready' ? { reason: 'Because', message: 'of that' } : {}),
      }));
      server.change(
        'Pod',
        podName(of),
        (pod) => ({ ...pod, status: { ...pod.status, phase: 'Running' as const, conditions } }),
        { subresource: 'status' },
      );
    },
    node: (of) => server.get('Node', { name: of }),
    pod: (of) => server.get('Pod', podName(of)),
    report,
    firstSeconds(shows, sinceMs = 0) {
      const first = new Map<string, number>();
      for (const event of log) {
        if (event.type === 'BOOKMARK' || event.kind !== 'Node' || event.atMs < sinceMs) continue;
        const node = event.object as unknown as Node;
        if (!shows(node) || first.has(node.metadata.name)) continue;
        first.set(node.metadata.name, Math.floor(event.atMs / 1000));
      }
      return [...first];
    },
  };
}

/** `key:effect` of a node's taints. */
export function taints({ spec }: Node): string[] {
  return (spec.taints ?? []).map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`);
}

export function isUnknown({ status }: Node): boolean {
  return status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'Unknown') === true;
}

export function isEvicting(node: Node): boolean {
  return taints(node).some((taint) => taint.endsWith('NoExecute'));
}
