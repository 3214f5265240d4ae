/** What nodes give to clients over the network, through the API server. */
import type { Pod, Service } from '../../api/objects/objects.js';
import type { PodServers } from '../../apiserver/requests/pod-servers.js';

/** A line that a container has logged. */
export interface NodeLogLine {
  /** Simulated ms. */
  readonly atMs: number;
  readonly text: string;
  /** It has no end: what follows it goes on on the same line. */
  readonly isPartial?: boolean;
}

/** Where the output of a command goes, as bytes. */
export interface CommandStreams {
  readonly onStdout: (bytes: string) => void;
  readonly onStderr: (bytes: string) => void;
  /** Whether there is input. */
  readonly hasInput: boolean;
  /** It has ended; with a problem, if it could not be started. */
  readonly onEnd: (end: { readonly exitCode: number; readonly startError?: string }) => void;
}

/** A command that runs. */
export interface RunningCommand {
  /** Bytes of its input; `undefined` = its end. */
  input(bytes: string | undefined): void;
  /** Ends it at once. */
  kill(): void;
}

/** A run of a container: from when to when, simulated ms; an end that is absent has not come. */
export interface ContainerRun {
  readonly startedMs: number;
  readonly endedMs: number | undefined;
}

/** See the file header. */
export interface NodeStreams {
  /** The pod as it is stored now. @throws ApiError NotFound */
  pod(namespace: string, name: string): Pod;
  /** @throws ApiError NotFound */
  service(namespace: string, name: string): Service;
  /** Whether there is a node of the name. */
  hasNode(name: string): boolean;
  readonly servers: PodServers;
  /** The lines of a run so far. */
  logLines(pod: Pod, container: string, run: ContainerRun): readonly NodeLogLine[];
  /** Starts a command in a container; what there is of it comes when it comes. */
  exec(pod: Pod, container: string, words: readonly string[], streams: CommandStreams): RunningCommand;
  /** Simulated ms of a timestamp, and back. */
  toMs(timestamp: string): number;
  toTime(ms: number): string;
  /** Simulated ms. */
  nowMs(): number;
}
