/**
 * Requests that want their connection for themselves: `exec`, and what Kubernetes refuses here as a node does where
 * nothing listens. They speak websockets with the channels of `v4.channel.k8s.io` and `v5.channel.k8s.io`
 * (staging/src/k8s.io/apimachinery/pkg/util/remotecommand); SPDY, which older clients speak, is refused.
 */
import { goJson } from '../api/values/go-json.js';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import { Writable, type Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { ApiError } from '../api/errors/api-error.js';
import type { ApiAnswer, StreamAnswer, WatchAnswer } from '../requests/api-request.js';
import { refusal, type RequestDoor } from './request-door.js';
import { channelForm, SUBPROTOCOLS, type ChannelForm } from './channels.js';
import { RecordingCommands, type CommandTarget, type RecordedCommand } from './recorded-commands.js';
import { chosenContainer } from './streams/container-choice.js';
import { WatchWriter } from './watch-writer.js';
import { openLog } from './streams/log-stream.js';
import type { NodeStreams } from './streams/node-streams.js';

/** Bytes of one message; commands have no use for what clients send, and read it no further. */
const LONGEST_MESSAGE_BYTES = 1024 * 1024;

/** Without channels, for what goes one way. */
const PLAIN_PROTOCOLS: readonly string[] = ['binary.k8s.io', 'base64.binary.k8s.io'];

const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;

/** A command as a client asks for it. */
interface AskedCommand extends CommandTarget {
  readonly hasInput: boolean;
  readonly isTerminal: boolean;
}

/** See the file header. */
export class UpgradeDoor {
  readonly #door: RequestDoor;
  readonly #nodes: NodeStreams;
  readonly #commands: RecordingCommands;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: LONGEST_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => [...SUBPROTOCOLS, ...PLAIN_PROTOCOLS].find((each) => offered.has(each)) ?? false,
  });

  /** @param record - is told of commands that are run */
  constructor(door: RequestDoor, nodes: NodeStreams, record?: (command: RecordedCommand) => void) {
    this.#door = door;
    this.#nodes = nodes;
    this.#commands = new RecordingCommands(nodes, record);
  }

  /** Takes a connection; never rejects. */
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    this.#take(request, socket, head).catch((error: unknown) => refuse(socket, refusal(error)));
  }

  close(): void {
    for (const socket of this.#sockets.clients) socket.close(1001);
    this.#sockets.close();
  }

  async #take(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const answer = await this.#door.upgraded(request);
    if (answer.type === 'watch' && isWebSocket(request)) {
      this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#watch(opened, request, answer));
      return undefined;
    }
    if (answer.type !== 'stream') return refuse(socket, answer);
    if (!isWebSocket(request)) {
      throw new ApiError(400, 'BadRequest', 'unable to upgrade: only websockets are served, not SPDY');
    }
    const { searchParams } = new URL(request.url ?? '/', 'http://server');
    if (answer.verb === 'log') {
      const log = openLog(this.#nodes, answer.namespace ?? '', answer.name, searchParams);
      this.#sockets.handleUpgrade(request, socket, head, (opened) => log.write(bytesTo(opened)));
      return undefined;
    }
    const target = this.#target(answer, searchParams);
    const form = offeredForm(request.headers['sec-websocket-protocol']);
    this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#run(opened, form, target));
  }

  /** A watch with a message for each frame, as browsers take it. */
  #watch(socket: WebSocket, { url = '/' }: IncomingMessage, answer: WatchAnswer): void {
    const { pathname: path, searchParams: query } = new URL(url, 'http://server');
    const means = this.#door.watching({ method: 'GET', path, query });
    const watch = new WatchWriter(messagesOf(socket), means, () => socket.close(1000));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => watch.end());
    watch.open(answer);
  }

  /** @throws ApiError for what there is not */
  #target({ verb, namespace = '', name }: StreamAnswer, query: URLSearchParams): AskedCommand {
    const pod = this.#nodes.pod(namespace, name);
    if (verb === 'portforward') {
      throw new ApiError(500, 'InternalError', `unable to upgrade connection: nothing listens in pod ${name}`, {});
    }
    const container = chosenContainer(pod, query.get('container') ?? '');
    if (pod.spec.nodeName === undefined) {
      throw new ApiError(400, 'BadRequest', `pod ${name} does not have a host assigned`);
    }
    const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = pod.status;
    const isRunning = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].some(
      (each) => each.name === container && each.state?.running !== undefined,
    );
    if (!isRunning) {
      const message = `unable to upgrade connection: container not found (${JSON.stringify(container)})`;
      throw new ApiError(500, 'InternalError', message, {});
    }
    if (verb !== 'exec') {
      const message = `unable to upgrade connection: container ${container} of pod ${name}_${namespace} has no streams`;
      throw new ApiError(500, 'InternalError', message, {});
    }
    const words = query.getAll('command');
    if (words.length === 0)
      throw new ApiError(400, 'BadRequest', 'you must specify at least 1 command for the container');
    const wants = (stream: string): boolean => /^(?:true|1)$/.test(query.get(stream) ?? '');
    return { pod, container, words, hasInput: wants('stdin'), isTerminal: wants('tty') };
  }

  /** Runs a command: its output goes out as it comes, what comes in is its input. */
  #run(socket: WebSocket, form: ChannelForm, { hasInput, isTerminal, ...target }: AskedCommand): void {
    socket.on('error', () => socket.terminate());
    const send = (channel: number, bytes: string): void => {
      if (socket.readyState === socket.OPEN) socket.send(form.message(channel, Buffer.from(bytes, 'latin1')));
    };
    send(STDOUT, '');
    this.#door.within((place) => {
      const command = this.#commands.start(place, target, {
        hasInput,
        onStdout: (bytes) => send(STDOUT, bytes),
        onStderr: (bytes) => send(isTerminal ? STDOUT : STDERR, bytes),
        onEnd({ exitCode, startError }) {
          const problem = startError === undefined ? undefined : `error executing command in container: ${startError}`;
          if (form.hasStatus) send(ERROR, JSON.stringify(statusOf(exitCode, problem)));
          else if (exitCode !== 0) send(ERROR, problem ?? nonZero(exitCode));
          socket.close(1000);
        },
      });
      socket.on('message', (data: Buffer) => {
        const input = form.input(data);
        if (input !== undefined && hasInput) this.#door.within((at) => command.input(at, input.bytes));
      });
      socket.on('close', () => this.#door.within((at) => command.kill(at)));
    });
  }
}

function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** Takes lines, and sends each as a message; a reader that falls behind keeps the writer waiting. */
function messagesOf(socket: WebSocket): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      for (const line of text.split('\n')) if (line !== '') socket.send(line);
      if (socket.bufferedAmount < LONGEST_MESSAGE_BYTES) done();
      else socket.send('', () => done());
    },
  });
}

/** @throws ApiError 400 where a client offers words that are not known, and none that is */
function offeredForm(header: string | undefined): ChannelForm {
  const offered = (header ?? '').split(',').map((each) => each.trim());
  const chosen = SUBPROTOCOLS.find((each) => offered.includes(each));
  if (chosen === undefined && header !== undefined) {
    const known = SUBPROTOCOLS.join(', ');
    throw new ApiError(400, 'BadRequest', `unable to upgrade: none of the subprotocols is known here: ${known}`);
  }
  return channelForm(chosen);
}

/** Takes bytes, and sends them as they are. */
function bytesTo(socket: WebSocket): Writable {
  const isBase64 = socket.protocol === 'base64.binary.k8s.io';
  socket.on('error', () => socket.terminate());
  const out = new Writable({
    write(bytes: Buffer, _encoding, done) {
      socket.send(isBase64 ? bytes.toString('base64') : bytes, () => done());
    },
    final(done) {
      socket.close(1000);
      done();
    },
  });
  socket.on('close', () => out.destroy());
  return out;
}

function statusOf(exitCode: number, problem: string | undefined): object {
  if (problem !== undefined) {
    return {
      metadata: {},
      status: 'Failure',
      message: `Internal error occurred: ${problem}`,
      reason: 'InternalError',
      code: 500,
    };
  }
  if (exitCode === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: nonZero(exitCode),
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}

function nonZero(exitCode: number): string {
  return `command terminated with non-zero exit code: exit status ${exitCode}`;
}

/** An ordinary answer in place of the upgrade. */
function refuse(socket: Duplex, answer: ApiAnswer): void {
  const { status, body } = plain(answer);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ];
  socket.end(lines.join('\r\n'));
}

function plain(answer: ApiAnswer): { readonly status: number; readonly body: string } {
  if (answer.type === 'object') return { status: answer.status, body: `${goJson(answer.value)}\n` };
  const error = new ApiError(400, 'BadRequest', 'only exec, attach and portforward are upgraded');
  return { status: 400, body: `${goJson(error.toStatus())}\n` };
}
