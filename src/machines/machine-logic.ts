/**
 * The logic of XState actors that live by a table (machine-table.ts): the same steps in the same order as XState's
 * own interpreter takes for the machine, at a small part of the cost, because whatever does not depend on the moment
 * was worked out when the table was made. The context is made once and never assigned anew. An actor of this logic
 * keeps no children: what makes actors with it as their parent stops them, too.
 *
 * It stands on what XState declares: actor logic, the state nodes of a machine, an actor's clock. Two names of events
 * are internal to XState (STOP, CHILD_ERROR, from its constants.ts); a test pins the version in which they were read.
 */
import {
  Actor,
  type ActorLogic,
  type ActorScope,
  type AnyActorRef,
  type AnyStateMachine,
  type EventObject,
  type Snapshot,
} from 'xstate';
import { assert } from '../kernel/assert.js';
import type { Timer } from '../kernel/engine/clock.js';
import type { ActorClock } from '../kernel/engine/xstate-clock.js';
import {
  machineTable,
  type MachineTable,
  type StateValue,
  type StepAction,
  type StepFacts,
  type TableState,
  type TableTransition,
} from './machine-table.js';
import { Trail, type MachineSubject } from './trail.js';

/** Where an actor stands. */
export type MachineSnapshot = Snapshot<undefined> & {
  /** The state by name, and those in it. */
  readonly value: StateValue;
  readonly context: unknown;
  /** @internal */
  readonly state: TableState;
  /** @internal what ends the state's delay */
  timer: Timer | undefined;
  /** Where it has been; `undefined` = it is of no subject. */
  readonly trail: Trail | undefined;
};

/** The logic of actors that hear such events and are made from such an input. */
export type MachineLogic<Event extends EventObject, Input> = ActorLogic<MachineSnapshot, Event, Input>;

const BEGIN = 'xstate.init';
const STOP = { type: 'xstate.stop' };
const CHILD_ERROR = 'xstate.error.actor.';
/** A machine that takes so many steps by itself goes round in a circle. */
const MOST_STEPS = 1000;

/**
 * Makes the logic; see the file header.
 *
 * @param contextOf - makes an actor's context
 * @param subjectOf - what a machine is of; absent = its steps are not kept
 * @throws InvariantError for a machine that says what a table cannot
 */
export function machineLogic<Event extends EventObject, Input>(
  machine: AnyStateMachine,
  contextOf: (input: Input) => unknown,
  subjectOf?: (input: Input) => MachineSubject,
): MachineLogic<Event, Input> {
  const table = machineTable(machine);
  return {
    getInitialSnapshot(scope, input) {
      const trail = subjectOf === undefined ? undefined : new Trail(subjectOf(input));
      return begin(table, contextOf(input), scope, trail);
    },
    transition: (snapshot, event, scope) => react(table, snapshot, event, scope),
    getPersistedSnapshot: (snapshot) => snapshot,
  };
}

/** Ends an actor that has a parent: it does nothing more, and nothing is told of its end. */
export function stopMachine(actor: AnyActorRef): void {
  actor.send(STOP);
}

/** What is done on the way in is done when the actor is started. */
function begin<Event extends EventObject>(
  { initial, begin: actions }: MachineTable,
  context: unknown,
  scope: ActorScope<MachineSnapshot, Event>,
  trail: Trail | undefined,
): MachineSnapshot {
  const snapshot = snapshotOf('active', context, initial, trail);
  scope.defer(() => {
    trail?.note(BEGIN, initial);
    const facts: StepFacts = { context, event: { type: BEGIN }, self: scope.self };
    run(actions, facts);
    const { delay } = initial;
    if (delay !== undefined) snapshot.timer = schedule(scope.self, delay.ms(facts), delay.event);
  });
  return snapshot;
}

/** What the event leads to, and what follows from that at once. The delay of the last state counts from then. */
function react(
  { patterns }: MachineTable,
  snapshot: MachineSnapshot,
  event: EventObject,
  { self }: { readonly self: AnyActorRef },
): MachineSnapshot {
  const { context, trail } = snapshot;
  if (event.type === STOP.type) {
    cancel(self, snapshot.timer);
    trail?.note(event.type, undefined);
    return snapshotOf('stopped', context, snapshot.state, trail);
  }
  const facts: StepFacts = { context, event, self };
  let { state } = snapshot;
  let hasMoved = false;
  let delayMs = 0;
  const candidates =
    state.byEvent.get(event.type) ?? patterns.find(({ prefix }) => event.type.startsWith(prefix))?.transitions;
  let step = candidates === undefined ? undefined : firstOf(candidates, facts);
  if (step === undefined && event.type.startsWith(CHILD_ERROR)) throw (event as { readonly error?: unknown }).error;
  step ??= firstOf(state.always, facts);
  for (let steps = 0; step !== undefined; steps += 1) {
    assert(steps < MOST_STEPS, `${self.id} must come to rest after ${event.type}`);
    run(step.actions, facts);
    if (step.to !== undefined) {
      state = step.to;
      hasMoved = true;
      if (state.delay !== undefined) delayMs = state.delay.ms(facts);
    }
    step = firstOf(state.always, facts);
  }
  if (!hasMoved) return snapshot;
  cancel(self, snapshot.timer);
  trail?.note(event.type, state);
  const next = snapshotOf(state.isFinal ? 'done' : 'active', context, state, trail);
  if (state.delay !== undefined) next.timer = schedule(self, delayMs, state.delay.event);
  return next;
}

function firstOf(transitions: readonly TableTransition[], facts: StepFacts): TableTransition | undefined {
  for (const transition of transitions) if (transition.guard?.(facts) !== false) return transition;
  return undefined;
}

function run(actions: readonly StepAction[], facts: StepFacts): void {
  for (const action of actions) action(facts);
}

function snapshotOf(
  status: 'active' | 'done' | 'stopped',
  context: unknown,
  state: TableState,
  trail: Trail | undefined,
): MachineSnapshot {
  return { status, output: undefined, error: undefined, value: state.value, context, state, timer: undefined, trail };
}

/** What is never due has no timer. */
function schedule(self: AnyActorRef, delayMs: number, event: EventObject): Timer | undefined {
  if (delayMs === Infinity) return undefined;
  return clockOf(self).setTimeout(() => self.send(event), delayMs);
}

function cancel(self: AnyActorRef, timer: Timer | undefined): void {
  if (timer !== undefined) clockOf(self).clearTimeout(timer);
}

function clockOf(self: AnyActorRef): ActorClock {
  assert(self instanceof Actor, 'what lives by a table must be an actor');
  return self.clock;
}
