/** Validation of autoscalers (pkg/apis/autoscaling/validation, v1.34). */
import type * as autoscaling from 'kubernetes-types/autoscaling/v2.js';
import { forbidden, invalid, invalidEach, notSupported, required } from '../../../errors/field-errors.js';
import type { FieldError } from '../../../objects/resource-kind.js';
import { dns1123Label, pathSegmentName } from '../../../values/names.js';
import { knownQuantity, isPositive } from '../../../values/quantity.js';
import { nonNegative } from '../../rules/number-validation.js';
import { validateResourceName } from '../../rules/resource-validation.js';
import { requiredSegment, specOf, statusOf, type PlainRules } from './plain-rules.js';

type Spec = autoscaling.HorizontalPodAutoscalerSpec;
type Source = 'object' | 'external' | 'pods' | 'resource' | 'containerResource';

/** Upstream's order of looking at them. */
const SOURCES: readonly Source[] = ['object', 'external', 'pods', 'resource', 'containerResource'];
const SOURCE_OF: Readonly<Partial<Record<string, Source>>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};
const SOURCE_TYPES = Object.keys(SOURCE_OF);
const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue'];
const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const POLICY_TYPES = ['Percent', 'Pods'];
const HOUR_SECONDS = 3600;
const HALF_HOUR_SECONDS = 1800;

/** Of HorizontalPodAutoscalers. */
export const autoscalerRules: PlainRules = {
  validateNew: (object) => {
    const spec = specOf<Spec>(object);
    return validateSpec(spec, spec.scaleTargetRef?.kind === 'ReplicationController' ? 'any group' : 'named group');
  },
  validateChange: (next, previous) => {
    const [spec, { scaleTargetRef: before }] = [specOf<Spec>(next), specOf<Spec>(previous)];
    const { kind, apiVersion } = spec.scaleTargetRef ?? {};
    const isKept = kind === before?.kind && apiVersion === before?.apiVersion;
    return validateSpec(spec, isKept ? 'kept' : kind === 'ReplicationController' ? 'any group' : 'named group');
  },
  validateStatusChange: (next) => {
    const { currentReplicas, desiredReplicas } = statusOf<autoscaling.HorizontalPodAutoscalerStatus>(next);
    return [
      ...nonNegative(currentReplicas, 'status.currentReplicas'),
      ...nonNegative(desiredReplicas, 'status.desiredReplicas'),
    ];
  },
};

/** How the version of a reference is judged: one that an update keeps is not. */
type VersionRule = 'named group' | 'any group' | 'kept';

function validateSpec(spec: Partial<Spec>, ofTarget: VersionRule): FieldError[] {
  const { minReplicas, maxReplicas = 0, scaleTargetRef, metrics = [], behavior } = spec;
  const errors: FieldError[] = [];
  if (minReplicas !== undefined && minReplicas < 1) {
    errors.push(invalid('spec.minReplicas', minReplicas, 'must be greater than or equal to 1'));
  }
  if (maxReplicas < 1) errors.push(invalid('spec.maxReplicas', maxReplicas, 'must be greater than 0'));
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.push(invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`'));
  }
  errors.push(...validateReference(scaleTargetRef, 'spec.scaleTargetRef', ofTarget));
  for (const [index, metric] of metrics.entries()) errors.push(...validateMetric(metric, `spec.metrics[${index}]`));
  if (minReplicas === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External')) {
    const text = 'must specify at least one Object or External metric to support scaling to zero replicas';
    errors.push(forbidden('spec.metrics', text));
  }
  errors.push(...validateRules(behavior?.scaleUp, 'spec.behavior.scaleUp'));
  errors.push(...validateRules(behavior?.scaleDown, 'spec.behavior.scaleDown'));
  return errors;
}

function validateReference(
  { kind = '', name = '', apiVersion = '' }: Partial<autoscaling.CrossVersionObjectReference> = {},
  field: string,
  rule: VersionRule,
): FieldError[] {
  const errors = [...requiredSegment(kind, `${field}.kind`), ...requiredSegment(name, `${field}.name`)];
  const problem = rule === 'kept' ? undefined : versionProblem(apiVersion, rule === 'any group');
  return problem === undefined ? errors : [...errors, invalid(`${field}.apiVersion`, apiVersion, problem)];
}

function versionProblem(apiVersion: string, allowsCoreGroup: boolean): string | undefined {
  const parts = apiVersion.split('/');
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const [group] = parts.length === 2 ? parts : [''];
  return group === '' && !allowsCoreGroup ? 'apiVersion must specify API group' : undefined;
}

function validateMetric(metric: autoscaling.MetricSpec, field: string): FieldError[] {
  const { type = '' } = metric as { readonly type?: string };
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(`${field}.type`, 'must specify a metric source type'));
  const wanted = SOURCE_OF[type];
  const unsupported = notSupported(`${field}.type`, type, SOURCE_TYPES);
  if (wanted === undefined) errors.push(unsupported);
  const [first, ...others] = SOURCES.filter((source) => metric[source] !== undefined);
  if (first !== undefined) errors.push(...validateSource(metric, first, `${field}.${first}`));
  if (wanted === undefined) errors.push(unsupported);
  else if (metric[wanted] === undefined) {
    errors.push(required(`${field}.${wanted}`, 'must populate information for the given metric source'));
  }
  if (first === undefined || others.length === 0) return errors;
  const superfluous = [first, ...others].filter((source) => source !== wanted);
  return [
    ...errors,
    ...superfluous.map((source) => forbidden(`${field}.${source}`, 'must populate the given metric source only')),
  ];
}

function validateSource(metric: autoscaling.MetricSpec, source: Source, field: string): FieldError[] {
  const values = metric[source] as { readonly target?: Partial<autoscaling.MetricTarget> };
  const { target = {} } = values;
  const errors = [...validateIdentity(values, source, field), ...validateTarget(target, `${field}.target`)];
  const { value, averageValue, averageUtilization } = target;
  const own = `${field}.target`;
  switch (source) {
    case 'object':
      if (value === undefined && averageValue === undefined) {
        errors.push(required(`${own}.averageValue`, 'must set either a target value or averageValue'));
      }
      break;
    case 'external':
      if (value === undefined && averageValue === undefined) {
        const text = 'must set either a target value for metric or a per-pod target';
        errors.push(required(`${own}.averageValue`, text));
      }
      if (value !== undefined && averageValue !== undefined) {
        errors.push(forbidden(`${own}.value`, 'may not set both a target value for metric and a per-pod target'));
      }
      break;
    case 'pods':
      if (averageValue === undefined) {
        errors.push(required(`${own}.averageValue`, 'must specify a positive target averageValue'));
      }
      break;
    default:
      if (averageUtilization === undefined && averageValue === undefined) {
        const text = 'must set either a target raw value or a target utilization';
        errors.push(required(`${own}.averageUtilization`, text));
      }
      if (averageUtilization !== undefined && averageValue !== undefined) {
        errors.push(forbidden(`${own}.averageValue`, 'may not set both a target raw value and a target utilization'));
      }
  }
  return errors;
}

/** What a source measures. */
function validateIdentity(values: object, source: Source, field: string): FieldError[] {
  const {
    name = '',
    container = '',
    metric,
    describedObject,
  } = values as {
    readonly name?: string;
    readonly container?: string;
    readonly metric?: Partial<autoscaling.MetricIdentifier>;
    readonly describedObject?: Partial<autoscaling.CrossVersionObjectReference>;
  };
  if (source === 'resource' || source === 'containerResource') {
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(`${field}.name`, 'must specify a resource name'));
    if (source === 'resource') return errors;
    if (name !== '') errors.push(...validateResourceName(name, `${field}.name`, 'container'));
    const own = `${field}.container`;
    if (container === '') return [...errors, required(own, 'must specify a container')];
    return [...errors, ...invalidEach(own, container, dns1123Label(container))];
  }
  const { name: metricName = '' } = metric ?? {};
  const own = `${field}.metric.name`;
  return [
    ...(source === 'object' ? validateReference(describedObject, `${field}.describedObject`, 'any group') : []),
    ...(metricName === ''
      ? [required(own, 'must specify a metric name')]
      : invalidEach(own, metricName, pathSegmentName(metricName))),
  ];
}

function validateTarget(target: Partial<autoscaling.MetricTarget>, field: string): FieldError[] {
  const { type = '', averageUtilization } = target;
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(`${field}.type`, 'must specify a metric target type'));
  if (!TARGET_TYPES.includes(type)) {
    errors.push(invalid(`${field}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  }
  for (const name of ['value', 'averageValue'] as const) {
    const amount = target[name];
    if (amount !== undefined && !isPositive(knownQuantity(amount))) {
      errors.push(invalid(`${field}.${name}`, amount, 'must be positive'));
    }
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    errors.push(invalid(`${field}.averageUtilization`, averageUtilization, 'must be greater than 0'));
  }
  return errors;
}

function validateRules(rules: autoscaling.HPAScalingRules | undefined, field: string): FieldError[] {
  if (rules === undefined) return [];
  const { stabilizationWindowSeconds: windowSeconds = 0, selectPolicy, policies = [] } = rules;
  const errors: FieldError[] = [];
  const own = `${field}.stabilizationWindowSeconds`;
  if (windowSeconds < 0) errors.push(invalid(own, windowSeconds, 'must be greater than or equal to zero'));
  if (windowSeconds > HOUR_SECONDS) {
    errors.push(invalid(own, windowSeconds, `must be less than or equal to ${HOUR_SECONDS}`));
  }
  if (selectPolicy !== undefined && !SELECT_POLICIES.includes(selectPolicy)) {
    errors.push(notSupported(`${field}.selectPolicy`, selectPolicy, SELECT_POLICIES));
  }
  if (policies.length === 0) errors.push(required(`${field}.policies`, 'must specify at least one Policy'));
  for (const [index, policy] of policies.entries())
    errors.push(...validatePolicy(policy, `${field}.policies[${index}]`));
  return errors;
}

function validatePolicy(policy: Partial<autoscaling.HPAScalingPolicy>, field: string): FieldError[] {
  const { type = '', value = 0, periodSeconds = 0 } = policy;
  const errors: FieldError[] = [];
  if (!POLICY_TYPES.includes(type)) errors.push(notSupported(`${field}.type`, type, POLICY_TYPES));
  if (value <= 0) errors.push(invalid(`${field}.value`, value, 'must be greater than zero'));
  const own = `${field}.periodSeconds`;
  if (periodSeconds <= 0) errors.push(invalid(own, periodSeconds, 'must be greater than zero'));
  if (periodSeconds > HALF_HOUR_SECONDS) {
    errors.push(invalid(own, periodSeconds, `must be less than or equal to ${HALF_HOUR_SECONDS}`));
  }
  return errors;
}
