/** The horizontal pod autoscaler's settings as users give them. */
import { DEFAULT_CONTROLLER_SETTINGS, type ControllerSettings } from '../controllers/runtime/controller-settings.js';
import type { AutoscalerDurations } from './autoscaler-durations.js';
import { durationMs } from './durations.js';
import type { ControllerManagerSettings } from './node-monitor-options.js';
import { OptionError } from './option-error.js';

type AutoscalerSettings = Pick<ControllerSettings, AutoscalerDurations | 'horizontalPodAutoscalerTolerance'>;

const PATH = 'controllerManager.';
const LARGEST_TOLERANCE = 1;

/** @throws OptionError that names the field, what it got and what is allowed */
export function autoscalerSettingsOf(settings: ControllerManagerSettings): AutoscalerSettings {
  const durationOf = (name: AutoscalerDurations): number =>
    durationMs(PATH + name, settings[name] ?? DEFAULT_CONTROLLER_SETTINGS[name]);
  const period = 'horizontalPodAutoscalerSyncPeriod';
  const horizontalPodAutoscalerSyncPeriod = durationOf(period);
  if (horizontalPodAutoscalerSyncPeriod === 0) {
    throw new OptionError(PATH + period, 'milliseconds > 0 or a duration such as "90s"', settings[period]);
  }
  return {
    horizontalPodAutoscalerSyncPeriod,
    horizontalPodAutoscalerDownscaleStabilization: durationOf('horizontalPodAutoscalerDownscaleStabilization'),
    horizontalPodAutoscalerCPUInitializationPeriod: durationOf('horizontalPodAutoscalerCPUInitializationPeriod'),
    horizontalPodAutoscalerInitialReadinessDelay: durationOf('horizontalPodAutoscalerInitialReadinessDelay'),
    horizontalPodAutoscalerTolerance: toleranceOf(settings.horizontalPodAutoscalerTolerance),
  };
}

function toleranceOf(given: unknown): number {
  const value = given ?? DEFAULT_CONTROLLER_SETTINGS.horizontalPodAutoscalerTolerance;
  if (typeof value === 'number' && value >= 0 && value <= LARGEST_TOLERANCE) return value;
  throw new OptionError(`${PATH}horizontalPodAutoscalerTolerance`, `a number in 0..${LARGEST_TOLERANCE}`, value);
}
