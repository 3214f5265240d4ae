/** What Artillery 2 and an engine know of each other (packages/artillery/lib/core/runner.ts there). */

/** Told of a virtual user's metrics: `counter`, `histogram`, `error`, and `started` once. */
export interface Emitter {
  emit(event: string, ...args: readonly unknown[]): unknown;
}

/** One virtual user. */
export interface VirtualUser {
  readonly vars: Record<string, unknown>;
  readonly [field: string]: unknown;
}

/** Ends a virtual user, with what went wrong or without. */
export type Done = (error: Error | null, user: VirtualUser) => void;

/** Plays a scenario for one virtual user. */
export type PlayedScenario = (user: VirtualUser, done: Done) => void;

/** A script as it was read: its `config` with what this engine is asked for, and its scenarios. */
export interface Script {
  readonly config: {
    readonly target?: unknown;
    readonly engines?: Readonly<Record<string, unknown>>;
    readonly processor?: Readonly<Record<string, unknown>>;
  };
  readonly before?: unknown;
  readonly after?: unknown;
  /** Where it was read from. */
  readonly _scriptPath?: string;
}

/** What an engine is handed by Artillery. */
export interface Helpers {
  /** Puts a user's variables into `{{ }}` of texts, lists and objects, in a copy. */
  template(value: unknown, user: VirtualUser): unknown;
}

/** One step of a flow: a mapping with one verb in it. */
export type Step = Readonly<Record<string, unknown>>;

/** Fields that a step has or has not. */
export type Fields = Readonly<Record<string, unknown>>;

/** Input that cannot be used: names the field, what it got and what is allowed. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';

  constructor(field: string, allowed: string, got: unknown) {
    super(`${field} must be ${allowed}, got ${got === undefined ? 'nothing' : JSON.stringify(got)}`);
  }
}

/** @throws ScriptError for what is no mapping, or has fields that are not known */
export function fieldsOf(place: string, value: unknown, known?: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ScriptError(place, 'a mapping', value);
  }
  const other = known === undefined ? undefined : Object.keys(value).find((field) => !known.includes(field));
  if (other !== undefined) throw new ScriptError(`a field of ${place}`, `among ${known?.join(', ')}`, other);
  return value as Fields;
}

/** @throws ScriptError for what is no text, or an empty one */
export function textOf(place: string, value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string' && value !== '') return value;
  throw new ScriptError(place, 'a text', value);
}
