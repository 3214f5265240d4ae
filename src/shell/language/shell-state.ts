/** What a shell remembers: variables, functions, arguments, options, traps. A subshell begins with a copy. */
import type { Function as FunctionNode } from 'unbash';
import { signalName } from '../processes/signals.js';

/** A variable. */
export interface Variable {
  value: string;
  isExported: boolean;
  isReadOnly: boolean;
}

/** See the file header. */
export class ShellState {
  readonly variables = new Map<string, Variable>();
  readonly functions = new Map<string, FunctionNode['body']>();
  readonly options = new Set<string>();
  /** Commands by signal; 0 = at the end. An empty one: the signal is ignored. */
  readonly traps = new Map<number, string>();
  name: string;
  args: readonly string[];
  status = 0;
  /** The process that was started in the background last. */
  background: number | undefined;
  hasPipefail = false;
  /** What `local` has hidden, one map for each function that runs. */
  readonly locals: Map<string, Variable | undefined>[] = [];

  constructor(name: string, args: readonly string[]) {
    this.name = name;
    this.args = args;
  }

  /** For a subshell: traps do not go with it, but for what is ignored. */
  copy(): ShellState {
    const copy = new ShellState(this.name, this.args);
    for (const [name, variable] of this.variables) copy.variables.set(name, { ...variable });
    for (const [name, body] of this.functions) copy.functions.set(name, body);
    for (const option of this.options) copy.options.add(option);
    for (const [signal, command] of this.traps) if (command === '') copy.traps.set(signal, command);
    for (const scope of this.locals) copy.locals.push(new Map(scope));
    copy.status = this.status;
    copy.background = this.background;
    copy.hasPipefail = this.hasPipefail;
    return copy;
  }

  get(name: string): string | undefined {
    return this.variables.get(name)?.value;
  }

  /** @returns whether it may be set */
  set(name: string, value: string, isExported = false): boolean {
    const variable = this.variables.get(name);
    if (variable === undefined) {
      this.variables.set(name, { value, isExported: isExported || this.options.has('a'), isReadOnly: false });
      return true;
    }
    if (variable.isReadOnly) return false;
    variable.value = value;
    variable.isExported ||= isExported;
    return true;
  }

  /** What programs that it starts are given. */
  environment(): Map<string, string> {
    const environment = new Map<string, string>();
    for (const [name, { value, isExported }] of this.variables) if (isExported) environment.set(name, value);
    return environment;
  }

  /** Hides a variable until the function that runs has ended. */
  hide(name: string): void {
    const scope = this.locals.at(-1);
    if (scope === undefined || scope.has(name)) return;
    const variable = this.variables.get(name);
    scope.set(name, variable);
    if (variable !== undefined) this.variables.set(name, { ...variable });
  }

  /** A function has ended. */
  unhide(): void {
    for (const [name, variable] of this.locals.pop() ?? []) {
      if (variable === undefined) this.variables.delete(name);
      else this.variables.set(name, variable);
    }
  }
}

/** As `trap` prints what is set. */
export function trapTexts({ traps }: ShellState): readonly string[] {
  return [...traps].map(([signal, command]) => `trap -- ${quoted(command)} ${signalName(signal)}\n`);
}

/** A text in single quotes, as a shell reads it back. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
