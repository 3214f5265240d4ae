/**
 * The life of a pod on its node as a machine: admitted, sandbox, image by image and container by
 * container to running, around again at each restart, and to its end. One definition serves all pods;
 * its context is the pod's worker, which does the work. A pod in `idle` owns no timer.
 *
 * `syncing` is where every round begins: it looks at what runs, writes the status, and decides. From there
 * a round is `killing` → `creatingSandbox` → `startingContainers`, each only if there is something to do,
 * and back. While a round is under way, what happens is noticed in the next one, as upstream.
 */
import { setup } from 'xstate';
import { hasKills, nextKillStepMs } from './container-kill.js';
import * as start from './container-start.js';
import { machineLogic } from '../../machines/machine-logic.js';
import { admitPod, askForNode, preemptNext } from './pod-admission.js';
import * as devices from './pod-devices.js';
import * as sandbox from './pod-sandbox.js';
import * as stopping from './pod-stopping.js';
import type { PodWorker } from './pod-worker.js';
import { MOUNT_TIMEOUT_MS } from '../volumes/pod-volumes.js';

/** What a pod machine hears. */
export type PodEvent =
  /** The machine has been spawned: its actions take effect from now on. */
  | { readonly type: 'pod.begin' }
  /** The object changed in a way that may matter. */
  | { readonly type: 'pod.changed' }
  /** The pod is to end, or to end sooner: deleted, ended by others, condemned, or gone. */
  | { readonly type: 'pod.ending' }
  /** A process of the pod has ended, or the runtime has lost something of it. */
  | { readonly type: 'runtime.changed' }
  /** A pod that had to make room has ended. */
  | { readonly type: 'room.made' }
  /** There is something to be seen of the pod's volumes. */
  | { readonly type: 'volumes.changed' }
  /** What is recorded of a probe has changed. */
  | { readonly type: 'probes.changed' }
  /** The pod's devices are prepared, or cannot be. */
  | { readonly type: 'devices.answered' }
  /** The pull that was asked for is over. */
  | { readonly type: 'image.pulled' }
  /** A request that was waited for was applied, or needs no repetition. */
  | { readonly type: 'request.done' }
  /** A request that was waited for was lost. */
  | { readonly type: 'request.failed' };

/** A status that could not be written is written again with the next batch. */
export const STATUS_RETRY_MS = 10_000;

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
    askForNode: ({ context: { worker }, self }) => askForNode(worker, () => self.send({ type: 'request.done' })),
    preemptNext: ({ context: { worker } }) => preemptNext(worker),
    plan: ({ context: { worker } }) => worker.makePlan(),
    report: ({ context: { worker } }) => worker.report(),
    beginRetry: ({ context: { worker } }) => worker.beginRetry(),
    beginStopRetry: ({ context: { worker } }) => worker.beginStopRetry(),
    noteReadiness: ({ context: { worker } }) => worker.noteReadiness(),
    beginVolumes: ({ context: { worker } }) => worker.volumes?.beginWait(),
    failVolumes: ({ context: { worker } }) => worker.failVolumes(),
    releaseVolumes: ({ context: { worker } }) => worker.volumes?.release(),
    announceSandboxChange: ({ context: { worker } }) => sandbox.announceSandboxChange(worker),
    beginKills: ({ context: { worker } }) => stopping.beginKills(worker),
    advanceKills: ({ context: { worker } }) => stopping.advanceSyncKills(worker),
    endKills: ({ context: { worker } }) => stopping.endSyncKills(worker),
    prepareDevices: ({ context: { worker }, self }) =>
      devices.prepareDevices(worker, (problem) => {
        worker.deviceProblem = problem;
        self.send({ type: 'devices.answered' });
      }),
    failDevices: ({ context: { worker } }) => devices.failDevices(worker),
    beginSandbox: ({ context: { worker } }) => sandbox.beginSandbox(worker),
    openSandbox: ({ context: { worker } }) => sandbox.openSandbox(worker),
    failSandbox: ({ context: { worker } }) => sandbox.failSandbox(worker),
    closeSandbox: ({ context: { worker } }) => sandbox.closeSandbox(worker),
    choose: ({ context: { worker } }) => {
      worker.step = start.chooseStep(worker);
    },
    dropStarted: ({ context: { worker } }) => start.dropStarted(worker),
    dropFailed: ({ context: { worker } }) => start.dropFailed(worker),
    beginPull: ({ context: { worker } }) => start.beginPull(worker),
    endPull: ({ context: { worker } }) => start.endPull(worker),
    noteImagePresent: ({ context: { worker } }) => start.noteImagePresent(worker),
    beginCreation: ({ context: { worker } }) => start.beginCreation(worker),
    startContainer: ({ context: { worker } }) => start.startContainer(worker),
    failCreation: ({ context: { worker } }) => start.failCreation(worker),
    beginPostStart: ({ context: { worker } }) => start.beginPostStart(worker),
    failPostStart: ({ context: { worker } }) => start.failPostStart(worker),
    beginStopping: ({ context: { worker } }) => stopping.beginStopping(worker),
    advanceStop: ({ context: { worker } }) => stopping.advanceStop(worker),
    shortenGrace: ({ context: { worker } }) => stopping.shortenGrace(worker),
    stopProbes: ({ context: { worker } }) => worker.stopProbes(),
    noteStopped: ({ context: { worker } }) => worker.node.situation.onStopped?.(),
    reportEnd: ({ context: { worker }, self }) => stopping.reportEnd(worker, (outcome) => self.send(answerOf(outcome))),
    reportRejection: ({ context: { worker }, self }) =>
      stopping.reportRejection(worker, (outcome) => self.send(answerOf(outcome))),
    deleteObject: ({ context: { worker }, self }) =>
      stopping.deleteObject(worker, (outcome) => self.send(answerOf(outcome))),
  },
  guards: {
    awaitsNode: ({ context: { worker } }: Args) => worker.awaits === 'node',
    awaitsRoom: ({ context: { worker } }: Args) => worker.awaits === 'room',
    hasRoom: ({ context: { worker } }: Args) => worker.awaits === undefined,
    isRejected: ({ context: { worker } }: Args) => worker.rejection !== undefined,
    mustEnd: ({ context: { worker } }: Args) => worker.mustEnd || worker.isOver,
    awaitsVolumes: ({ context: { worker } }: Args) => worker.volumes?.isReady === false,
    failsVolumes: ({ context: { worker } }: Args) => worker.volumes?.hasFailed === true,
    hasMounts: ({ context: { worker } }: Args) => worker.volumes?.isReleased === false,
    mustKill: ({ context: { worker } }: Args) =>
      worker.plan.kill.length > 0 || (worker.plan.killsPod && worker.hasRunning),
    mustPrepareDevices: ({ context: { worker } }: Args) => devices.mustPrepareDevices(worker),
    failsDevices: ({ context: { worker } }: Args) => worker.deviceProblem !== undefined,
    mustCreateSandbox: ({ context: { worker } }: Args) => worker.plan.createsSandbox && !worker.sandbox.isReady,
    hasContainerToStart: ({ context: { worker } }: Args) => worker.next !== undefined,
    hasChangeAhead: ({ context: { worker } }: Args) => worker.plan.dueMs !== Infinity,
    hasFailedKill: ({ context: { worker } }: Args) => worker.hasFailedKill,
    hasNoKills: ({ context: { worker } }: Args) => !hasKills(worker.records),
    hasKillStepAhead: ({ context: { worker } }: Args) => nextKillStepMs(worker.records) !== Infinity,
    failsSandbox: ({ context: { worker } }: Args) => sandbox.failsSandbox(worker),
    mustPull: ({ context: { worker } }: Args) => worker.step === 'pull',
    mustCreate: ({ context: { worker } }: Args) => worker.step === 'create',
    mustSkip: ({ context: { worker } }: Args) => worker.step === 'skip',
    failsPull: ({ context: { worker } }: Args) => start.hasPullFailed(worker),
    mustTryAgain: ({ context: { worker } }: Args) => worker.hasFailedStart && !worker.isWoken,
    failsCreation: ({ context: { worker } }: Args) => start.failsCreation(worker),
    hasPostStart: ({ context: { worker } }: Args) => start.hasPostStart(worker),
    hasEndedPostStart: ({ context: { worker } }: Args) => start.hasPostStartEnded(worker),
    failsPostStart: ({ context: { worker } }: Args) => start.hasPostStartFailed(worker),
    nothingRuns: ({ context: { worker } }: Args) => !worker.isStopping,
    isGone: ({ context: { worker } }: Args) => worker.isGone,
    isDeleted: ({ context: { worker } }: Args) => worker.pod.metadata.deletionTimestamp !== undefined,
  },
  delays: {
    stepEnd: ({ context: { worker } }) => worker.untilStepEndMs(),
    killStep: ({ context: { worker } }) => nextKillStepMs(worker.records) - worker.nowMs,
    nextChange: ({ context: { worker } }) => worker.untilDueMs(),
    volumeTimeout: MOUNT_TIMEOUT_MS,
    statusRetry: STATUS_RETRY_MS,
    syncRetry: ({ context: { worker } }) => worker.untilRetryMs(),
  },
}).createMachine({
  id: 'pod',
  context: ({ input }) => ({ worker: input }),
  initial: 'spawned',
  on: {
    'pod.ending': '.terminating',
    'probes.changed': { actions: 'noteReadiness' },
  },
  states: {
    spawned: {
      on: { 'pod.begin': 'admission' },
    },
    admission: {
      entry: 'admit',
      always: [
        { guard: 'awaitsNode', target: 'askingForNode' },
        { guard: 'isRejected', target: 'rejected' },
        { guard: 'mustEnd', target: 'terminating' },
        { guard: 'awaitsRoom', target: 'preempting' },
        { target: 'syncing' },
      ],
    },
    askingForNode: {
      on: { 'request.done': 'admission' },
      entry: 'askForNode',
    },
    preempting: {
      initial: 'choosing',
      states: {
        choosing: {
          entry: 'preemptNext',
          always: [{ guard: 'hasRoom', target: '#pod.syncing' }, { target: 'awaitingVictim' }],
        },
        awaitingVictim: {
          after: { stepEnd: 'choosing' },
          on: { 'room.made': 'choosing' },
        },
      },
    },
    syncing: {
      entry: ['plan', 'report'],
      always: [
        { guard: 'mustEnd', target: 'terminating' },
        { guard: 'awaitsVolumes', target: 'awaitingVolumes' },
        { guard: 'mustKill', actions: ['announceSandboxChange', 'beginKills'], target: 'killing' },
        { guard: 'mustPrepareDevices', actions: 'announceSandboxChange', target: 'preparingDevices' },
        { guard: 'mustCreateSandbox', actions: ['announceSandboxChange', 'beginSandbox'], target: 'creatingSandbox' },
        { guard: 'hasContainerToStart', target: 'startingContainers' },
        { guard: 'hasChangeAhead', target: 'waiting' },
        { target: 'idle' },
      ],
    },
    awaitingVolumes: {
      entry: 'beginVolumes',
      after: { volumeTimeout: { actions: 'failVolumes', target: 'retrying' } },
      on: {
        'volumes.changed': [
          { guard: 'failsVolumes', actions: 'failVolumes', target: 'retrying' },
          { guard: 'awaitsVolumes' },
          { target: 'syncing' },
        ],
      },
    },
    killing: {
      initial: 'advancing',
      states: {
        advancing: {
          entry: 'advanceKills',
          always: [
            { guard: 'hasFailedKill', target: '#pod.retrying' },
            { guard: 'hasNoKills', target: 'done' },
            { guard: 'hasKillStepAhead', target: 'awaitingStep' },
            { target: 'awaitingExit' },
          ],
        },
        awaitingStep: {
          after: { killStep: 'advancing' },
          on: { 'runtime.changed': 'advancing' },
        },
        awaitingExit: {
          on: { 'runtime.changed': 'advancing' },
        },
        done: {
          entry: 'endKills',
          always: [
            { guard: 'mustPrepareDevices', target: '#pod.preparingDevices' },
            { guard: 'mustCreateSandbox', actions: 'beginSandbox', target: '#pod.creatingSandbox' },
            { target: '#pod.startingContainers' },
          ],
        },
      },
    },
    preparingDevices: {
      entry: 'prepareDevices',
      on: {
        'devices.answered': [
          { guard: 'failsDevices', actions: 'failDevices', target: 'retrying' },
          { actions: 'beginSandbox', target: 'creatingSandbox' },
        ],
      },
    },
    creatingSandbox: {
      after: {
        stepEnd: [
          { guard: 'failsSandbox', actions: 'failSandbox', target: 'retrying' },
          { actions: 'openSandbox', target: 'startingContainers' },
        ],
      },
    },
    startingContainers: {
      initial: 'choosing',
      states: {
        choosing: {
          entry: 'choose',
          always: [
            { guard: 'mustCreate', actions: ['noteImagePresent', 'beginCreation'], target: 'creating' },
            { guard: 'mustPull', actions: 'beginPull', target: 'pullingImage' },
            { guard: 'mustSkip', target: 'skipping' },
            { guard: 'mustTryAgain', target: '#pod.retrying' },
            { target: '#pod.syncing' },
          ],
        },
        skipping: {
          entry: 'dropFailed',
          always: 'choosing',
        },
        pullingImage: {
          on: {
            'image.pulled': [
              { guard: 'failsPull', actions: ['endPull', 'dropFailed'], target: 'choosing' },
              { actions: ['endPull', 'beginCreation'], target: 'creating' },
            ],
          },
        },
        creating: {
          after: {
            stepEnd: [
              { guard: 'failsCreation', actions: ['failCreation', 'dropFailed'], target: 'choosing' },
              { guard: 'hasPostStart', actions: ['startContainer', 'beginPostStart'], target: 'runningPostStart' },
              { actions: ['startContainer', 'dropStarted'], target: 'choosing' },
            ],
          },
        },
        runningPostStart: {
          after: {
            stepEnd: [
              { guard: 'failsPostStart', actions: ['failPostStart', 'dropFailed'], target: '#pod.killing' },
              { actions: 'dropStarted', target: 'choosing' },
            ],
          },
          on: {
            'runtime.changed': [
              { guard: 'failsPostStart', actions: ['failPostStart', 'dropFailed'], target: '#pod.killing' },
              { guard: 'hasEndedPostStart', actions: 'dropStarted', target: 'choosing' },
            ],
          },
        },
      },
    },
    retrying: {
      entry: 'beginRetry',
      after: { syncRetry: 'syncing' },
      on: { 'runtime.changed': 'syncing', 'pod.changed': 'syncing', 'probes.changed': 'syncing' },
    },
    waiting: {
      after: { nextChange: 'syncing' },
      on: { 'runtime.changed': 'syncing', 'pod.changed': 'syncing', 'probes.changed': 'syncing' },
    },
    idle: {
      on: { 'runtime.changed': 'syncing', 'pod.changed': 'syncing', 'probes.changed': 'syncing' },
    },
    terminating: {
      entry: 'beginStopping',
      initial: 'stopping',
      states: {
        stopping: {
          entry: 'advanceStop',
          always: [
            { guard: 'hasFailedKill', target: 'stoppingAgain' },
            { guard: 'nothingRuns', target: 'stopped' },
            { guard: 'hasKillStepAhead', target: 'awaitingStep' },
            { target: 'awaitingExit' },
          ],
        },
        awaitingStep: {
          after: { killStep: 'stopping' },
          on: { 'runtime.changed': 'stopping', 'pod.ending': { actions: 'shortenGrace', target: 'stopping' } },
        },
        awaitingExit: {
          on: { 'runtime.changed': 'stopping', 'pod.ending': { actions: 'shortenGrace', target: 'stopping' } },
        },
        stoppingAgain: {
          entry: 'beginStopRetry',
          after: { syncRetry: 'stopping' },
          on: { 'pod.ending': { actions: 'shortenGrace', target: 'stopping' } },
        },
        stopped: {
          entry: ['stopProbes', 'closeSandbox', 'releaseVolumes', 'noteStopped'],
          always: [{ guard: 'isGone', target: 'unmounted' }, { target: 'reporting' }],
        },
        reporting: {
          entry: 'reportEnd',
          on: {
            'request.done': 'unmounted',
            'request.failed': 'reportingAgain',
            'pod.ending': [{ guard: 'isGone', target: 'unmounted' }, {}],
          },
        },
        reportingAgain: {
          after: { statusRetry: 'reporting' },
          on: { 'pod.ending': [{ guard: 'isGone', target: 'unmounted' }, {}] },
        },
        unmounted: {
          always: [
            { guard: 'hasMounts', target: 'unmounting' },
            { guard: 'isGone', target: '#pod.finished' },
            { guard: 'isDeleted', target: 'deleting' },
            { target: '#pod.finished' },
          ],
        },
        unmounting: {
          on: { 'volumes.changed': 'unmounted', 'pod.ending': {} },
        },
        deleting: {
          entry: 'deleteObject',
          on: {
            'request.done': '#pod.finished',
            'request.failed': 'deletingAgain',
            'pod.ending': [{ guard: 'isGone', target: '#pod.finished' }, {}],
          },
        },
        deletingAgain: {
          after: { statusRetry: 'deleting' },
          on: { 'pod.ending': [{ guard: 'isGone', target: '#pod.finished' }, {}] },
        },
      },
    },
    rejected: {
      initial: 'reporting',
      on: { 'pod.ending': [{ guard: 'isGone', target: 'finished' }, {}] },
      states: {
        reporting: {
          entry: 'reportRejection',
          on: { 'request.done': 'reported', 'request.failed': 'reportingAgain' },
        },
        reportingAgain: {
          after: { statusRetry: 'reporting' },
        },
        // A deletion that came while it was being refused waits for its kubelet.
        reported: {
          always: [{ guard: 'isDeleted', target: 'deleting' }, { target: '#pod.finished' }],
        },
        deleting: {
          entry: 'deleteObject',
          on: { 'request.done': '#pod.finished', 'request.failed': 'deletingAgain' },
        },
        deletingAgain: {
          after: { statusRetry: 'deleting' },
        },
      },
    },
    finished: { type: 'final' },
  },
});

/** What pod actors are made from. */
export const podLogic = machineLogic<PodEvent, PodWorker>(
  podMachine,
  (worker): PodContext => ({ worker }),
  (worker) => worker,
);

function answerOf(outcome: stopping.RequestOutcome): PodEvent {
  return outcome === 'done' ? { type: 'request.done' } : { type: 'request.failed' };
}
