import type { ApiServer } from '../apiserver/store/server-types.js';
import type { Bus, Connection } from '../bus/bus-types.js';
import type { Clock } from '../kernel/engine/clock.js';
import type { Kernel } from '../kernel/engine/kernel.js';
import type { RandomStream } from '../kernel/random.js';
import type { Timestamps } from '../kernel/timestamps.js';

/** A way into a cluster for what plays a user's load in simulated time. */
export interface UserConnection {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly timestamps: Timestamps;
  /** Which kinds there are, those of definitions among them. */
  readonly kinds: Pick<ApiServer, 'customKinds' | 'describe'>;
  /** A stream of its own by name: each name has one owner. */
  random(name: string): RandomStream;
}

/** @param party - name of the link, and of its streams */
export function connectUser(
  parts: { readonly kernel: Kernel; readonly bus: Bus; readonly server: ApiServer },
  party: string,
): UserConnection {
  const { kernel, bus, server } = parts;
  const { clock, timestamps } = kernel;
  return {
    connection: bus.connect(party),
    clock,
    timestamps,
    kinds: server,
    random: (name) => kernel.random(`${party}/${name}`),
  };
}
