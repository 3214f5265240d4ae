/** What the kubelet sees of a container that computes. */
import type { LogLine } from '../scripts/log-text.js';

/** How a command in a container ended. */
export interface CommandEnd {
  readonly exitCode: number;
  /** It could not be started, in the runtime's words. */
  readonly startError?: string;
}

/** Where the output of a command goes, and where its input comes from. */
export interface CommandStreams {
  /** Bytes. */
  readonly onStdout: (bytes: string) => void;
  readonly onStderr: (bytes: string) => void;
  /** Whether there is input; else it is at its end from the start. */
  readonly hasInput: boolean;
  /** It is asked for from outside the simulation: its end is told at once, whether a run is under way or not. */
  readonly isFromOutside?: boolean;
  readonly onEnd: (end: CommandEnd) => void;
}

/** A command that runs in a container. */
export interface RunningCommand {
  /** Bytes of its input; `undefined` = its end. */
  input(bytes: string | undefined): void;
  /** Ends it at once. */
  kill(): void;
}

/** What a server answers, as far as a probe looks. */
export interface PortAnswer {
  readonly status: number;
  readonly body: string;
}

/** A container that computes. */
export interface PlayedProgram {
  /** Whether its program runs here; else it is one that runs until it is stopped. */
  readonly isPlaying: boolean;
  /** What it has logged. */
  readonly log: readonly LogLine[];
  /** Starts a server that its image starts by itself, and that nothing has asked for yet. */
  wake(): void;
  /** Tells its first process of a signal. */
  signal(signal: number): void;
  /** Its container is over: nothing of it runs any more. */
  end(): void;
  /** Starts a command in it. */
  exec(words: readonly string[], streams: CommandStreams): RunningCommand;
}
