/** What a measurement is: called by steps with parameters, it gives files of results, and says what was too slow. */
import type { LoadFields } from '../../input/load-fields.js';
import type { LoadPlayer } from '../../player/load-player.js';
import type { ControlledPods } from './controlled-pods.js';

/** A file of results, without its extension and what the test adds to its name. */
export interface Summary {
  readonly name: string;
  readonly content: string;
}

/** What measurements work with. */
export interface MeasurementMeans {
  readonly player: LoadPlayer;
  readonly namespacePrefix: string;
  /** Pods by what controls them, shared by all measurements of a test; begins to watch when it is asked for first. */
  readonly controlledPods: () => Promise<ControlledPods>;
}

/** One call of a measurement. */
export interface Call {
  readonly identifier: string;
  readonly params: LoadFields;
}

/** What a call gives. */
export interface Outcome {
  readonly summaries?: readonly Summary[];
  /** What was not as it should be. */
  readonly error?: string;
  /** The test ends with it. */
  readonly isFatal?: boolean;
}

/** One measurement of a test, by method and identifier. */
export interface Measurement {
  execute(call: Call): Promise<Outcome>;
  dispose(): void;
}

/** Makes a measurement when it is called first. */
export type MeasurementFactory = (means: MeasurementMeans) => Measurement;

const NOTHING: Outcome = {};

/** An action that gives nothing. */
export function done(): Outcome {
  return NOTHING;
}

/** @throws LoadError for an action that the method does not have */
export function actionOf<T extends string>({ params }: Call, actions: readonly [T, ...T[]]): T {
  const action = params.requiredText('action');
  const found = actions.find((each) => each === action);
  if (found !== undefined) return found;
  throw params.refusal('action', `must be one of ${actions.join(', ')}, got ${JSON.stringify(action)}`);
}
