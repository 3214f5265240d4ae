/**
 * A machine that XState defines, worked out once: for each state that can be current, what an event, the end of
 * its delay or nothing at all leads to, with every action on the way. Takes the part of XState's language that
 * the machines here speak and refuses any other: states within states, actions on entry and on transitions,
 * guards, `always`, one delay in a state, final states.
 */
import type { AnyStateMachine, EventObject } from 'xstate';
import { assert } from '../kernel/assert.js';

/** What actions, guards and delays are told. */
export interface StepFacts {
  readonly context: unknown;
  readonly event: EventObject;
  readonly self: { send(event: EventObject): void };
}

/** Does something. */
export type StepAction = (facts: StepFacts) => void;

/** A way out of a state, or something that is done within it. */
export interface TableTransition {
  readonly guard: ((facts: StepFacts) => boolean) | undefined;
  /** Those of the transition, then those of each state that is entered, from the outermost. */
  readonly actions: readonly StepAction[];
  /** `undefined` = the state is not left. */
  readonly to: TableState | undefined;
}

/** A state without states in it, and all that holds in those around it. */
export interface TableState {
  /** The states from the outermost, such as `terminating.stopping`. */
  readonly name: string;
  /** As XState shows it. */
  readonly value: StateValue;
  readonly isFinal: boolean;
  readonly always: readonly TableTransition[];
  readonly byEvent: ReadonlyMap<string, readonly TableTransition[]>;
  readonly delay: StateDelay | undefined;
}

/** What follows by itself. */
export interface StateDelay {
  readonly ms: (facts: StepFacts) => number;
  readonly event: EventObject;
}

/** A state by name, and those in it. */
export type StateValue = string | { readonly [key: string]: StateValue };

/** See the file header. */
export interface MachineTable {
  readonly initial: TableState;
  readonly begin: readonly StepAction[];
  /** Of any state: what events that begin with `prefix` lead to. */
  readonly patterns: readonly EventPattern[];
}

interface EventPattern {
  readonly prefix: string;
  readonly transitions: readonly TableTransition[];
}

/** What is read of a state: a part of what XState's `StateNode` declares, and nothing beside it. */
interface StateNode {
  readonly config: { readonly entry?: unknown; readonly exit?: unknown };
  readonly id: string;
  readonly key: string;
  readonly path: readonly string[];
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  readonly parent?: StateNode | undefined;
  readonly states: Readonly<Record<string, StateNode>>;
  readonly initial: { readonly target: readonly StateNode[] | undefined };
  readonly invoke: readonly unknown[];
  readonly transitions: ReadonlyMap<string, readonly Definition[]>;
  readonly always?: readonly Definition[] | undefined;
  readonly after: readonly { readonly delay: unknown; readonly eventType: string }[];
}

/** What is read of a transition, in the same way. */
interface Definition {
  readonly source: StateNode;
  readonly target: readonly StateNode[] | undefined;
  readonly guard?: unknown;
  readonly actions: readonly unknown[];
  readonly reenter: boolean;
}

/** Works out the table of a machine. @throws InvariantError for what the table cannot say */
export function machineTable(machine: AnyStateMachine): MachineTable {
  return new TableMaker(machine).make();
}

interface DraftState {
  name: string;
  value: StateValue;
  isFinal: boolean;
  always: readonly TableTransition[];
  byEvent: Map<string, readonly TableTransition[]>;
  delay: StateDelay | undefined;
}

class TableMaker {
  readonly #machine: AnyStateMachine;
  readonly #states = new Map<StateNode, DraftState>();

  constructor(machine: AnyStateMachine) {
    this.#machine = machine;
  }

  make(): MachineTable {
    const root: StateNode = this.#machine.root;
    const leaves = [...leavesOf(root)];
    for (const leaf of leaves) {
      this.#states.set(leaf, {
        name: leaf.path.join('.'),
        value: valueOf(leaf),
        isFinal: leaf.type === 'final',
        always: [],
        byEvent: new Map(),
        delay: this.#delayOf(leaf),
      });
    }
    for (const leaf of leaves) this.#fill(leaf, this.#stateOf(leaf));
    const path = initialPath(root);
    const initial = this.#stateOf(path.at(-1) as StateNode);
    assert(initial.always.length === 0, 'a machine must not leave its first state at once');
    return { initial, begin: path.flatMap((state) => this.#entry(state)), patterns: this.#patterns(root) };
  }

  #stateOf(leaf: StateNode): DraftState {
    const state = this.#states.get(leaf);
    assert(state !== undefined, `state ${leaf.id} must have none in it`);
    return state;
  }

  #fill(leaf: StateNode, state: DraftState): void {
    const always: TableTransition[] = [];
    for (const node of chainOf(leaf)) {
      for (const definition of node.always ?? []) always.push(this.#transition(definition));
      for (const [event, definitions] of node.transitions) {
        if (event === '' || event.endsWith('*')) continue;
        const inner = state.byEvent.get(event) ?? [];
        state.byEvent.set(event, [...inner, ...definitions.map((definition) => this.#transition(definition))]);
      }
    }
    state.always = always;
    for (const { to } of always) assert(to !== undefined, `an eventless transition of ${leaf.id} must lead somewhere`);
  }

  #patterns(root: StateNode): EventPattern[] {
    const patterns: EventPattern[] = [];
    for (const [event, definitions] of root.transitions) {
      if (!event.endsWith('.*')) continue;
      const transitions = definitions.map((definition) => this.#transition(definition));
      patterns.push({ prefix: event.slice(0, -1), transitions });
    }
    return patterns;
  }

  #transition({ guard, actions, target, source, reenter }: Definition): TableTransition {
    const own = actions.map((action) => this.#action(action));
    const given = guard === undefined ? undefined : (this.#named('guards', guard) as TableTransition['guard']);
    const to = target?.[0];
    if (to === undefined) return { guard: given, actions: own, to: undefined };
    assert(!reenter && to !== source, `a transition of ${source.id} must lead to another state`);
    const domain = chainOf(to).find((around) => around !== to && (around === source || isWithin(source, around)));
    const entered = [...chainOf(to).slice(0, domain === undefined ? undefined : chainOf(to).indexOf(domain))].reverse();
    const path = [...entered, ...initialPath(to)];
    const entries = path.flatMap((state) => this.#entry(state));
    return { guard: given, actions: [...own, ...entries], to: this.#stateOf(path.at(-1) as StateNode) };
  }

  /** What is done on the way in, as it was written: XState itself adds what keeps delays. */
  #entry({ config, id }: StateNode): StepAction[] {
    assert(config.exit === undefined, `state ${id} must do nothing on the way out`);
    const entry: readonly unknown[] = config.entry === undefined ? [] : [config.entry].flat();
    return entry.map((action) => this.#action(action));
  }

  #action(action: unknown): StepAction {
    return this.#named('actions', action) as StepAction;
  }

  #delayOf(leaf: StateNode): StateDelay | undefined {
    const [first] = leaf.after;
    for (const around of chainOf(leaf).slice(1)) {
      assert(around.after.length === 0, `state ${around.id} must have no delay, for it has states in it`);
    }
    if (first === undefined) return undefined;
    const { delay, eventType } = first;
    assert(
      leaf.after.every((each) => each.eventType === eventType),
      `state ${leaf.id} must have one delay`,
    );
    const event = { type: eventType };
    if (typeof delay === 'number') return { ms: () => delay, event };
    const ms = this.#named('delays', delay) as number | StateDelay['ms'];
    return { ms: typeof ms === 'number' ? () => ms : ms, event };
  }

  #named(kind: 'actions' | 'guards' | 'delays', name: unknown): unknown {
    assert(typeof name === 'string', `${kind} of a machine must have names`);
    const found: unknown = this.#machine.implementations[kind][name];
    assert(found !== undefined, `${name} must be among the ${kind} of the machine`);
    return found;
  }
}

function* leavesOf(state: StateNode): Iterable<StateNode> {
  const inner = Object.values(state.states);
  assert(inner.length > 0 || state.type !== 'compound', `state ${state.id} must have states`);
  assert(state.type !== 'parallel' && state.type !== 'history', `state ${state.id} must be one of many`);
  assert(state.invoke.length === 0, `state ${state.id} must invoke nothing`);
  assert(state.type !== 'final' || state.path.length === 1, `state ${state.id} must not be final within another one`);
  if (inner.length === 0) yield state;
  for (const each of inner) yield* leavesOf(each);
}

/** From a state outwards to the root. */
function chainOf(state: StateNode): StateNode[] {
  return state.parent === undefined ? [state] : [state, ...chainOf(state.parent)];
}

function isWithin(state: StateNode, around: StateNode): boolean {
  return chainOf(state).includes(around, 1);
}

/** The states in it that are entered with a state, from the outermost. */
function initialPath(state: StateNode): StateNode[] {
  const [first] = state.type === 'compound' ? (state.initial.target ?? []) : [];
  return first === undefined ? [] : [first, ...initialPath(first)];
}

function valueOf(leaf: StateNode): StateValue {
  return leaf.path.slice(0, -1).reduceRight<StateValue>((inner, key) => ({ [key]: inner }), leaf.key);
}
