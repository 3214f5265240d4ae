/**
 * The metrics of one cluster, under Kubernetes' names, in Prometheus' model. Each cluster has a
 * registry of its own; nothing here reads a clock or decides anything.
 */
import { Counter, Gauge, Histogram, Registry, type Metric } from 'prom-client';

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

/** See the file header. */
export class Metrics {
  readonly #registry = new Registry();

  /** A number that only rises; the same name gives the same counter. */
  counter<Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []): Counter<Label> {
    const present = this.#registry.getSingleMetric(name);
    if (present !== undefined) return present as Counter<Label>;
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }

  /** A number that rises and falls; the same name gives the same gauge. */
  gauge<Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []): Gauge<Label> {
    const present = this.#registry.getSingleMetric(name);
    if (present !== undefined) return present as Gauge<Label>;
    return new Gauge({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }

  /** Counts of values by size; the same name gives the same histogram. @param buckets - upper bounds, ascending */
  histogram<Label extends string = never>(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames: readonly Label[] = [],
  ): Histogram<Label> {
    const present = this.#registry.getSingleMetric(name);
    if (present !== undefined) return present as Histogram<Label>;
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
