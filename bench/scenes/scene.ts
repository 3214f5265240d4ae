import type { ClientLimits } from '../../src/index.js';

/** Scenes are about the engine and its rules: clients send as fast as they can. */
export const SCENE_CLIENT_LIMITS: ClientLimits = 'unlimited';

/** One line of what a scene tells: a row of figures, or a note. */
export type SceneLine = Readonly<Record<string, string | number>>;

/** How a scene is run. */
export interface SceneRun {
  readonly seed: string;
  readonly tell: (line: SceneLine) => void;
}

/** A scene in one size. */
export interface Scene {
  /** As it is named on the command line. */
  readonly name: string;
  readonly run: (run: SceneRun) => Promise<void>;
}
