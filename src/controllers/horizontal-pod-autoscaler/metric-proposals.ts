/**
 * What each metric of an autoscaler asks for, with what its status and Events say of it. Mirrors the
 * computeStatusFor… functions of kube-controller-manager v1.34 pkg/controller/podautoscaler/horizontal.go.
 */
import { compileLabelSelector, parseLabelSelector, type Selector } from '../../api/selectors/labels.js';
import { RetryError } from '../runtime/retry-error.js';
import { selectorText } from '../shared/selector-text.js';
import {
  millisOf,
  quantityText,
  type MetricSelector,
  type MetricSpec,
  type MetricStatus,
  type MetricTarget,
} from './autoscaler.js';
import {
  readExternalMetric,
  readObjectMetric,
  readPodsMetric,
  readUsage,
  told,
  type MetricReader,
} from './metric-readings.js';
import {
  replicasForShare,
  replicasForUsage,
  replicasForUtilization,
  replicasForValue,
  type Proposal,
  type Situation,
} from './replica-arithmetic.js';

/** The target of an autoscaler as a metric needs it. */
export interface Scaled extends Situation {
  readonly namespace: string;
  readonly selector: Selector;
  readonly statusReplicas: number;
}

/** What a metric asks for. */
export interface MetricProposal {
  readonly replicas: number;
  /** The metric, in the words of the Event of a scaling. */
  readonly metric: string;
  readonly status: MetricStatus;
}

/** How the autoscaler tells that a metric could not be used. */
export interface MetricWords {
  /** Of the Event and the condition. */
  readonly reason: string;
  /** In front of the error, where it tells of several metrics. */
  readonly prefix: string;
}

/** The words for a metric that fails. */
export function wordsFor(spec: MetricSpec): MetricWords {
  switch (spec.type) {
    case 'Object': {
      const isShare = spec.object?.target.type === 'AverageValue';
      const of = isShare ? `: failed to get ${spec.object?.metric.name} object metric` : '';
      return { reason: 'FailedGetObjectMetric', prefix: `failed to get object metric value${of}` };
    }
    case 'Pods':
      return { reason: 'FailedGetPodsMetric', prefix: 'failed to get pods metric value' };
    case 'Resource':
      return {
        reason: 'FailedGetResourceMetric',
        prefix: `failed to get ${spec.resource?.name} resource metric value`,
      };
    case 'ContainerResource':
      return {
        reason: 'FailedGetContainerResourceMetric',
        prefix: `failed to get ${spec.containerResource?.container} container metric value`,
      };
    default: {
      const { name = '' } = spec.external?.metric ?? {};
      const isShare = spec.external?.target.averageValue !== undefined;
      const of = isShare ? `failed to get ${name} external metric` : `failed to get external metric ${name}`;
      return { reason: 'FailedGetExternalMetric', prefix: `failed to get ${name} external metric value: ${of}` };
    }
  }
}

/** @throws RetryError in the words of the condition, without their prefix */
export function proposalFor(reader: MetricReader, scaled: Scaled, spec: MetricSpec): Promise<MetricProposal> {
  const { object, pods, resource, containerResource, external } = spec;
  if (spec.type === 'Object' && object !== undefined) return forObject(reader, scaled, object);
  if (spec.type === 'Pods' && pods !== undefined) return forPods(reader, scaled, pods);
  if (spec.type === 'Resource' && resource !== undefined) return forResource(reader, scaled, resource);
  if (spec.type === 'ContainerResource' && containerResource !== undefined) {
    return forContainer(reader, scaled, containerResource);
  }
  if (external !== undefined) return forExternal(reader, scaled, external);
  return Promise.reject(new RetryError(`unknown metric source type ${JSON.stringify(spec.type)}`));
}

/** Every series, unless labels are asked for. */
function seriesOf(selector: MetricSelector): Selector {
  return selector === undefined ? parseLabelSelector('') : compileLabelSelector(selector);
}

async function forResource(
  reader: MetricReader,
  scaled: Scaled,
  { name, target }: NonNullable<MetricSpec['resource']>,
): Promise<MetricProposal> {
  const { proposal, current } = await ofResource(reader, scaled, target, { resource: name, container: undefined });
  const metric = target.averageValue === undefined ? `${name} resource utilization (percentage of request)` : undefined;
  return {
    replicas: proposal.replicas,
    metric: metric ?? `${name} resource`,
    status: { type: 'Resource', resource: { name, current } },
  };
}

async function forContainer(
  reader: MetricReader,
  scaled: Scaled,
  { name, container, target }: NonNullable<MetricSpec['containerResource']>,
): Promise<MetricProposal> {
  const { proposal, current } = await ofResource(reader, scaled, target, { resource: name, container });
  const isShare = target.averageValue === undefined;
  return {
    replicas: proposal.replicas,
    metric: isShare ? `${name} container resource utilization (percentage of request)` : `${name} resource`,
    status: { type: 'ContainerResource', containerResource: { name, container, current } },
  };
}

async function ofResource(
  reader: MetricReader,
  scaled: Scaled,
  { averageValue, averageUtilization: percent }: MetricTarget,
  what: { readonly resource: string; readonly container: string | undefined },
): Promise<{ readonly proposal: Proposal; readonly current: NonNullable<MetricStatus['resource']>['current'] }> {
  const { resource, container } = what;
  const { namespace, selector } = scaled;
  const read = () =>
    told(`unable to get metrics for resource ${resource}`, () => readUsage(reader, namespace, selector, what));
  const format = resource === 'memory' ? 'BinarySI' : 'DecimalSI';
  if (averageValue !== undefined) {
    const proposal = await told(`failed to get ${resource} usage`, async () =>
      replicasForUsage(scaled, await read(), { millis: millisOf(averageValue), resource, container }),
    );
    return { proposal, current: { averageValue: quantityText(proposal.usageMillis, format) } };
  }
  if (percent === undefined) {
    const text = 'neither an average utilization target nor an average value (usage) target was set';
    throw new RetryError(`invalid resource metric source: ${text}`);
  }
  const proposal = await told(`failed to get ${resource} utilization`, async () =>
    replicasForUtilization(scaled, await read(), { percent, resource, container }),
  );
  const { utilization = 0, usageMillis } = proposal;
  return { proposal, current: { averageUtilization: utilization, averageValue: quantityText(usageMillis, format) } };
}

async function forPods(
  reader: MetricReader,
  scaled: Scaled,
  { metric: { name, selector }, target }: NonNullable<MetricSpec['pods']>,
): Promise<MetricProposal> {
  const { namespace, selector: pods } = scaled;
  const metrics = await told(`unable to get metric ${name}`, () =>
    readPodsMetric(reader, namespace, name, { pods, labels: seriesOf(selector) }),
  );
  const { replicas, usageMillis } = replicasForUsage(scaled, metrics, { millis: millisOf(target.averageValue ?? 0) });
  const current = { averageValue: quantityText(usageMillis) };
  return {
    replicas,
    metric: `pods metric ${name}`,
    status: { type: 'Pods', pods: { metric: named(name, selector), current } },
  };
}

async function forObject(
  reader: MetricReader,
  scaled: Scaled,
  { metric: { name, selector }, describedObject, target }: NonNullable<MetricSpec['object']>,
): Promise<MetricProposal> {
  const { namespace, statusReplicas, tolerances } = scaled;
  const read = async (): Promise<number> => {
    try {
      return await readObjectMetric(reader, namespace, name, { object: describedObject, labels: seriesOf(selector) });
    } catch (error) {
      if (!(error instanceof RetryError)) throw error;
      const { kind, name: object } = describedObject;
      throw new RetryError(`unable to get metric ${name}: ${kind} on ${namespace} ${object}/${error.message}`);
    }
  };
  const statusOf = (current: object): MetricStatus => ({
    type: 'Object',
    object: { metric: named(name, selector), describedObject, current },
  });
  if (target.type === 'Value' && target.value !== undefined) {
    const { replicas, usageMillis } = replicasForValue(scaled, await read(), millisOf(target.value));
    const metric = `${describedObject.kind} metric ${name}`;
    return { replicas, metric, status: statusOf({ value: quantityText(usageMillis) }) };
  }
  if (target.type === 'AverageValue' && target.averageValue !== undefined) {
    const targetMillis = millisOf(target.averageValue);
    const used = { usageMillis: await read(), isExternal: false };
    const { replicas, usageMillis } = replicasForShare(tolerances, statusReplicas, used, targetMillis);
    const metric = externalName(name, selector);
    return { replicas, metric, status: statusOf({ averageValue: quantityText(usageMillis) }) };
  }
  throw new RetryError('invalid object metric source: neither a value target nor an average value target was set');
}

async function forExternal(
  reader: MetricReader,
  scaled: Scaled,
  { metric: { name, selector }, target: { averageValue, value } }: NonNullable<MetricSpec['external']>,
): Promise<MetricProposal> {
  const { namespace, statusReplicas, tolerances } = scaled;
  const read = () =>
    told(`unable to get external metric ${namespace}/${name}/${selectorText(selector)}`, () =>
      readExternalMetric(reader, namespace, name, seriesOf(selector)),
    );
  const proposed = (replicas: number, current: object): MetricProposal => ({
    replicas,
    metric: externalName(name, selector),
    status: { type: 'External', external: { metric: named(name, selector), current } },
  });
  if (averageValue !== undefined) {
    const used = { usageMillis: await read(), isExternal: true };
    const { replicas, usageMillis } = replicasForShare(tolerances, statusReplicas, used, millisOf(averageValue));
    return proposed(replicas, { averageValue: quantityText(usageMillis) });
  }
  if (value !== undefined) {
    const { replicas, usageMillis } = replicasForValue(scaled, await read(), millisOf(value));
    return proposed(replicas, { value: quantityText(usageMillis) });
  }
  throw new RetryError('invalid external metric source: neither a value target nor an average value target was set');
}

/** Upstream calls an object's metric so as well, where its target is one for each pod. */
function externalName(name: string, selector: MetricSelector): string {
  return `external metric ${name}(${selectorText(selector)})`;
}

function named(
  name: string,
  selector: MetricSelector,
): { readonly name: string; readonly selector?: NonNullable<MetricSelector> } {
  return selector === undefined ? { name } : { name, selector };
}
