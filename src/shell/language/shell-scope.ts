/** A shell as its builtins see it. */
import type { Process, Running } from '../processes/process.js';
import type { ShellState } from './shell-state.js';

/** See the file header. */
export interface ShellScope {
  readonly process: Process;
  readonly state: ShellState;
  /** Processes in the background, in the order of their start. */
  readonly jobs: Process[];
  complain(message: string): void;
  /** @throws ExpansionError for a variable that is read-only */
  assign(name: string, value: string, isExported?: boolean): void;
  /** Runs a text in this shell. */
  source(source: string): Running<void>;
  /** Runs a program in a process of its own. */
  execute(words: readonly string[]): Running;
}
