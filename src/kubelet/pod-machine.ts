/**
 * The life of a pod on its node as a machine: admitted, sandbox, image by image and container by
 * container to running, around again at each restart, and to its end. One definition serves all pods;
 * its context is the pod's worker, which does the work. A pod in `idle` owns no timer.
 */
import { setup } from 'xstate';
import { admitPod } from './pod-admission.js';
import {
  beginStopping,
  deleteObject,
  reportEnd,
  reportRejection,
  stopNext,
  type RequestOutcome,
} from './pod-stopping.js';
import type { PodWorker } from './pod-worker.js';

/** What a pod machine hears. */
export type PodEvent =
  /** The machine has been spawned: its actions take effect from now on. */
  | { readonly type: 'pod.begin' }
  /** The object changed in a way that may matter. */
  | { readonly type: 'pod.changed' }
  /** The pod is to end, or to end sooner: deleted, ended by others, or gone. */
  | { readonly type: 'pod.ending' }
  /** A process of the pod has ended. */
  | { readonly type: 'container.exited' }
  /** A request that was waited for was applied, or needs no repetition. */
  | { readonly type: 'request.done' }
  /** A request that was waited for was lost. */
  | { readonly type: 'request.failed' };

/** A status that could not be written is written again with the next batch. */
const STATUS_RETRY_MS = 10_000;

/** XState copies a context once: it holds the worker, which is one and the same for the pod's life. */
export interface PodContext {
  readonly worker: PodWorker;
}

/** Read by the compiler only. */
const TYPES: { readonly context?: PodContext; readonly events?: PodEvent; readonly input?: PodWorker } = {};

interface Args {
  readonly context: PodContext;
}

/** See the file header. */
export const podMachine = setup({
  types: TYPES,
  actions: {
    admit: ({ context: { worker } }) => admitPod(worker),
    plan: ({ context: { worker } }) => worker.makePlan(),
    report: ({ context: { worker } }) => worker.report(),
    openSandbox: ({ context: { worker } }) => worker.openSandbox(),
    closeSandbox: ({ context: { worker } }) => worker.closeSandbox(),
    beginPull: ({ context: { worker } }) => worker.beginPull(),
    keepImage: ({ context: { worker } }) => worker.keepImage(),
    noteImagePresent: ({ context: { worker } }) => worker.noteImagePresent(),
    beginStart: ({ context: { worker } }) => worker.beginStart(),
    startContainer: ({ context: { worker } }) => worker.startContainer(),
    announceBackOffs: ({ context: { worker } }) => worker.announceBackOffs(),
    beginStopping: ({ context: { worker } }) => beginStopping(worker),
    stopNext: ({ context: { worker } }) => stopNext(worker),
    reportEnd: ({ context: { worker }, self }) => reportEnd(worker, (outcome) => self.send(answerOf(outcome))),
    reportRejection: ({ context: { worker }, self }) =>
      reportRejection(worker, (outcome) => self.send(answerOf(outcome))),
    deleteObject: ({ context: { worker }, self }) => deleteObject(worker, (outcome) => self.send(answerOf(outcome))),
  },
  guards: {
    isRejected: ({ context: { worker } }: Args) => worker.rejection !== undefined,
    mustEnd: ({ context: { worker } }: Args) => worker.mustEnd,
    isOver: ({ context: { worker } }: Args) => worker.plan.isOver,
    hasNoSandbox: ({ context: { worker } }: Args) => worker.sandbox.address === undefined,
    hasContainerToStart: ({ context: { worker } }: Args) => worker.next !== undefined,
    imageIsMissing: ({ context: { worker } }: Args) => worker.isImageMissing,
    entersBackOff: ({ context: { worker } }: Args) => worker.plan.backingOff.length > 0,
    hasChangeAhead: ({ context: { worker } }: Args) => worker.plan.dueMs !== Infinity,
    nothingRuns: ({ context: { worker } }: Args) => !worker.hasRunning,
    isGone: ({ context: { worker } }: Args) => worker.isGone,
    isDeleted: ({ context: { worker } }: Args) => worker.pod.metadata.deletionTimestamp !== undefined,
  },
  delays: {
    sandbox: ({ context: { worker } }) => worker.sandboxMs(),
    imagePull: ({ context: { worker } }) => worker.pullMs(),
    containerStart: ({ context: { worker } }) => worker.containerStartMs(),
    nextChange: ({ context: { worker } }) => worker.untilDueMs(),
    statusRetry: STATUS_RETRY_MS,
  },
}).createMachine({
  id: 'pod',
  context: ({ input }) => ({ worker: input }),
  initial: 'spawned',
  on: { 'pod.ending': '.terminating' },
  states: {
    spawned: {
      on: { 'pod.begin': 'admission' },
    },
    admission: {
      entry: 'admit',
      always: [
        { guard: 'isRejected', target: 'rejected' },
        { guard: 'mustEnd', target: 'terminating' },
        { target: 'syncing' },
      ],
    },
    syncing: {
      entry: ['plan', 'report'],
      always: [
        { guard: 'mustEnd', target: 'terminating' },
        { guard: 'isOver', target: 'terminating' },
        { guard: 'hasNoSandbox', target: 'creatingSandbox' },
        { guard: 'hasContainerToStart', target: 'startingContainers' },
        { guard: 'entersBackOff', target: 'enteringBackOff' },
        { guard: 'hasChangeAhead', target: 'waiting' },
        { target: 'idle' },
      ],
    },
    enteringBackOff: {
      entry: 'announceBackOffs',
      always: 'syncing',
    },
    creatingSandbox: {
      after: { sandbox: { target: 'startingContainers', actions: 'openSandbox' } },
    },
    startingContainers: {
      initial: 'choosing',
      states: {
        choosing: {
          always: [
            { guard: 'imageIsMissing', target: 'pullingImage' },
            { guard: 'hasContainerToStart', target: 'startingContainer', actions: 'noteImagePresent' },
            { target: '#pod.syncing' },
          ],
        },
        pullingImage: {
          entry: 'beginPull',
          after: { imagePull: { target: 'startingContainer', actions: 'keepImage' } },
        },
        startingContainer: {
          entry: 'beginStart',
          after: { containerStart: { target: 'choosing', actions: 'startContainer' } },
        },
      },
    },
    waiting: {
      after: { nextChange: 'syncing' },
      on: { 'container.exited': 'syncing', 'pod.changed': 'syncing' },
    },
    idle: {
      on: { 'container.exited': 'syncing', 'pod.changed': 'syncing' },
    },
    terminating: {
      entry: 'beginStopping',
      initial: 'stopping',
      on: { 'pod.ending': { actions: 'stopNext' } },
      states: {
        stopping: {
          on: { 'container.exited': { actions: 'stopNext' } },
          always: { guard: 'nothingRuns', target: 'stopped' },
        },
        stopped: {
          entry: 'closeSandbox',
          always: [{ guard: 'isGone', target: '#pod.finished' }, { target: 'reporting' }],
        },
        reporting: {
          entry: 'reportEnd',
          on: {
            'request.done': [{ guard: 'isDeleted', target: 'deleting' }, { target: '#pod.finished' }],
            'request.failed': 'reportingAgain',
            'pod.ending': { guard: 'isGone', target: '#pod.finished' },
          },
        },
        reportingAgain: {
          after: { statusRetry: 'reporting' },
          on: { 'pod.ending': { guard: 'isGone', target: '#pod.finished' } },
        },
        deleting: {
          entry: 'deleteObject',
          on: {
            'request.done': '#pod.finished',
            'request.failed': 'deletingAgain',
            'pod.ending': { guard: 'isGone', target: '#pod.finished' },
          },
        },
        deletingAgain: {
          after: { statusRetry: 'deleting' },
          on: { 'pod.ending': { guard: 'isGone', target: '#pod.finished' } },
        },
      },
    },
    rejected: {
      initial: 'reporting',
      on: { 'pod.ending': [{ guard: 'isGone', target: 'finished' }, {}] },
      states: {
        reporting: {
          entry: 'reportRejection',
          on: { 'request.done': '#pod.finished', 'request.failed': 'reportingAgain' },
        },
        reportingAgain: {
          after: { statusRetry: 'reporting' },
        },
      },
    },
    finished: { type: 'final' },
  },
});

function answerOf(outcome: RequestOutcome): PodEvent {
  return outcome === 'done' ? { type: 'request.done' } : { type: 'request.failed' };
}
