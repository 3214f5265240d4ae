/** How fast the components' clients may send, as users say it: one word for all of them, and settings of each. */
import { clientLimit, type ClientLimits } from '../bus/client-limits.js';
import { DEFAULT_CONTROLLER_SETTINGS, type ControllerSettings } from '../controllers/runtime/controller-settings.js';
import type { RateLimit } from '../kernel/token-bucket.js';
import type { ClientConnection, SchedulerConfiguration } from '../scheduler/config/configuration.js';
import type { ControllerManagerSettings } from './node-monitor-options.js';
import { OptionError } from './option-error.js';

const LARGEST_QPS = 1_000_000;
const LARGEST_BURST = 2_147_483_647;
const CONNECTION_FIELDS: readonly string[] = ['qps', 'burst'];
const NO_LIMIT_QPS = -1;
/** kube-scheduler's (v1.34 pkg/scheduler/apis/config/v1/defaults.go). */
const SCHEDULER_QPS = 50;
const SCHEDULER_BURST = 100;

/** @throws OptionError */
export function clientLimitsOf(word: unknown = 'upstream'): ClientLimits {
  if (word === 'upstream' || word === 'unlimited') return word;
  throw new OptionError('clientLimits', "'upstream' or 'unlimited'", word);
}

/** @throws OptionError, also where upstream's manager would not start: a QPS without a burst */
export function managerLimitsOf(
  settings: ControllerManagerSettings,
  clientLimits: ClientLimits,
): Pick<ControllerSettings, 'kubeAPIQPS' | 'kubeAPIBurst'> {
  const { kubeAPIQPS: usualQps, kubeAPIBurst: usualBurst } = DEFAULT_CONTROLLER_SETTINGS;
  const qps = qpsOf('controllerManager.kubeAPIQPS', settings.kubeAPIQPS);
  const burst = burstOf('controllerManager.kubeAPIBurst', settings.kubeAPIBurst) ?? usualBurst;
  const kubeAPIQPS = qps ?? (clientLimits === 'upstream' ? usualQps : NO_LIMIT_QPS);
  if (kubeAPIQPS > 0 && burst === 0) {
    throw new OptionError('controllerManager.kubeAPIBurst', 'more than 0 beside a kubeAPIQPS of more than 0', burst);
  }
  return { kubeAPIQPS, kubeAPIBurst: burst };
}

/** What a KubeSchedulerConfiguration says, or the settings where there is none. @throws OptionError */
export function schedulerLimitOf(
  settings: { readonly clientConnection?: ClientConnection } = {},
  config: SchedulerConfiguration | undefined,
  clientLimits: ClientLimits,
): RateLimit | undefined {
  const path = config === undefined ? 'scheduler.clientConnection' : 'schedulerConfig.clientConnection';
  const connection: unknown = (config ?? settings).clientConnection ?? {};
  if (typeof connection !== 'object' || connection === null || Array.isArray(connection)) {
    throw new OptionError(path, 'an object with qps and burst', connection);
  }
  const unknown = Object.keys(connection).find((key) => !CONNECTION_FIELDS.includes(key));
  if (unknown !== undefined) {
    throw new OptionError(`option ${path}.${unknown}`, `one of ${CONNECTION_FIELDS.join(', ')}`, unknown);
  }
  const { qps, burst } = connection as Readonly<Record<string, unknown>>;
  const given = qpsOf(`${path}.qps`, qps);
  const most = burstOf(`${path}.burst`, burst);
  if (given === undefined && clientLimits === 'unlimited') return undefined;
  return clientLimit(saidOr(SCHEDULER_QPS, given), saidOr(SCHEDULER_BURST, most));
}

/** Upstream's scheduler takes 0 as something that is not said. */
function saidOr(usual: number, given = 0): number {
  return given === 0 ? usual : given;
}

function qpsOf(field: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value >= -LARGEST_QPS && value <= LARGEST_QPS) return value;
  throw new OptionError(field, `a number in ${-LARGEST_QPS}..${LARGEST_QPS}, less than 0 = no limit`, value);
}

function burstOf(field: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LARGEST_BURST) return value;
  throw new OptionError(field, `an integer in 0..${LARGEST_BURST}`, value);
}
