/**
 * The metrics that an autoscaler reads: what pods use, by their containers' scripts, and values that a program provides
 * in the place of adapters. It has no timer: values are worked out when they are read.
 */
import { ApiError, isApiError } from '../api/errors/api-error.js';
import { groupKindOf, mappedKind } from '../api/kinds/group-kind.js';
import type { Selector } from '../api/selectors/labels.js';
import { canonicalJson } from '../api/values/canonical-json.js';
import { milliValue, parseQuantity, QuantityError, type Quantity } from '../api/values/quantity.js';
import type {
  MetricApis,
  MetricObject,
  MetricValue,
  UsageReading,
  UsageSubject,
} from '../controllers/controller-manager.js';
import { checkedOptions, isMapping, MAPPING, TEXT, type Check } from '../options/option-checks.js';
import { OptionError } from '../options/option-error.js';
import { UsageTables, type UsageParts } from './usage/usage-tables.js';

/** A quantity such as `12`, `'250m'` or `'3k'`, or a function that gives one at the simulated time of a reading, ms. */
export type MetricAmount = number | string | ((nowMs: number) => number | string);

/** A metric of an object of the cluster, as custom.metrics.k8s.io serves it. */
export interface CustomMetric {
  readonly metric: string;
  /** Of a pod, or of anything else, such as an Ingress. */
  readonly object: {
    readonly kind: string;
    readonly name: string;
    /** @defaultValue `default` */
    readonly namespace?: string;
  };
  /** Of the series, for the selector of a metric. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: MetricAmount;
}

/** A metric of something outside of the cluster, as external.metrics.k8s.io serves it. */
export interface ExternalMetric {
  readonly metric: string;
  /** @defaultValue `default` */
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: MetricAmount;
}

/** What the metrics are taken from. */
export interface MetricParts extends UsageParts {
  /** Whether the use of pods is told, as metrics-server does it. */
  readonly hasMetricsServer: boolean;
}

const DEFAULT_NAMESPACE = 'default';
const WINDOW_MS = 60_000;
/** What a value may be: what a function gives is judged when it is read. */
const AMOUNT: Check = ['a quantity such as 12 or "250m", or a function that gives one', isAmount];
const LABELS: Check = ['an object of texts', areLabels];
const OBJECT_FIELDS = { kind: TEXT, name: TEXT, namespace: TEXT };
const CUSTOM_FIELDS = { metric: TEXT, object: MAPPING, labels: LABELS, value: AMOUNT };
const EXTERNAL_FIELDS = { metric: TEXT, namespace: TEXT, labels: LABELS, value: AMOUNT };

/** See the file header. */
export class ClusterMetrics implements MetricApis {
  readonly #parts: MetricParts;
  readonly #tables: UsageTables;
  #custom: Map<string, CustomMetric> | undefined;
  #external: Map<string, ExternalMetric> | undefined;

  constructor(parts: MetricParts) {
    this.#parts = parts;
    this.#tables = new UsageTables(parts);
  }

  /** Provides a metric in the place of the one of that name, object and labels. @returns what takes it back @throws OptionError */
  provideCustom(given: CustomMetric): () => void {
    checkedOptions('metric.', given, CUSTOM_FIELDS, ['metric', 'object', 'value']);
    checkedOptions('metric.object.', given.object, OBJECT_FIELDS, ['kind', 'name']);
    const { labels = {}, object } = given;
    const { kind, name, namespace = DEFAULT_NAMESPACE } = object;
    const key = canonicalJson([given.metric, kind, namespace, name, labels]);
    return provide((this.#custom ??= new Map<string, CustomMetric>()), key, {
      ...given,
      labels,
      object: { ...object, namespace },
    });
  }

  /** Provides a metric in the place of the one of that name, namespace and labels. @returns what takes it back @throws OptionError */
  provideExternal(given: ExternalMetric): () => void {
    checkedOptions('metric.', given, EXTERNAL_FIELDS, ['metric', 'value']);
    const { labels = {}, namespace = DEFAULT_NAMESPACE } = given;
    const key = canonicalJson([given.metric, namespace, labels]);
    return provide((this.#external ??= new Map<string, ExternalMetric>()), key, { ...given, labels, namespace });
  }

  get usage(): MetricApis['usage'] {
    return this.#parts.hasMetricsServer ? this.#usages : undefined;
  }

  readonly #usages = (namespace: string, pods: Selector, what: UsageSubject): UsageReading =>
    this.#tables.read(namespace, pods, what);

  get custom(): MetricApis['custom'] {
    const custom = this.#custom;
    if (custom === undefined) return undefined;
    return {
      ofPods: (namespace, metric, pods, labels) =>
        this.#parts
          .server()
          .list('Pod', { namespace, labelSelector: pods.text })
          .items.flatMap(({ metadata }) =>
            customValues(custom.values(), metric, { kind: 'Pod', name: metadata.name }, namespace, labels),
          )
          .map((each) => this.#valueOf(each.object.name, each.value)),
      ofObject: (namespace, metric, object, labels) => {
        const resource = this.#resourceOf(object);
        const [found] = customValues(custom.values(), metric, object, namespace, labels);
        if (found !== undefined) return this.#valueOf(object.name, found.value);
        const text = `the server could not find the metric ${metric} for ${resource} ${object.name}`;
        throw new ApiError(404, 'NotFound', text);
      },
    };
  }

  get external(): MetricApis['external'] {
    const external = this.#external;
    if (external === undefined) return undefined;
    return (namespace, metric, labels) =>
      [...external.values()]
        .filter((each) => each.metric === metric && each.namespace === namespace && labels.matches(each.labels))
        .map(({ value }) => this.#valueOf('', value));
  }

  /** What the kind of an object is called in a path. @throws ApiError for one that is not served */
  #resourceOf(object: MetricObject): string {
    const { group, kind } = groupKindOf(object);
    try {
      const { plural } = mappedKind({ group, kind }, this.#parts.server().customKinds);
      return group === '' ? plural : `${plural}.${group}`;
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
      const name = group === '' ? kind : `${kind}.${group}`;
      throw new ApiError(404, 'NotFound', `unable to map kind ${name} to resource: ${error.message}`);
    }
  }

  /** @throws OptionError for what a function gave that is no quantity */
  #valueOf(object: string, amount: MetricAmount): MetricValue {
    const atMs = this.#parts.clock.now();
    const valueMillis = millisOf(typeof amount === 'function' ? amount(atMs) : amount);
    return { object, atMs, windowMs: WINDOW_MS, valueMillis };
  }
}

function customValues(
  custom: Iterable<CustomMetric>,
  metric: string,
  { kind, name }: MetricObject,
  namespace: string,
  labels: Selector,
): readonly CustomMetric[] {
  return [...custom].filter(
    (each) =>
      each.metric === metric &&
      each.object.kind === kind &&
      each.object.name === name &&
      (kind === 'Namespace' || each.object.namespace === namespace) &&
      labels.matches(each.labels),
  );
}

function provide<T>(metrics: Map<string, T>, key: string, metric: T): () => void {
  metrics.set(key, metric);
  return () => {
    if (metrics.get(key) === metric) metrics.delete(key);
  };
}

function isAmount(value: unknown): boolean {
  if (typeof value === 'function') return true;
  return (typeof value === 'number' || typeof value === 'string') && quantityOf(value) !== undefined;
}

function areLabels(value: unknown): boolean {
  return isMapping(value) && Object.values(value).every((each) => typeof each === 'string');
}

function quantityOf(text: number | string): Quantity | undefined {
  try {
    return parseQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

/** @throws OptionError */
function millisOf(amount: number | string): number {
  const quantity = quantityOf(amount);
  if (quantity === undefined) throw new OptionError('metric.value', AMOUNT[0], amount);
  return milliValue(quantity);
}
