import type { World } from './invariant.js';

const MANAGER = 'kube-controller-manager';

/** Whether controllers have worked undisturbed for so long that what they do and leave undone is their own doing. */
export function areCalm(world: World, controllers: readonly string[], forMs: number): boolean {
  return controllers.every((name) => {
    const sinceMs = world.calmSinceMs(name);
    return sinceMs !== undefined && world.nowMs - sinceMs >= forMs;
  });
}

/** Whether a request is the controller manager's, or that of a controller with a process of its own. */
export function isOfManager(by: string): boolean {
  return by.startsWith(MANAGER);
}
