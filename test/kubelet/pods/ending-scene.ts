/** What tests of the end of pods share. */
import { forget, ran, scripted, timeline, type podDraft, type Scene } from '../scene.js';

/** The pod of the scene. */
export const P = { namespace: 'default', name: 'p' };

/** Annotations of a container that ignores SIGTERM. */
export const STAYS = scripted({ shutdown: { ignoresTerm: true } });

/** A running pod from which the next lines of the story are told. */
export async function running(...draft: Parameters<typeof podDraft>): Promise<Scene> {
  const scene = await ran(9000, ...draft);
  forget(scene);
  return scene;
}

/** What happened, without conditions. */
export function told(scene: Scene): readonly string[] {
  return timeline(scene).map((line) => line.replace(/ (DisruptionTarget|Start):\S.*?(?= grace=|$)/, ''));
}
