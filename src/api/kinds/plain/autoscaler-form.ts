/**
 * HorizontalPodAutoscalers of autoscaling/v2 in the form of v1, which knows one metric, the use of CPU; annotations
 * carry the rest there and back (pkg/apis/autoscaling/v1/conversion.go, v1.34).
 */
import { escapedForHtml } from '../../values/go-json.js';
import type { Draft } from '../../objects/objects.js';
import { keptMetric, listOf, part, shownMetric, stated, type Fields } from './autoscaler-metrics.js';

const PREFIX = 'autoscaling.alpha.kubernetes.io/';
const METRICS = `${PREFIX}metrics`;
const BEHAVIOR = `${PREFIX}behavior`;
const CURRENT_METRICS = `${PREFIX}current-metrics`;
const CONDITIONS = `${PREFIX}conditions`;

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
  const { spec: _spec, status: _status, metadata, ...rest } = object as Fields;
  const { metrics: _metrics, behavior, ...spec } = part(object, 'spec');
  const { currentMetrics: _current, conditions: _conditions, ...status } = part(object, 'status');
  const wanted = listOf(part(object, 'spec'), 'metrics');
  const found = listOf(part(object, 'status'), 'currentMetrics');
  const conditions = listOf(part(object, 'status'), 'conditions').map(shownCondition);
  const others = wanted.filter((metric) => !isKnownHere(metric)).map((metric) => shownMetric(metric, 'target'));
  const carried = {
    ...annotation(METRICS, others),
    ...annotation(
      CURRENT_METRICS,
      found.map((metric) => shownMetric(metric, 'current')),
    ),
    ...annotation(CONDITIONS, conditions),
    ...(behavior === undefined ? {} : { [BEHAVIOR]: goText(shownBehavior(behavior as Fields)) }),
  };
  const target = utilization(wanted, 'target');
  const current = utilization(found, 'current');
  return {
    ...rest,
    ...(rest['apiVersion'] === undefined ? {} : { apiVersion: 'autoscaling/v1' }),
    ...(metadata === undefined ? {} : { metadata: carrying(metadata as Fields, carried) }),
    spec: { ...spec, ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }) },
    status: { ...status, ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }) },
  };
}

/** What a client of v1 wrote, as it is kept. */
export function keptAutoscaler(draft: object): Draft {
  const { spec: _spec, status: _status, metadata, ...rest } = draft as Fields;
  const { targetCPUUtilizationPercentage: target, ...spec } = part(draft, 'spec');
  const { currentCPUUtilizationPercentage: current, ...status } = part(draft, 'status');
  const annotations = part(metadata, 'annotations');
  const metrics = [
    ...readList(annotations[METRICS]).map((metric) => keptMetric(metric, 'target')),
    ...(isNothing(target) ? [] : [cpuMetric('target', { type: 'Utilization', averageUtilization: target })]),
  ];
  const currentMetrics = [
    ...readList(annotations[CURRENT_METRICS]).map((metric) => keptMetric(metric, 'current')),
    ...(isNothing(current) ? [] : [cpuMetric('current', { averageUtilization: current })]),
  ];
  const conditions = readList(annotations[CONDITIONS]);
  const behavior = keptBehavior(annotations[BEHAVIOR]);
  return {
    ...rest,
    ...(rest['apiVersion'] === undefined ? {} : { apiVersion: 'autoscaling/v2' }),
    ...(metadata === undefined ? {} : { metadata: carrying(metadata as Fields, {}) }),
    spec: {
      ...spec,
      ...(metrics.length === 0 ? {} : { metrics }),
      ...(behavior === undefined ? {} : { behavior }),
    },
    status: {
      ...status,
      ...(currentMetrics.length === 0 ? {} : { currentMetrics }),
      ...(conditions.length === 0 ? {} : { conditions }),
    },
  };
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

function cpuMetric(side: 'target' | 'current', amounts: Fields): Fields {
  return { type: 'Resource', resource: { name: 'cpu', [side]: amounts } };
}

/** Metadata with these annotations for those that only carry fields there and back. */
function carrying(metadata: Fields, carried: Fields): Fields {
  const { annotations, ...others } = metadata;
  if (Array.isArray(annotations) || (typeof annotations !== 'object' && annotations !== undefined)) return metadata;
  const own = Object.entries(annotations ?? {}).filter(([name]) => !CARRYING.has(name));
  const all = { ...Object.fromEntries(own), ...carried };
  if (Object.keys(all).length > 0) return { ...metadata, annotations: all };
  return annotations === undefined || annotations === null || Object.keys(annotations).length === 0 ? metadata : others;
}
const CARRYING: ReadonlySet<string> = new Set([METRICS, BEHAVIOR, CURRENT_METRICS, CONDITIONS]);

function annotation(name: string, values: readonly Fields[]): Fields {
  return values.length === 0 ? {} : { [name]: goText(values) };
}

function goText(value: unknown): string {
  return escapedForHtml(JSON.stringify(value));
}

function shownCondition({ type, status, lastTransitionTime, reason, message }: Fields): Fields {
  const texts = { reason: reason || undefined, message: message || undefined };
  return {
    type: type ?? '',
    status: status ?? '',
    lastTransitionTime: lastTransitionTime ?? null,
    ...stated(texts),
  };
}

/** As the server's own structure, whose fields have no other names. */
function shownBehavior(behavior: Fields): Fields {
  const rules = (name: string): Fields | null => (isNothing(behavior[name]) ? null : shownRules(part(behavior, name)));
  return { ScaleUp: rules('scaleUp'), ScaleDown: rules('scaleDown') };
}

function shownRules({ stabilizationWindowSeconds, selectPolicy, policies, tolerance }: Fields): Fields {
  const all = listOf({ policies }, 'policies').map(({ type, value, periodSeconds }) => {
    return { Type: type ?? '', Value: value ?? 0, PeriodSeconds: periodSeconds ?? 0 };
  });
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds ?? null,
    SelectPolicy: selectPolicy ?? null,
    Policies: isNothing(policies) ? null : all,
    Tolerance: tolerance ?? null,
  };
}

/** `undefined` = it says nothing, or nothing that can be read. */
function keptBehavior(text: unknown): Fields | undefined {
  const read = readJson(text);
  const [up, down] = [part(read, 'ScaleUp'), part(read, 'ScaleDown')];
  const rules = { scaleUp: keptRules(up), scaleDown: keptRules(down) };
  const said = stated(rules);
  return Object.keys(said).length === 0 ? undefined : said;
}

function keptRules(rules: Fields): Fields | undefined {
  if (Object.keys(rules).length === 0) return undefined;
  const policies = listOf(rules, 'Policies').map(({ Type, Value, PeriodSeconds }) =>
    stated({ type: Type, value: Value, periodSeconds: PeriodSeconds }),
  );
  return stated({
    stabilizationWindowSeconds: rules['StabilizationWindowSeconds'],
    selectPolicy: rules['SelectPolicy'],
    policies: isNothing(rules['Policies']) ? undefined : policies,
    tolerance: rules['Tolerance'],
  });
}

function readList(text: unknown): readonly Fields[] {
  return listOf({ items: readJson(text) }, 'items');
}

function readJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
