/** The way to the cluster's thread: one connection for all virtual users of a thread. */
import { MessageChannel, postMessageToThread, Worker, type MessagePort } from 'node:worker_threads';
import { CallError, type Call, type Connect, type Reply } from './protocol.js';

/** See the file header. */
export class Connection {
  readonly #port: MessagePort;
  readonly #pending = new Map<number, (reply: Reply) => void>();
  #calls = 0;

  private constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', (reply: Reply) => this.#answered(reply));
    // A connection keeps its thread alive while it waits for an answer, and not longer.
    port.unref();
  }

  /** @throws CallError when there is no such thread any more */
  static async to(threadId: number): Promise<Connection> {
    const { port1, port2 } = new MessageChannel();
    // What waits for another thread has to keep its own alive.
    port1.ref();
    const connect: Connect = { type: 'kubeloom/connect', port: port2 };
    try {
      await postMessageToThread(threadId, connect, [port2]);
    } catch (error) {
      throw new CallError('ClusterGone', `thread ${threadId} of the cluster cannot be reached: ${String(error)}`);
    }
    return new Connection(port1);
  }

  call(verb: string, args: Call['args'], isOfHook: boolean): Promise<Reply> {
    this.#calls += 1;
    const id = this.#calls;
    this.#port.ref();
    this.#port.postMessage({ id, verb, args, isOfHook } satisfies Call);
    return new Promise((resolve) => {
      this.#pending.set(id, resolve);
    });
  }

  #answered(reply: Reply): void {
    this.#pending.get(reply.id)?.(reply);
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0) this.#port.unref();
  }
}

/** Starts the cluster's thread; it ends with the program. @param options - `config.engines.kubeloom` of the script */
export function startHost(options: object): Promise<Worker> {
  const worker = new Worker(new URL('./host.js', import.meta.url), { workerData: options });
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', () => {
      worker.off('error', reject);
      worker.unref();
      resolve(worker);
    });
  });
}
