/** The present of a cluster as bytes that threads share: written down once, and read by each fork for itself. */
import { deserialize, serialize } from 'node:v8';
import type { Cluster } from '../cluster/cluster.js';
import { assert } from '../kernel/assert.js';
import type { Present } from './host-protocol.js';

/** Between two runs. With the contents of secrets, as `Cluster.fork` has it. */
export function presentOf(cluster: Pick<Cluster, 'forkOptions'>): Present {
  const { from, ...options } = cluster.forkOptions({});
  const written = serialize(from);
  const bytes = new SharedArrayBuffer(written.length);
  new Uint8Array(bytes).set(written);
  return { bytes, options };
}

/** What `createCluster({ from })` takes. */
export function contentOf(bytes: SharedArrayBuffer): object {
  const content: unknown = deserialize(new Uint8Array(bytes));
  assert(typeof content === 'object' && content !== null, 'a present is an exported cluster');
  return content;
}
