/**
 * Commands in containers as a recording has them. They are asked for with a GET, and yet they take simulated time and
 * change what their container has: a later run starts them, and gives them their input, at the same places.
 */
import type { InputPlace } from '../kernel/engine/external-inputs.js';
import { ApiError } from '../api/errors/api-error.js';
import type { Pod } from '../api/objects/objects.js';
import type { CommandStreams, NodeStreams, RunningCommand } from './streams/node-streams.js';

/** The beginning of a command, some of its input, or, with neither, that its client has gone. */
export interface RecordedCommand extends InputPlace {
  /** Each has a number of its own. */
  readonly command: number;
  readonly start?: {
    readonly namespace: string;
    readonly pod: string;
    readonly container: string;
    readonly words: readonly string[];
    readonly hasInput: boolean;
  };
  /** In base64; `null` = its end. */
  readonly input?: string | null;
}

/** What commands are run by. */
export type CommandNodes = Pick<NodeStreams, 'pod' | 'exec'>;

/** A command, and where it is to run. */
export interface CommandTarget {
  readonly pod: Pod;
  readonly container: string;
  readonly words: readonly string[];
}

/** A command whose client acts at definite places. */
export interface PlacedCommand {
  /** Bytes of its input; `undefined` = its end. */
  input(place: InputPlace, bytes: string | undefined): void;
  kill(place: InputPlace): void;
}

/** Runs commands, and tells `record` of them. */
export class RecordingCommands {
  #started = 0;

  constructor(
    private readonly nodes: CommandNodes,
    private readonly record: (command: RecordedCommand) => void = () => undefined,
  ) {}

  start(place: InputPlace, { pod, container, words }: CommandTarget, streams: CommandStreams): PlacedCommand {
    const { record } = this;
    const command = (this.#started += 1);
    const { name, namespace } = pod.metadata;
    const { ticks, atMs } = place;
    const { hasInput } = streams;
    record({ ticks, atMs, command, start: { namespace: namespace ?? '', pod: name, container, words, hasInput } });
    let isOver = false;
    const running = this.nodes.exec(pod, container, words, {
      ...streams,
      onEnd: (end) => {
        isOver = true;
        streams.onEnd(end);
      },
    });
    return {
      input(at, bytes) {
        const input = bytes === undefined ? null : Buffer.from(bytes, 'latin1').toString('base64');
        record({ ticks: at.ticks, atMs: at.atMs, command, input });
        running.input(bytes);
      },
      kill(at) {
        if (!isOver) record({ ticks: at.ticks, atMs: at.atMs, command });
        running.kill();
      },
    };
  }
}

/** Runs recorded commands again; nothing reads what they write. */
export class ReplayedCommands {
  readonly #running = new Map<number, RunningCommand>();

  constructor(private readonly nodes: CommandNodes) {}

  /** @returns what differs from the recording */
  play({ command, start, input }: RecordedCommand): string | undefined {
    if (start !== undefined) return this.#start(command, start);
    const running = this.#running.get(command);
    if (input === undefined) running?.kill();
    else running?.input(input === null ? undefined : Buffer.from(input, 'base64').toString('latin1'));
    return undefined;
  }

  #start(
    command: number,
    { namespace, pod: name, container, words, hasInput }: NonNullable<RecordedCommand['start']>,
  ): string | undefined {
    try {
      const pod = this.nodes.pod(namespace, name);
      const streams = { hasInput, onStdout: ignore, onStderr: ignore, onEnd: ignore };
      this.#running.set(command, this.nodes.exec(pod, container, words, streams));
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return `the command in pod ${namespace}/${name} was not started: ${error.message}`;
    }
  }
}

function ignore(): void {
  // Nothing reads it.
}
