/** Comlink ships this adapter without types that Node's module resolution finds. */
declare module 'comlink/dist/esm/node-adapter.mjs' {
  import type { Endpoint } from 'comlink';
  import type { MessagePort, Worker } from 'node:worker_threads';

  /** Makes a worker thread, or the port to its parent, an endpoint that Comlink can talk over. */
  export default function nodeEndpoint(port: Worker | MessagePort): Endpoint;
}
