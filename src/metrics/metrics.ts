/**
 * The metrics of one cluster, under Kubernetes' names, in Prometheus' model. Each cluster has a
 * registry of its own; nothing here reads a clock or decides anything.
 */
import { Counter, Gauge, Histogram, Registry, type Metric } from 'prom-client';
import { printedValue } from '../kernel/printed-value.js';

/** Labels of one sample. */
export type MetricLabels = Readonly<Record<string, string | number>>;

/** One sample as a reader gets it. */
export interface MetricSample {
  /** Histograms have `<name>_bucket`, `<name>_sum` and `<name>_count`. */
  readonly name: string;
  readonly labels: MetricLabels;
  readonly value: number;
}

/** One value of a metric that is computed when it is read. */
export type ComputedSample = Pick<MetricSample, 'labels' | 'value'>;

/** A metric that cannot be: the message names the field, what it got and what is allowed. */
class MetricError extends Error {
  override readonly name = 'MetricError';
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

function check(field: string, allowed: string, value: unknown, isAllowed: boolean): void {
  if (!isAllowed) throw new MetricError(`${field} must be ${allowed}, got ${printedValue(value)}`);
}

function checkName(name: unknown): void {
  check('name', 'letters, digits, _ and :', name, typeof name === 'string' && NAME.test(name));
}

/** What every metric has. */
function checkMetric(help: unknown, labelNames: unknown = []): void {
  check('help', 'a text', help, typeof help === 'string' && help !== '');
  const areNames = Array.isArray(labelNames) && labelNames.every((each) => typeof each === 'string' && NAME.test(each));
  check('labelNames', 'a list of names', labelNames, areNames);
}

function checkBuckets(buckets: unknown): void {
  const areBounds =
    Array.isArray(buckets) &&
    buckets.every(
      (each, index) => typeof each === 'number' && !Number.isNaN(each) && (index === 0 || each > buckets[index - 1]),
    );
  check('buckets', 'a list of rising numbers', buckets, areBounds);
}

/** See the file header. */
export class Metrics {
  readonly #registry = new Registry();

  /** A number that only rises; the same name gives the same counter. */
  counter<Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []): Counter<Label> {
    checkName(name);
    const present = this.#registry.getSingleMetric(name);
    if (present !== undefined) return present as Counter<Label>;
    checkMetric(help, labelNames);
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }

  /** A number that rises and falls; the same name gives the same gauge. */
  gauge<Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []): Gauge<Label> {
    checkName(name);
    const present = this.#registry.getSingleMetric(name);
    if (present !== undefined) return present as Gauge<Label>;
    checkMetric(help, labelNames);
    return new Gauge({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }

  /** Counts of values by size; the same name gives the same histogram. @param buckets - upper bounds, ascending */
  histogram<Label extends string = never>(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames: readonly Label[] = [],
  ): Histogram<Label> {
    checkName(name);
    const present = this.#registry.getSingleMetric(name);
    if (present !== undefined) return present as Histogram<Label>;
    checkMetric(help, labelNames);
    checkBuckets(buckets);
    return new Histogram({
      name,
      help,
      buckets: [...buckets],
      labelNames: [...labelNames],
      registers: [this.#registry],
    });
  }

  /** A metric that costs nothing until it is read: `read` is asked for its samples each time. */
  computed(name: string, help: string, type: 'counter' | 'gauge', read: () => Iterable<ComputedSample>): void {
    checkName(name);
    checkMetric(help);
    check('type', 'counter or gauge', type, type === 'counter' || type === 'gauge');
    check('read', 'a function', read, typeof read === 'function');
    check('name', 'one that no metric has yet', name, this.#registry.getSingleMetric(name) === undefined);
    const get = (): object => ({ name, help, type, aggregator: 'sum', values: [...read()] });
    // The registry asks nothing of a metric but its name and what it reads.
    this.#registry.registerMetric({ name, get } as unknown as Metric);
  }

  /** Everything in Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Every sample, in order of registration. */
  async samples(): Promise<MetricSample[]> {
    const families = await this.#registry.getMetricsAsJSON();
    return families.flatMap(({ name, values }) =>
      values.map((sample) => {
        const { metricName = name } = sample as { readonly metricName?: string };
        return { name: metricName, labels: sample.labels as MetricLabels, value: sample.value };
      }),
    );
  }
}
