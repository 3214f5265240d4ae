/**
 * The life of a controller: its process, whether that leads, its caches, its work and the end of it. One actor
 * for each controller, never one for each key, from the making of its process to the end of the cluster. What it
 * works on is its session (session.ts): the machine opens one when it leads, and closes it where its process ends,
 * be that between two writes of a reconcile.
 */
import { setup } from 'xstate';
import { machineLogic } from '../../machines/machine-logic.js';
import type { MachineSubject } from '../../machines/trail.js';

/** What moves a controller. */
export type ControllerEvent =
  /** Its process has started. */
  | { readonly type: 'process.started' }
  /** Its process leads, or needs no lease to work. */
  | { readonly type: 'lead.won' }
  /** The first list of each of its informers is here. */
  | { readonly type: 'caches.synced' }
  /** A reconcile is under way, and none was. */
  | { readonly type: 'work.begun' }
  /** No reconcile is under way any more. */
  | { readonly type: 'work.rested' }
  /** It is to take up no more work. */
  | { readonly type: 'process.ending' }
  /** Its process is gone, or it is no part of it any more; what is under way is never heard of. */
  | { readonly type: 'process.gone' };

/** What the machine asks of its controller. */
export interface ControllerDuties extends MachineSubject {
  /** Begins a session: memory, queue and handlers anew. */
  open(): void;
  /** Lets its workers begin. */
  work(): void;
  /** Takes up no more work. */
  drain(): void;
  /** The work that was under way has ended. */
  drained(): void;
  /** Forgets the session, as a crash does. */
  close(): void;
  /** Whether keys wait because their reconciles failed. */
  readonly isBackingOff: boolean;
  /** Whether a reconcile is under way. */
  readonly isBusy: boolean;
}

/** Read by the compiler only. */
const TYPES: {
  readonly context?: { readonly controller: ControllerDuties };
  readonly events?: ControllerEvent;
  readonly input?: ControllerDuties;
} = {};

interface Args {
  readonly context: { readonly controller: ControllerDuties };
}

/** See the file header. */
export const controllerMachine = setup({
  types: TYPES,
  actions: {
    open: ({ context: { controller } }) => controller.open(),
    work: ({ context: { controller } }) => controller.work(),
    drain: ({ context: { controller } }) => controller.drain(),
    noteDrained: ({ context: { controller } }) => controller.drained(),
    close: ({ context: { controller } }) => controller.close(),
  },
  guards: {
    isBackingOff: ({ context: { controller } }: Args) => controller.isBackingOff,
    isCalm: ({ context: { controller } }: Args) => !controller.isBackingOff,
    isRested: ({ context: { controller } }: Args) => !controller.isBusy,
  },
}).createMachine({
  id: 'controller',
  context: ({ input }) => ({ controller: input }),
  initial: 'stopped',
  states: {
    stopped: {
      on: { 'process.started': 'standing' },
    },
    standing: {
      on: { 'lead.won': 'leading', 'process.gone': 'stopped' },
    },
    leading: {
      entry: 'open',
      initial: 'syncing',
      on: { 'process.gone': { target: 'stopped', actions: 'close' } },
      states: {
        syncing: {
          on: { 'caches.synced': { target: 'idle', actions: 'work' }, 'process.ending': 'draining' },
        },
        idle: {
          on: {
            'work.begun': 'working',
            'work.rested': { guard: 'isBackingOff', target: 'backingOff' },
            'process.ending': 'draining',
          },
        },
        working: {
          on: {
            'work.rested': [{ guard: 'isBackingOff', target: 'backingOff' }, { target: 'idle' }],
            'process.ending': 'draining',
          },
        },
        backingOff: {
          always: { guard: 'isCalm', target: 'idle' },
          on: { 'work.begun': 'working', 'process.ending': 'draining' },
        },
        draining: {
          entry: 'drain',
          always: { guard: 'isRested', target: 'drained' },
        },
        drained: {
          entry: 'noteDrained',
        },
      },
    },
  },
});

/** What controller actors are made from. */
export const controllerLogic = machineLogic<ControllerEvent, ControllerDuties>(
  controllerMachine,
  (controller) => ({ controller }),
  (controller) => controller,
);
