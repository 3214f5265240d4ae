import type { ExecutionContext } from 'ava';
import { ApiError } from '../../src/api/errors/api-error.js';
import type { Draft, Kind } from '../../src/api/objects/objects.js';
import { createApiServer } from '../../src/apiserver/api-server.js';
import type { ApiServerOptions } from '../../src/apiserver/server-options.js';
import type { ApiServer, WatchEvent, WatchOptions } from '../../src/apiserver/store/server-types.js';
import { createKernel, type Kernel } from '../../src/kernel/engine/kernel.js';

/** A server with its kernel, at simulated time 0. */
export interface Fixture {
  readonly kernel: Kernel;
  readonly server: ApiServer;
  /** Lets simulated time pass. */
  readonly at: (untilMs: number) => Promise<void>;
}

export function createFixture(options: ApiServerOptions = {}): Fixture {
  const kernel = createKernel({ seed: 'apiserver' });
  const server = createApiServer(kernel, options);
  return {
    kernel,
    server,
    at: async (untilMs) => {
      kernel.clock.schedule(untilMs - kernel.clock.now(), () => undefined);
      await kernel.clock.run({ untilMs });
    },
  };
}

/** A pod as a client writes it. */
export function podDraft(name: string, spec: object = {}, metadata: object = {}): Draft {
  return { metadata: { name, ...metadata }, spec: { containers: [{ name: 'c', image: 'pause:3' }], ...spec } };
}

export interface Refusal {
  readonly code: number;
  readonly reason: string | undefined;
  readonly message: string;
}

/** The error with which a request is refused. */
export function refusal(t: ExecutionContext, request: () => unknown): Refusal {
  const error = t.throws(request, { instanceOf: ApiError });
  return { code: error.code, reason: error.reason, message: error.message };
}

/** What a watch heard, as `ADDED p 12`. */
export function heard(server: ApiServer, kind: Kind, options: WatchOptions = {}): string[] {
  const lines: string[] = [];
  server.watch(kind, options, (event) => lines.push(line(event)));
  return lines;
}

function line(event: WatchEvent): string {
  if (event.type === 'BOOKMARK') return `BOOKMARK ${event.version}`;
  return `${event.type} ${event.object.metadata.name} ${event.version}`;
}

/** Takes what was heard so far. */
export function take(lines: string[]): readonly string[] {
  return lines.splice(0);
}
