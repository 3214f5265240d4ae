/** What tests of the states of containers share. */
import type { Draft } from '../../../src/api/objects/objects.js';
import type { ScriptInput } from '../../../src/kubelet/scripts/script-input.js';
import { IMAGE, ran, scripted, timeline, type Scene } from '../scene.js';

export const PRESENT = `event Normal Pulled: Container image "${IMAGE}" already present on machine`;
export const CREATED = 'event Normal Created: Created container: c';
export const STARTED = 'event Normal Started: Started container c';

/** A pod of one container `c` with that script. */
export function ranScript(durationMs: number, script: ScriptInput, container: Draft = {}): Promise<Scene> {
  return ran(durationMs, { containers: [{ name: 'c', image: IMAGE, ...container }] }, scripted(script));
}

/** What happened from the binding on, without conditions. */
export function told(scene: Scene): readonly string[] {
  return timeline(scene)
    .slice(2)
    .map((line) => line.replace(/ (DisruptionTarget|Start):.*/, '').replace(/ Sched:.*/, ''));
}

export function sidecar(name: string): Draft {
  return { name, image: IMAGE, restartPolicy: 'Always' };
}
