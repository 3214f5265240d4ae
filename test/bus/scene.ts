import { createApiServer } from '../../src/apiserver/api-server.js';
import type { ApiServer } from '../../src/apiserver/store/server-types.js';
import type { Draft } from '../../src/api/objects/objects.js';
import { createBus } from '../../src/bus/bus.js';
import type { Bus, InformerHandler, Latency } from '../../src/bus/bus-types.js';
import type { EngineClock } from '../../src/kernel/engine/clock.js';
import { createKernel, type Kernel } from '../../src/kernel/engine/kernel.js';

/** A kernel, an API server and a bus, all real. */
export interface Scene {
  readonly kernel: Kernel;
  readonly clock: EngineClock;
  readonly server: ApiServer;
  readonly bus: Bus;
  /** Runs that many milliseconds of simulated time. */
  readonly run: (durationMs: number) => Promise<void>;
}

/** Links take 3 ms each way unless told otherwise. */
export function createScene(
  options: { readonly seed?: string; readonly latency?: Latency; readonly watchHistory?: number } = {},
): Scene {
  const kernel = createKernel({ seed: options.seed ?? 'test' });
  const { clock } = kernel;
  const server = createApiServer(kernel, { watchHistory: options.watchHistory });
  const bus = createBus(kernel, server, { latency: options.latency ?? 3 });
  const run = async (durationMs: number): Promise<void> => {
    await clock.run({ untilMs: clock.now() + durationMs });
  };
  return { kernel, clock, server, bus, run };
}

/** A node as a client submits it. */
export function nodeDraft(name: string, labels: Readonly<Record<string, string>> = {}): Draft {
  return { metadata: { name, labels } };
}

/** A pod of namespace `default` as a client submits it, bound if `nodeName` is given. */
export function podDraft(name: string, nodeName?: string, labels: Readonly<Record<string, string>> = {}): Draft {
  const containers = [{ name: 'c', image: 'i' }];
  return {
    metadata: { name, labels },
    spec: nodeName === undefined ? { containers } : { nodeName, containers },
  };
}

/** Notes what a handler is told, as `add a`, `update a`, `delete a`. */
export function noting(
  told: string[],
  prefix = '',
): Required<Omit<InformerHandler<'Node'>, 'onBreak'>> & InformerHandler<'Pod'> {
  const note = (what: string, name: string): void => void told.push(`${prefix}${what} ${name}`);
  return {
    onAdd: ({ metadata }: { readonly metadata: { readonly name: string } }) => note('add', metadata.name),
    onUpdate: (_previous: unknown, { metadata }: { readonly metadata: { readonly name: string } }) =>
      note('update', metadata.name),
    onDelete: ({ metadata }: { readonly metadata: { readonly name: string } }) => note('delete', metadata.name),
  };
}

/** Sets a label of a node at the API server itself. */
export function label(server: ApiServer, name: string, value: string): void {
  server.change('Node', { name }, (node) => ({ ...node, metadata: { ...node.metadata, labels: { value } } }));
}
