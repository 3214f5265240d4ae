/** The cluster's thread: takes the calls of every thread of virtual users, and has one cluster for all of them. */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { RunPool } from './run-pool.js';
import { SharedCluster, type EngineOptions } from './shared-cluster.js';
import { CallError, type Call, type Connect, type Measured, type Reply } from './protocol.js';

const options = workerData as EngineOptions;
const NOTHING: Measured = { counters: [], values: [] };

const library = await import('kubeloom');
const runs = new RunPool(options.runThreads);
/** Made by the first verb that needs it: whole runs have clusters of their own. */
let shared: Promise<SharedCluster> | undefined;

async function answer({ id, verb, args, isOfHook }: Call): Promise<Reply> {
  if (verb === 'run') return { id, ...(await runs.play(args)) };
  const cluster = await (shared ??= SharedCluster.start(library, options));
  const measured = (): Measured => (isOfHook ? NOTHING : cluster.measured());
  try {
    return { id, value: await cluster.play(verb, args), measured: measured() };
  } catch (error) {
    return { id, failure: failureOf(error), measured: measured() };
  }
}

async function answered(call: Call): Promise<Reply> {
  try {
    return await answer(call);
  } catch (error) {
    return { id: call.id, failure: failureOf(error), measured: NOTHING };
  }
}

function failureOf(error: unknown): NonNullable<Reply['failure']> {
  if (error instanceof CallError) return { code: error.code, message: error.message };
  if (error instanceof library.ApiError) return { code: error.reason ?? `Status${error.code}`, message: error.message };
  if (error instanceof Error) return { code: error.name, message: error.message };
  return { code: 'Error', message: String(error) };
}

process.on('workerMessage', (message: Connect) => {
  if (message.type !== 'kubeloom/connect') return;
  const port: MessagePort = message.port;
  port.on('message', (call: Call) => void answered(call).then((reply) => port.postMessage(reply)));
});
// A thread that listens to its parent lives as long as that does.
parentPort?.on('message', () => undefined);
parentPort?.postMessage('ready');
