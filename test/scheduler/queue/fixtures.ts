import type { Pod } from '../../../src/api/objects/objects.js';
import { VirtualClock } from '../../../src/kernel/engine/virtual-clock.js';
import type { QueueingHintMap } from '../../../src/scheduler/framework/cluster-event.js';
import {
  ActionType,
  clusterEvent,
  QueueingHint,
  type EventResource,
  type QueueingHintFn,
} from '../../../src/scheduler/framework/cluster-event.js';
import type { QueuedPodInfo } from '../../../src/scheduler/framework/interface.js';
import { PrioritySort } from '../../../src/scheduler/plugins/priority-sort.js';
import { SchedulingGates } from '../../../src/scheduler/plugins/scheduling-gates.js';
import type {
  QueueProfile,
  SchedulingQueue,
  SchedulingQueueOptions,
} from '../../../src/scheduler/queue/queue-types.js';
import { createSchedulingQueue } from '../../../src/scheduler/queue/scheduling-queue.js';

export interface PodOptions {
  readonly priority?: number;
  readonly labels?: Record<string, string>;
  readonly gates?: readonly string[];
  readonly nodeName?: string;
  readonly nominatedNodeName?: string;
  readonly cpu?: string;
  readonly uid?: string;
  readonly spec?: Partial<Pod['spec']>;
  readonly namespace?: string;
}

export function podOf(name: string, options: PodOptions = {}): Pod {
  const { priority, labels, gates, nodeName, nominatedNodeName, cpu, namespace = 'default' } = options;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid: options.uid ?? `uid-${name}`,
      resourceVersion: '1',
      creationTimestamp: '2030-01-01T00:00:00Z',
      ...(labels === undefined ? {} : { labels }),
    },
    spec: {
      containers: [
        { name: 'main', image: 'app:1', ...(cpu === undefined ? {} : { resources: { requests: { cpu } } }) },
      ],
      ...(priority === undefined ? {} : { priority }),
      ...(gates === undefined ? {} : { schedulingGates: gates.map((gate) => ({ name: gate })) }),
      ...(nodeName === undefined ? {} : { nodeName }),
      ...options.spec,
    },
    status: { phase: 'Pending', ...(nominatedNodeName === undefined ? {} : { nominatedNodeName }) },
  };
}

export function registered(
  plugin: string,
  resource: EventResource,
  actionType: number,
  hint?: QueueingHintFn,
): QueueingHintMap[number] {
  return { event: clusterEvent(resource, actionType), functions: [{ plugin, hint }] };
}

export const always: QueueingHintFn = () => QueueingHint.Queue;
export const never: QueueingHintFn = () => QueueingHint.Skip;

export const NODE_ADD = clusterEvent('Node', ActionType.Add, 'NodeAdd');
export const FIT_HINTS: QueueingHintMap = [registered('Fit', 'Node', ActionType.Add)];

export const gates = new SchedulingGates();

export const GATE_HINTS: QueueingHintMap = gates
  .eventsToRegister()
  .map(({ event, hint }) => ({ event, functions: [{ plugin: gates.name, hint }] }));

export interface Setup {
  readonly clock: VirtualClock;
  readonly queue: SchedulingQueue;
  /** How often the queue said that it is ready. */
  readonly ready: { count: number };
  readonly at: (ms: number) => Promise<void>;
  readonly popName: () => string | undefined;
  readonly mustPop: () => QueuedPodInfo;
  /** Brings a popped pod back as rejected by these plugins. */
  readonly reject: (info: QueuedPodInfo, ...plugins: string[]) => void;
  readonly depths: () => string;
}

/** Settings of a queue with one profile unless `profiles` says otherwise. */
export type SetupOptions = Partial<SchedulingQueueOptions & QueueProfile>;

export function setUp({ hints = FIT_HINTS, preEnqueue = [], ...options }: SetupOptions = {}): Setup {
  const clock = new VirtualClock();
  const profiles = new Map([['default-scheduler', { hints, preEnqueue }]]);
  const queue = createSchedulingQueue({ clock, queueSort: new PrioritySort(), profiles, ...options });
  const ready = { count: 0 };
  queue.setOnReady(() => {
    ready.count += 1;
  });
  return {
    clock,
    queue,
    ready,
    async at(ms) {
      await clock.run({ untilMs: ms });
    },
    popName: () => queue.pop()?.podInfo.pod.metadata.name,
    mustPop() {
      const info = queue.pop();
      if (info === undefined) throw new Error('nothing to pop');
      return info;
    },
    reject(info, ...plugins) {
      info.unschedulablePlugins = new Set(plugins);
      queue.addUnschedulableIfNotPresent(info);
    },
    depths() {
      const { active, backoff, unschedulable, gated, inFlight } = queue.depths();
      return `active ${active}, backoff ${backoff}, unschedulable ${unschedulable}, gated ${gated}, in flight ${inFlight}`;
    },
  };
}
