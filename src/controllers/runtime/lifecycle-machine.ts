import { setup } from 'xstate';

/** What moves a controller: its manager starts and stops it, its informers say when they have synced. */
export type LifecycleEvent = { readonly type: 'START' } | { readonly type: 'SYNCED' } | { readonly type: 'STOP' };

/** The life of a controller: one actor each, never one per key. */
export const lifecycleMachine = setup({
  types: { events: {} as LifecycleEvent },
  actions: {
    open: () => {
      throw new Error('the action `open` must be provided');
    },
    work: () => {
      throw new Error('the action `work` must be provided');
    },
    close: () => {
      throw new Error('the action `close` must be provided');
    },
  },
}).createMachine({
  id: 'controller',
  initial: 'stopped',
  states: {
    stopped: { on: { START: 'active' } },
    active: {
      initial: 'syncing',
      entry: 'open',
      exit: 'close',
      on: { STOP: 'stopped' },
      states: {
        syncing: { on: { SYNCED: 'running' } },
        running: { entry: 'work' },
      },
    },
  },
});
