/** The node lifecycle controller's settings as users give them. */
import { DEFAULT_CONTROLLER_SETTINGS, type ControllerSettings } from '../controllers/runtime/controller-settings.js';
import { durationMs, type Duration } from './durations.js';
import type { AutoscalerDurations } from './autoscaler-durations.js';
import { integerOption, OptionError } from './option-error.js';

type Durations = 'nodeMonitorPeriod' | 'nodeMonitorGracePeriod' | 'nodeStartupGracePeriod';
type Rates = 'nodeEvictionRate' | 'secondaryNodeEvictionRate';
type NodeMonitorSettings = Pick<
  ControllerSettings,
  Durations | Rates | 'largeClusterSizeThreshold' | 'unhealthyZoneThreshold'
>;

/** Settings of the controllers, under the names of kube-controller-manager's flags; all are optional. */
export type ControllerManagerSettings = Partial<
  Omit<
    ControllerSettings,
    | Durations
    | AutoscalerDurations
    | 'attachRecords'
    | 'absentProvisioners'
    | 'discoveryFailure'
    | 'staleApis'
    | 'optionalKinds'
  >
> & {
  readonly [Name in Durations | AutoscalerDurations]?: Duration;
};

const PATH = 'controllerManager.';
const LARGEST_RATE = 1000;

/** @throws OptionError that names the field, what it got and what is allowed */
export function nodeMonitorSettingsOf(settings: ControllerManagerSettings): NodeMonitorSettings {
  return {
    nodeMonitorPeriod: positiveDuration('nodeMonitorPeriod', settings),
    nodeMonitorGracePeriod: positiveDuration('nodeMonitorGracePeriod', settings),
    nodeStartupGracePeriod: positiveDuration('nodeStartupGracePeriod', settings),
    nodeEvictionRate: numberIn('nodeEvictionRate', settings, LARGEST_RATE),
    secondaryNodeEvictionRate: numberIn('secondaryNodeEvictionRate', settings, LARGEST_RATE),
    largeClusterSizeThreshold: integerOption(
      `${PATH}largeClusterSizeThreshold`,
      settings.largeClusterSizeThreshold,
      DEFAULT_CONTROLLER_SETTINGS.largeClusterSizeThreshold,
      0,
      2_147_483_647,
    ),
    unhealthyZoneThreshold: numberIn('unhealthyZoneThreshold', settings, 1),
  };
}

function positiveDuration(name: Durations, settings: ControllerManagerSettings): number {
  const value = settings[name] ?? DEFAULT_CONTROLLER_SETTINGS[name];
  const ms = durationMs(PATH + name, value);
  if (ms > 0) return ms;
  throw new OptionError(PATH + name, 'milliseconds > 0 or a duration such as "90s"', value);
}

function numberIn(name: Rates | 'unhealthyZoneThreshold', settings: ControllerManagerSettings, max: number): number {
  const value: unknown = settings[name] ?? DEFAULT_CONTROLLER_SETTINGS[name];
  if (typeof value === 'number' && value >= 0 && value <= max) return value;
  throw new OptionError(PATH + name, `a number in 0..${max}`, value);
}
