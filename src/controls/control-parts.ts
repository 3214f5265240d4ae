import type { ApiServer } from '../apiserver/store/server-types.js';
import type { NodeFleet } from '../assembly/node-fleet.js';
import type { Lookout } from '../bus/bus-types.js';
import type { FaultInjector } from '../faults/fault-injector.js';
import type { Kernel } from '../kernel/engine/kernel.js';

/** What the objects of kubeloom.dev act on. */
export interface ControlParts {
  readonly kernel: Kernel;
  readonly server: ApiServer;
  readonly lookout: Lookout;
  readonly faults: FaultInjector;
  readonly fleet: NodeFleet;
}

/** The party that writes the status of these objects. */
const PARTY = 'kubeloom';

/** Work as the party of the controls, in a tick of its own at the present. */
export function soon(parts: Pick<ControlParts, 'kernel' | 'server'>, work: () => void): void {
  later(parts, 0, work);
}

/** The same after a while. @returns what may be called off */
export function later(
  { kernel, server }: Pick<ControlParts, 'kernel' | 'server'>,
  delayMs: number,
  work: () => void,
): { cancel(): void } {
  const timer = kernel.clock.schedule(delayMs, () => server.as(PARTY, work, undefined));
  return { cancel: () => kernel.clock.cancel(timer) };
}
