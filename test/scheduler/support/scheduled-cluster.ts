/** An API server with a scheduler on the bus, and nothing else. */
import type { Draft, EventRecord, Node, Pod } from '../../../src/api/objects/objects.js';
import { createApiServer } from '../../../src/apiserver/api-server.js';
import type { ApiServer } from '../../../src/apiserver/store/server-types.js';
import { createBus } from '../../../src/bus/bus.js';
import type { Bus } from '../../../src/bus/bus-types.js';
import { createKernel, type Kernel } from '../../../src/kernel/engine/kernel.js';
import { createScheduler, type Scheduler, type SchedulerOptions } from '../../../src/scheduler/scheduler.js';

export interface ScheduledCluster {
  readonly kernel: Kernel;
  readonly server: ApiServer;
  readonly bus: Bus;
  readonly scheduler: Scheduler;
  create(...objects: readonly (Node | Pod)[]): void;
  pod(name: string, namespace?: string): Pod;
  /** Runs until nothing is left to do, or for so many simulated milliseconds. */
  run(durationMs?: number): Promise<void>;
  /** Nodes of bound pods by name. */
  placements(): Record<string, string>;
  events(reason: string): readonly EventRecord[];
  dispose(): Promise<void>;
}

/** See the file header. */
export function createScheduledCluster(options: SchedulerOptions = {}, seed = 'seed'): ScheduledCluster {
  const kernel = createKernel({ seed });
  const server = createApiServer(kernel);
  const bus = createBus(kernel, server);
  const scheduler = createScheduler({ kernel, connection: bus.connect('kube-scheduler'), options });
  scheduler.start();
  return {
    kernel,
    server,
    bus,
    scheduler,
    create(...objects) {
      for (const object of objects) {
        const { uid: _uid, resourceVersion: _version, creationTimestamp: _time, ...metadata } = object.metadata;
        const draft = { ...object, metadata } as unknown as Draft;
        if (object.kind === 'Node') {
          server.create('Node', draft);
          // Admission taints new nodes as not ready; nothing here would take that away.
          const { spec } = object as Node;
          server.change('Node', { name: metadata.name }, (node) => ({ ...node, spec }));
        } else server.create('Pod', draft);
      }
    },
    pod: (name, namespace = 'default') => server.get('Pod', { namespace, name }),
    async run(durationMs = 1000) {
      await kernel.clock.run({ untilMs: kernel.clock.now() + durationMs });
    },
    placements() {
      const bound = server.list('Pod').items.filter((pod) => pod.spec.nodeName !== undefined);
      return Object.fromEntries(bound.map((pod) => [pod.metadata.name, pod.spec.nodeName ?? '']));
    },
    events: (reason) => server.list('Event').items.filter((event) => event.reason === reason),
    async dispose() {
      await scheduler.dispose();
      bus.dispose();
      kernel.clock.dispose();
    },
  };
}
