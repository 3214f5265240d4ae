/**
 * HorizontalPodAutoscalers of autoscaling/v2 in the form of v1, which knows one metric, the use of CPU
 * (pkg/apis/autoscaling/v1/conversion.go, v1.34). What v1 cannot say is left out of what it shows, and kept.
 */
import type { Draft } from '../../objects/objects.js';

type Fields = Readonly<Record<string, unknown>>;

function part(object: unknown, field: string): Fields {
  const value = (object as Fields | undefined)?.[field];
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function metricsOf(holder: Fields, field: string): readonly Fields[] {
  const value = holder[field];
  return Array.isArray(value) ? (value as readonly Fields[]) : [];
}

function isCpu(metric: Fields): boolean {
  return metric['type'] === 'Resource' && part(metric, 'resource')['name'] === 'cpu';
}

/** Of the metric that v1 knows: a share of what is requested. */
function utilization(metrics: readonly Fields[], under: string): unknown {
  const cpu = metrics.find(isCpu);
  return cpu === undefined ? undefined : part(part(cpu, 'resource'), under)['averageUtilization'];
}

function isKnownHere(metric: Fields): boolean {
  return isCpu(metric) && part(part(metric, 'resource'), 'target')['averageUtilization'] !== undefined;
}

/** An object of v2 as v1 shows it. */
export function shownAutoscaler(object: object): object {
  const { spec: _spec, status: _status, ...rest } = object as Fields;
  const { metrics: _metrics, behavior: _behavior, ...spec } = part(object, 'spec');
  const { currentMetrics: _current, conditions: _conditions, ...status } = part(object, 'status');
  const target = utilization(metricsOf(part(object, 'spec'), 'metrics'), 'target');
  const current = utilization(metricsOf(part(object, 'status'), 'currentMetrics'), 'current');
  return {
    ...rest,
    ...(rest['apiVersion'] === undefined ? {} : { apiVersion: 'autoscaling/v1' }),
    spec: { ...spec, ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }) },
    status: { ...status, ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }) },
  };
}

/** What a client of v1 wrote, as it is kept. */
export function keptAutoscaler(draft: object, previous?: object): Draft {
  const { spec: _spec, status: _status, ...rest } = draft as Fields;
  const { targetCPUUtilizationPercentage: target, ...spec } = part(draft, 'spec');
  const { currentCPUUtilizationPercentage: _current, ...status } = part(draft, 'status');
  const before = part(previous, 'spec');
  const others = metricsOf(before, 'metrics').filter((metric) => !isKnownHere(metric));
  const cpu = {
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: target } },
  };
  const metrics = [...others, ...(target === undefined ? [] : [cpu])];
  const { currentMetrics, conditions } = part(previous, 'status');
  return {
    ...rest,
    ...(rest['apiVersion'] === undefined ? {} : { apiVersion: 'autoscaling/v2' }),
    spec: {
      ...spec,
      ...(metrics.length === 0 ? {} : { metrics }),
      ...(before['behavior'] === undefined ? {} : { behavior: before['behavior'] }),
    },
    status: {
      ...status,
      ...(currentMetrics === undefined ? {} : { currentMetrics }),
      ...(conditions === undefined ? {} : { conditions }),
    },
  };
}
