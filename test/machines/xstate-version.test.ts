/**
 * Two names of events are not declared by XState: `xstate.stop` and `xstate.error.actor.` (machine-logic.ts), nor are
 * some parts of an actor (light-actor.ts). They were read in its constants.ts and createActor.ts. With another version they are looked up there again, and noted here.
 */
import { readFileSync } from 'node:fs';
import test from 'ava';
import { createActor, setup } from 'xstate';
import type { ActorParts } from '../../src/machines/light-actor.js';
import { lighten } from '../../src/machines/light-actor.js';

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

test('an actor has the parts that are taken from the machines of pods, which then refuse to be subscribed to', (t) => {
  const heard: string[] = [];
  const actor = createActor(logic((type) => heard.push(type)));
  const { observers, eventListeners, _actorScope: scope } = actor as unknown as ActorParts;
  t.true(observers instanceof Set);
  t.true(eventListeners instanceof Map);
  for (const name of ['emit', 'stopChild', 'actionExecutor'] as const) t.is(typeof scope[name], 'function');
  lighten(actor);
  actor.start();
  actor.send({ type: 'go' });
  t.throws(() => actor.subscribe(() => undefined), { message: /nothing subscribes to the machine of a pod/ });
  t.throws(() => actor.on('*', () => undefined), { message: /nothing subscribes to the machine of a pod/ });
  actor.stop();
  t.deepEqual(heard, ['go', 'xstate.stop']);
});
