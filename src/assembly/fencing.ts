/** How machines of a cluster are fenced: through the faults' hold on them, which nothing on the machine can break. */
import { fencingController } from '../controllers/fencing/fencing-controller.js';
import type { FencingAction } from '../controllers/fencing/fencing-settings.js';
import type { ControllerDefinition } from '../controllers/controller-manager.js';
import type { FaultHandle, FaultInjector } from '../faults/fault-injector.js';
import type { Clock } from '../kernel/engine/clock.js';
import type { OwnAction, ResolvedFencing } from '../options/fencing-options.js';
import type { NodeFleet } from './node-fleet.js';

/** What fencing acts on. */
export interface FencedParts {
  readonly clock: Clock;
  readonly faults: FaultInjector;
  readonly fleet: NodeFleet;
}

/** The controller that fences the machines of a cluster. */
export function clusterFencing(fencing: ResolvedFencing, parts: FencedParts): ControllerDefinition {
  const { action, confirmMs } = fencing;
  return fencingController({
    ...fencing,
    action: typeof action === 'string' ? ownAction(action, confirmMs, parts) : action,
  });
}

function ownAction(name: OwnAction, confirmMs: number, { clock, faults, fleet }: FencedParts): FencingAction {
  if (name === 'cutStorage') {
    return {
      name,
      endsProcesses: false,
      fence: (node, done) =>
        void clock.schedule(confirmMs, () => {
          fleet.kubelet(node)?.mounts.cutOff();
          done(true);
        }),
      lift: (node) => fleet.kubelet(node)?.mounts.letIn(),
    };
  }
  const off = new Map<string, FaultHandle>();
  return {
    name,
    endsProcesses: true,
    fence: (node, done) =>
      void clock.schedule(confirmMs, () => {
        if (off.get(node)?.isActive !== true) off.set(node, faults.powerOff(node));
        done(true);
        // The release has been told by then; the machine has no process of before.
        if (name === 'powerCycle') clock.schedule(confirmMs, () => off.get(node)?.heal());
      }),
  };
}
