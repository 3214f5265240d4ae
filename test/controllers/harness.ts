import { createApiServer } from '../../src/apiserver/api-server.js';
import type { ApiServer, WatchEvent } from '../../src/apiserver/store/server-types.js';
import type { Kind, KindMap, Pod } from '../../src/api/objects/objects.js';
import { createBus } from '../../src/bus/bus.js';
import type { Bus } from '../../src/bus/bus-types.js';
import {
  createControllerManager,
  type ControllerDefinition,
  type ControllerManager,
} from '../../src/controllers/controller-manager.js';
import type { ControllerSettings } from '../../src/controllers/runtime/controller-settings.js';
import { Metrics } from '../../src/metrics/metrics.js';
import { createKernel, type Kernel } from '../../src/kernel/engine/kernel.js';

/** A control plane without scheduler and kubelets: those are a client that binds pods and reports for them. */
export interface Harness {
  readonly kernel: Kernel;
  readonly server: ApiServer;
  readonly bus: Bus;
  readonly manager: ControllerManager;
  readonly metrics: Metrics;
  /** Every change of the kinds that are watched, in order. */
  readonly log: WatchEvent[];
  /** Runs for this many milliseconds of simulated time. */
  run(forMs: number): Promise<void>;
  /** Objects of a kind in `default`, by name. */
  list<K extends Kind>(kind: K, namespace?: string): readonly KindMap[K][];
  dispose(): void;
}

/** How pods fare. */
export interface HarnessOptions {
  readonly controllers?: readonly string[];
  readonly definitions?: readonly ControllerDefinition[];
  readonly settings?: Partial<ControllerSettings>;
  /** Kinds of objects of which changes are logged. */
  readonly watch?: readonly Kind[];
  /** Whether a pod finds a node and becomes ready. @defaultValue all do */
  readonly runs?: (pod: Pod) => boolean;
  /** Milliseconds from binding to Ready. @defaultValue 10 */
  readonly startMs?: number;
  /** Milliseconds a bound pod takes to stop. @defaultValue 5 */
  readonly stopMs?: number;
  /** One-way latency. @defaultValue 1 */
  readonly latencyMs?: number;
}

/** Builds and starts it all. */
export function createHarness(options: HarnessOptions = {}): Harness {
  const kernel = createKernel({ seed: 'controllers' });
  const server = createApiServer(kernel);
  const bus = createBus(kernel, server, { latency: options.latencyMs ?? 1 });
  const connection = bus.connect('kube-controller-manager');
  const { controllers, definitions, settings, watch = [] } = options;
  const metrics = new Metrics();
  const manager = createControllerManager({ kernel, connection, controllers, definitions, settings, metrics });
  const log: WatchEvent[] = [];
  for (const kind of watch) {
    const resourceVersion = String(server.version);
    server.watch(kind, { resourceVersion }, (event) => log.push(event as WatchEvent));
  }
  runPods(kernel, server, options);
  manager.start();
  return {
    kernel,
    server,
    bus,
    manager,
    metrics,
    log,
    async run(forMs) {
      await kernel.clock.run({ untilMs: kernel.clock.now() + forMs });
    },
    list: (kind, namespace = 'default') => server.list(kind, { namespace }).items,
    dispose() {
      manager.dispose();
      bus.dispose();
      kernel.clock.dispose();
    },
  };
}

/** Scheduler and kubelets in one: every write goes through the API server, as theirs would. */
function runPods(kernel: Kernel, server: ApiServer, options: HarnessOptions): void {
  const { runs = () => true, startMs = 10, stopMs = 5 } = options;
  const { clock } = kernel;
  const stopping = new Set<string>();
  let nextNode = 0;
  const step = (name: { namespace?: string | undefined; name: string }): void => {
    const pod = server.find('Pod', name);
    if (pod === undefined) return;
    const { metadata, spec } = pod;
    if (metadata.deletionTimestamp !== undefined) {
      if (stopping.has(metadata.uid)) return;
      stopping.add(metadata.uid);
      clock.schedule(stopMs, () => {
        if (server.find('Pod', metadata)?.metadata.uid === metadata.uid)
          server.delete('Pod', metadata, { gracePeriodSeconds: 0 });
      });
    } else if (!runs(pod)) return;
    else if (spec.nodeName === undefined) {
      nextNode += 1;
      server.bind({
        metadata: { namespace: metadata.namespace, name: metadata.name },
        target: { name: pinnedNode(pod) ?? `node-${nextNode % 7}` },
      });
    } else if (pod.status.phase === 'Pending') clock.schedule(startMs, () => setReady(kernel, server, metadata, true));
  };
  server.watch('Pod', {}, (event) => {
    if (event.type === 'ADDED' || event.type === 'MODIFIED') {
      const { namespace, name } = event.object.metadata;
      clock.schedule(0, () => step({ namespace, name }));
    }
  });
}

/** The node that a pod names by its affinity, as pods of daemon sets do. */
function pinnedNode({ spec: { affinity } }: Pod): string | undefined {
  const [term] = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return term?.matchFields?.find(({ key }) => key === 'metadata.name')?.values?.[0];
}

/** Reports a pod as Running, and ready or not. */
export function setReady(
  kernel: Kernel,
  server: ApiServer,
  name: { namespace?: string | undefined; name: string },
  isReady: boolean,
): void {
  const stored = server.find('Pod', name);
  if (stored === undefined || stored.metadata.deletionTimestamp !== undefined) return;
  const lastTransitionTime = kernel.timestamps.toTime(kernel.clock.now());
  server.change(
    'Pod',
    name,
    (pod) => ({
      ...pod,
      status: {
        ...pod.status,
        phase: 'Running',
        conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime }],
      },
    }),
    { subresource: 'status' },
  );
}

/** A minimal pod template. */
export function template(image: string, labels: Readonly<Record<string, string>> = { a: 'b' }): object {
  return { metadata: { labels }, spec: { containers: [{ name: 'c', image }] } };
}

/** A Deployment as a user writes it. */
export function deploymentDraft(
  name: string,
  spec: object,
): { readonly metadata: { readonly name: string }; readonly spec: object } {
  return { metadata: { name }, spec: { selector: { matchLabels: { a: 'b' } }, template: template('pause'), ...spec } };
}

/** A replica set as a user writes it. */
export function replicaSetDraft(
  name: string,
  spec: object,
): { readonly metadata: { readonly name: string }; readonly spec: object } {
  return deploymentDraft(name, spec);
}

/** The notes of the events about one object, in order of writing. */
export function notes(harness: Harness, name: string, namespace?: string): string[] {
  return harness
    .list('Event', namespace)
    .filter(({ involvedObject }) => involvedObject.name === name)
    .sort((left, right) => Number(left.metadata.resourceVersion) - Number(right.metadata.resourceVersion))
    .map(({ type, reason, message }) => `${type} ${reason} ${message}`);
}
