/**
 * A node as its kubelet keeps it in the API: registered, made ready, and updated when something of it
 * has changed. Every pod's machine lives under it, in one actor system per node. A node that is
 * `ready` owns no timer: its heartbeat is a lease that is computed when it is read.
 */
import { setup, type EventObject } from 'xstate';
import { assert } from '../kernel/assert.js';
import { machineLogic } from '../machines/machine-logic.js';
import type { MachineSubject } from '../machines/trail.js';
import type { PodMachines } from './pods/pod-machines.js';
import type { PodWorker } from './pods/pod-worker.js';

/** What a node machine hears. */
export type NodeEvent =
  | { readonly type: 'pod.added'; readonly worker: PodWorker }
  | { readonly type: 'node.registered' }
  /** The node was registered, and told of, by a process before this one. */
  | { readonly type: 'node.resumed' }
  | { readonly type: 'status.stored' }
  | { readonly type: 'request.failed' }
  /** Something that the node's status tells is different now. */
  | { readonly type: 'node.changed' }
  /** The node is going to be switched off, and says so at once. */
  | { readonly type: 'node.shuttingDown' };

/** A kubelet looks every 100 ms whether its runtime is up before it says Ready for the first time. */
const FIRST_STATUS_MS = 100;

/** What the machine asks of its node. */
export interface NodeDuties extends MachineSubject {
  /** Creates the Node object, or takes over the one that is there. */
  register(): void;
  /** Milliseconds until the next attempt to register. */
  registrationRetryMs(): number;
  createLease(): void;
  reportStatus(): void;
  /** Whether the node's status in the API misses something. */
  readonly isStatusStale: boolean;
  untilNextStatusMs(): number;
  /** Of its pods. */
  readonly machines: PodMachines;
  /** The machine of that pod has come to its end. */
  forget(uid: string): void;
}

/** Read by the compiler only. */
const TYPES: {
  readonly context?: { readonly node: NodeDuties };
  readonly events?: NodeEvent;
  readonly input?: NodeDuties;
} = {};

interface Args {
  readonly context: { readonly node: NodeDuties };
}

/** See the file header. */
export const nodeMachine = setup({
  types: TYPES,
  actions: {
    spawnPod: ({ context: { node }, event, self }) => node.machines.spawn(workerOf(event), self),
    register: ({ context: { node } }) => node.register(),
    createLease: ({ context: { node } }) => node.createLease(),
    reportStatus: ({ context: { node } }) => node.reportStatus(),
    forget: ({ context: { node }, event }) => node.forget(childOf(event)),
  },
  guards: {
    isStatusStale: ({ context: { node } }: Args) => node.isStatusStale,
  },
  delays: {
    registrationRetry: ({ context: { node } }) => node.registrationRetryMs(),
    firstStatus: FIRST_STATUS_MS,
    nextStatus: ({ context: { node } }) => node.untilNextStatusMs(),
  },
}).createMachine({
  id: 'node',
  context: ({ input }) => ({ node: input }),
  initial: 'registering',
  on: {
    'pod.added': { actions: 'spawnPod' },
    'xstate.done.actor.*': { actions: 'forget' },
  },
  states: {
    registering: {
      entry: 'register',
      on: { 'node.registered': 'starting', 'node.resumed': 'ready', 'request.failed': 'registeringAgain' },
    },
    registeringAgain: {
      after: { registrationRetry: 'registering' },
    },
    starting: {
      entry: 'createLease',
      after: { firstStatus: 'reporting' },
    },
    reporting: {
      entry: 'reportStatus',
      on: { 'status.stored': 'ready', 'request.failed': 'changed' },
    },
    ready: {
      always: { guard: 'isStatusStale', target: 'changed' },
      on: { 'node.changed': 'changed', 'node.shuttingDown': 'reporting' },
    },
    changed: {
      after: { nextStatus: 'reporting' },
      on: { 'node.shuttingDown': 'reporting' },
    },
  },
});

/** What node actors are made from. */
export const nodeLogic = machineLogic<NodeEvent, NodeDuties>(
  nodeMachine,
  (node) => ({ node }),
  (node) => node,
);

function workerOf(event: NodeEvent): PodWorker {
  assert(event.type === 'pod.added', `only pod.added brings a worker, not ${event.type}`);
  return event.worker;
}

/** The child that an event of the actor system tells of; its id is the pod's uid. */
function childOf(event: EventObject): string {
  const { actorId } = event as { readonly actorId?: unknown };
  assert(typeof actorId === 'string', `${event.type} must name a child`);
  return actorId;
}
