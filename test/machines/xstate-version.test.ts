/**
 * Two names of events are not declared by XState: `xstate.stop` and `xstate.error.actor.` (machine-logic.ts). They were
 * read in its constants.ts and createActor.ts. With another version they are looked up there again, and noted here.
 */
import { readFileSync } from 'node:fs';
import test from 'ava';
import { createActor, setup } from 'xstate';

const READ_IN = '5.33.3';

/** Logic that notes each event that reaches it. */
const logic = (onEvent: (type: string) => void) => ({
  getInitialSnapshot: () => ({ status: 'active' as const, output: undefined, error: undefined }),
  getPersistedSnapshot: (snapshot: { status: 'active'; output: undefined; error: undefined }) => snapshot,
  transition(
    snapshot: { status: 'active'; output: undefined; error: undefined },
    { type }: { readonly type: string },
  ): { status: 'active'; output: undefined; error: undefined } {
    onEvent(type);
    return snapshot;
  },
});

test('XState is the version in which what it does not declare was read', (t) => {
  const { version } = JSON.parse(readFileSync('node_modules/xstate/package.json', 'utf8')) as { version: string };
  t.is(version, READ_IN);
});

test('an actor that is stopped hears xstate.stop, and the parent of one that fails hears xstate.error.actor.ID', (t) => {
  const heard: string[] = [];
  const parent = createActor(logic((type) => heard.push(type))).start();
  const child = createActor(
    setup({}).createMachine({
      initial: 'a',
      states: {
        a: {
          on: {
            go: {
              actions: () => {
                throw new Error('of a child');
              },
            },
          },
        },
      },
    }),
    { id: 'child', parent },
  ).start();
  child.subscribe({ error: () => undefined });
  child.send({ type: 'go' });
  parent.stop();
  t.deepEqual(heard, ['xstate.error.actor.child', 'xstate.stop']);
});
