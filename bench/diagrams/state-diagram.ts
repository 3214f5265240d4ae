/**
 * A state machine as a Mermaid state diagram, read from the machine itself so that picture and code
 * cannot differ. Shows states with what they do on entry and exit, events, delays and guards.
 */

/** A named guard, action or delay, or one without a name. */
type Named = string | { readonly type: string } | ((...args: never[]) => unknown);

/** One transition, as XState keeps it. */
export interface Transition {
  readonly target: readonly StateNode[] | undefined;
  readonly guard?: Named | undefined;
  readonly actions: readonly Named[];
  readonly delay?: unknown;
}

/** One state, as XState keeps it. */
export interface StateNode {
  readonly key: string;
  readonly path: readonly string[];
  readonly type: string;
  readonly states: Readonly<Record<string, StateNode>>;
  readonly initial: { readonly target?: readonly StateNode[] | undefined } | undefined;
  readonly transitions: ReadonlyMap<string, readonly Transition[]>;
  readonly always?: readonly Transition[] | undefined;
  readonly after: readonly Transition[];
  readonly entry: readonly Named[];
  readonly exit: readonly Named[];
}

/** The diagram of a machine's root state. */
export function stateDiagram(root: StateNode): string {
  const lines = ['stateDiagram-v2', ...states(root, '  ')];
  const ofAll = transitions(root).filter(({ to }) => to !== undefined);
  for (const { label, to } of ofAll) lines.push(`  note left of ${id(to)} : from any state: ${label}`);
  return lines.join('\n');
}

function* states(parent: StateNode, indent: string): Iterable<string> {
  const first = parent.initial?.target?.[0];
  if (first !== undefined) yield `${indent}[*] --> ${id(first)}`;
  for (const state of Object.values(parent.states)) {
    yield `${indent}state "${title(state)}" as ${id(state)}`;
    if (Object.keys(state.states).length > 0) {
      yield `${indent}state ${id(state)} {`;
      yield* states(state, `${indent}  `);
      yield `${indent}}`;
    }
    if (state.type === 'final') yield `${indent}${id(state)} --> [*]`;
  }
  for (const state of Object.values(parent.states)) {
    for (const { label, to } of transitions(state)) yield `${indent}${id(state)} --> ${id(to ?? state)} : ${label}`;
  }
}

interface Arrow {
  readonly label: string;
  /** Absent when the state is not left. */
  readonly to: StateNode | undefined;
}

/** Events, then delays, then what happens at once. */
function transitions(state: StateNode): Arrow[] {
  const arrows: Arrow[] = [];
  for (const [event, list] of state.transitions) {
    if (event === '' || event.startsWith('xstate.after.')) continue;
    for (const each of list) arrows.push(arrow(each, event.replace(/^xstate\.done\.actor\.\*$/, 'child is done')));
  }
  for (const each of state.after) arrows.push(arrow(each, `after ${delayText(each.delay)}`));
  for (const each of state.always ?? []) arrows.push(arrow(each, ''));
  return arrows;
}

function arrow({ target, guard, actions }: Transition, cause: string): Arrow {
  const condition = guard === undefined ? '' : `[${nameOf(guard)}]`;
  const effect = actions.length === 0 ? '' : `/ ${actions.map(nameOf).join(', ')}`;
  const label = [cause, condition, effect].filter((part) => part !== '').join(' ');
  return { label: label === '' ? 'else' : label, to: target?.[0] };
}

/** The state's name, with what happens on the way in and out. */
function title({ key, entry, exit }: StateNode): string {
  const doing = namesOf(entry).map((name) => `entry / ${name}`);
  const leaving = namesOf(exit).map((name) => `exit / ${name}`);
  return [key, ...doing, ...leaving].join('<br/>');
}

/** Without what XState itself does to keep delays, which the arrows show. */
function namesOf(actions: readonly Named[]): string[] {
  return actions.map(nameOf).filter((name) => name !== 'raise' && name !== 'cancel');
}

function nameOf(named: Named): string {
  if (typeof named === 'string') return named;
  const type = typeof named === 'function' ? named.name : named.type;
  return type.replace(/^xstate\./, '');
}

function delayText(delay: unknown): string {
  return typeof delay === 'number' ? `${delay} ms` : String(delay);
}

/** Unique within the machine, in Mermaid's alphabet. */
function id(state: StateNode | undefined): string {
  return state === undefined ? '' : state.path.join('_').replaceAll(/\W/g, '_');
}
