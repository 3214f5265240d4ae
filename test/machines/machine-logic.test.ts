import test from 'ava';
import { createActor, setup, type AnyActor, type AnyStateMachine, type StateNode } from 'xstate';
import { randomStream, type RandomStream } from '../../src/kernel/random.js';
import { VirtualClock } from '../../src/kernel/engine/virtual-clock.js';
import { createActorClock } from '../../src/kernel/engine/xstate-clock.js';
import { machineLogic, stopMachine } from '../../src/machines/machine-logic.js';
import { controllerMachine } from '../../src/controllers/runtime/controller-machine.js';
import { nodeMachine } from '../../src/kubelet/node-machine.js';
import { podMachine } from '../../src/kubelet/pods/pod-machine.js';

interface Facts {
  readonly self: { send(event: { readonly type: string }): void };
  readonly event: { readonly type: string };
}

/** The same machine with actions that only tell, guards that are drawn, and delays that are drawn. */
function toldMachine(
  machine: AnyStateMachine,
  random: RandomStream,
  clock: VirtualClock,
  told: string[],
): AnyStateMachine {
  const { actions, guards, delays } = machine.implementations;
  let sends = 0;
  const tell = (name: string) => (name_: string) => told.push(`${clock.now()} ${name} ${name_}`);
  return machine.provide({
    actions: mapped(actions, (name) => ({ event, self }: Facts) => {
      tell(name)(event.type);
      clock.schedule(random.int(0, 1), () => told.push(`${clock.now()} done ${name}`));
      sends += 1;
      if (sends % 5 === 0) self.send({ type: 'request.done' });
    }),
    guards: mapped(guards, (name) => () => {
      const isMet = random.int(0, 2) === 0;
      told.push(`${name} ${isMet}`);
      return isMet;
    }),
    delays: mapped(delays, () => () => random.int(0, 20)),
  } as Parameters<AnyStateMachine['provide']>[0]);
}

function mapped<T>(named: Readonly<Record<string, unknown>>, make: (name: string) => T): Record<string, T> {
  return Object.fromEntries(Object.keys(named).map((name) => [name, make(name)]));
}

function eventsOf(state: StateNode): string[] {
  const own = [...state.transitions.keys()].filter((event) => !event.startsWith('xstate.'));
  return [...new Set([...own, ...Object.values(state.states).flatMap((inner) => eventsOf(inner))])];
}

/** A life under events at random times: everything that was done, asked and shown. */
async function lifeOf(machine: AnyStateMachine, seed: string, byTable: boolean): Promise<readonly string[]> {
  const clock = new VirtualClock();
  const told: string[] = [];
  const random = randomStream(seed, 'life');
  const events = eventsOf(machine.root as StateNode).toSorted();
  const provided = toldMachine(machine, randomStream(seed, 'answers'), clock, told);
  const options = { id: 'one', clock: createActorClock(clock), input: {} };
  const actor = byTable
    ? (createActor(
        machineLogic(provided, () => ({})),
        options,
      ) as unknown as AnyActor)
    : createActor(provided, options);
  actor.subscribe({
    next: ({ status, value }) => told.push(`${clock.now()} ${status} ${JSON.stringify(value)}`),
    complete: () => told.push(`${clock.now()} over`),
  });
  actor.start();
  let atMs = 0;
  for (let index = 0; index < 200; index += 1) {
    atMs += random.int(0, 8);
    const type = events[random.int(0, events.length - 1)] as string;
    clock.schedule(atMs, () => actor.send({ type }));
  }
  clock.schedule(atMs + 100, () => actor.stop());
  told.push(await clock.run());
  return told;
}

for (const [name, machine] of [
  ['pod', podMachine],
  ['node', nodeMachine],
  ['controller', controllerMachine],
] as const) {
  test(`the ${name} machine takes the steps that XState's interpreter takes, in their order`, async (t) => {
    const lengths = new Set<number>();
    for (let seed = 0; seed < 60; seed += 1) {
      const [byTable, byXState] = await Promise.all([
        lifeOf(machine, String(seed), true),
        lifeOf(machine, String(seed), false),
      ]);
      t.deepEqual(byTable, byXState);
      lengths.add(byTable.length);
    }
    t.true(lengths.size > 20, 'lives must differ');
  });
}

test('an actor under another one is told of no more once it is stopped', async (t) => {
  const clock = new VirtualClock();
  const machine = setup({}).createMachine({
    initial: 'off',
    states: { off: { after: { 10: 'on' } }, on: {} },
  });
  const parent = createActor(machine, { clock: createActorClock(clock) });
  parent.start();
  const child = createActor(
    machineLogic(machine, () => undefined),
    { id: 'child', parent, input: undefined },
  );
  child.start();
  t.is(clock.pending, 2);
  stopMachine(child);
  t.is(child.getSnapshot().status, 'stopped');
  t.is(clock.pending, 1);
  t.is(await clock.run(), 'idle');
  t.is(child.getSnapshot().value, 'off');
});

test('an error of a child ends its parent with that error', (t) => {
  const clock = new VirtualClock();
  const fails = setup({
    actions: {
      fail: () => {
        throw new Error('no such thing');
      },
    },
  }).createMachine({ initial: 'a', states: { a: { on: { go: { actions: 'fail' } } } } });
  const rests = setup({}).createMachine({ initial: 'a', states: { a: {} } });
  const parent = createActor(
    machineLogic(rests, () => undefined),
    { clock: createActorClock(clock), input: undefined },
  );
  const errors: unknown[] = [];
  parent.subscribe({ error: (error: unknown) => errors.push(error) });
  parent.start();
  const child = createActor(
    machineLogic(fails, () => undefined),
    { id: 'child', parent, input: undefined },
  );
  child.start();
  child.send({ type: 'go' });
  t.deepEqual(errors, [new Error('no such thing')]);
});

test('a machine that a table cannot say is refused by name', (t) => {
  const refuse = (machine: AnyStateMachine): string | undefined =>
    t.throws(() => machineLogic(machine, () => undefined))?.message;
  const parallel = setup({}).createMachine({ id: 'm', type: 'parallel', states: { a: {}, b: {} } });
  t.regex(refuse(parallel) ?? '', /state m must be one of many/);
  const leaving = setup({ actions: { wave: () => undefined } }).createMachine({
    id: 'm',
    initial: 'a',
    states: { a: { on: { go: 'b' } }, b: { exit: 'wave' } },
  });
  t.regex(refuse(leaving) ?? '', /state m\.b must do nothing on the way out/);
  const inline = setup({}).createMachine({ id: 'm', initial: 'a', states: { a: { entry: () => undefined } } });
  t.regex(refuse(inline) ?? '', /actions of a machine must have names/);
  const twice = setup({}).createMachine({
    id: 'm',
    initial: 'a',
    states: { a: { after: { 1: 'b', 2: 'b' } }, b: {} },
  });
  t.regex(refuse(twice) ?? '', /state m\.a must have one delay/);
});
