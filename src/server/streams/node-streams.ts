/** What nodes give to clients over the network, through the API server. */
import type { Pod } from '../../api/objects/objects.js';

/** A line that a container has logged. */
export interface NodeLogLine {
  /** Simulated ms. */
  readonly atMs: number;
  readonly text: string;
}

/** What came of a command. */
export interface CommandOutcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
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
  /** The lines of a run so far. */
  logLines(pod: Pod, container: string, run: ContainerRun): readonly NodeLogLine[];
  /** What the container's script says of a command. */
  command(pod: Pod, container: string, words: readonly string[]): CommandOutcome;
  /** Simulated ms of a timestamp, and back. */
  toMs(timestamp: string): number;
  toTime(ms: number): string;
  /** Simulated ms. */
  nowMs(): number;
}
