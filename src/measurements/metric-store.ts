/** The values of a measurement: of each metric those of every combination of tags, each with its sum over all of them. */
import { describeMetric, METRIC_NAMES, METRICS, type MetricName, type MetricType } from './metric-catalogue.js';
import { ValueCounts } from './value-counts.js';

/** Values of tags by their names. */
export type Tags = Readonly<Record<string, string>>;

/** A number that rises and falls, from 0 on, with how far it did. */
export class Level {
  value = 0;
  min = 0;
  max = 0;

  add(amount: number): void {
    this.set(this.value + amount);
  }

  set(value: number): void {
    this.value = value;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }
}

/** What a metric has come to, by the words of k6's thresholds. */
export type MetricValues = Readonly<Record<string, number>>;

/** One metric, or the part of it that has some tags. */
export interface MetricReading {
  readonly name: MetricName;
  readonly type: MetricType;
  readonly unit: string;
  readonly help: string;
  /** None = all of it. */
  readonly tags: Tags;
  /**
   * `count`, `avg`, `min`, `med`, `max`, `p(90)`, `p(95)`, `p(99)` of a trend (`count` alone while it has no value);
   * `count` and `rate` (a second of simulated time) of a counter; `value`, `min`, `max` of a gauge.
   */
  readonly values: MetricValues;
  /** Of a trend: how many values there are up to each bound. */
  readonly histogram?: MetricHistogram;
}

/** A distribution as histograms have it. */
export interface MetricHistogram {
  /** Upper bounds, ascending. */
  readonly bounds: readonly number[];
  /** How many values are at most as large as each bound. */
  readonly upTo: readonly number[];
  readonly sum: number;
}

/** Bounds of kubelet_pod_start_sli_duration_seconds, in ms, with finer ones of apiserver_request_sli_duration_seconds below. */
const MS_BOUNDS: readonly number[] = [
  2, 5, 10, 25, 50, 100, 200, 400, 600, 800, 1000, 1500, 2000, 3000, 4000, 5000, 6000, 8000, 10_000, 20_000, 30_000,
  45_000, 60_000, 120_000, 180_000, 240_000, 300_000, 360_000, 480_000, 600_000, 900_000, 1_200_000, 1_800_000,
  2_700_000, 3_600_000,
];
const RATE_BOUNDS: readonly number[] = [0, 1, 2, 5, 10, 20, 50, 100, 200, 400, 700, 1000, 2000, 5000, 10_000, 20_000];

type Part<T> = { readonly tags: Tags; readonly data: T };

/** See the file header. */
export class MetricStore {
  readonly #trends = new Map<MetricName, Map<string, Part<ValueCounts>>>();
  readonly #levels = new Map<MetricName, Map<string, Part<Level>>>();

  /** The values of a trend with these tags; the same tags give the same values. */
  trend(name: MetricName, tags: Tags = {}): ValueCounts {
    return partOf(this.#trends, name, tags, () => new ValueCounts());
  }

  /** The number of a counter or gauge with these tags. */
  level(name: MetricName, tags: Tags = {}): Level {
    return partOf(this.#levels, name, tags, () => new Level());
  }

  /** Puts values in the place of those of a trend. */
  replaceTrend(name: MetricName, data: ValueCounts): void {
    this.#trends.set(name, new Map([['', { tags: {}, data }]]));
  }

  /** The tags of every part of a metric. */
  tagsOf(name: MetricName): readonly Tags[] {
    return this.#tagged(name).map(([, { tags }]) => tags);
  }

  #tagged(name: MetricName): readonly (readonly [key: string, part: Part<unknown>])[] {
    return [...(this.#trends.get(name) ?? this.#levels.get(name) ?? [])];
  }

  /** All values of a trend that have these tags. */
  trendWith(name: MetricName, wanted: Tags): ValueCounts {
    const parts = matching(name, wanted, this.#trends.get(name));
    const [first] = parts;
    if (first !== undefined && parts.length === 1) return first.data;
    const sum = new ValueCounts();
    for (const { data } of parts) sum.addAll(data);
    return sum;
  }

  /** A counter's, or a gauge's, numbers with these tags, added up. */
  levelWith(name: MetricName, wanted: Tags): Pick<Level, 'value' | 'min' | 'max'> {
    const parts = matching(name, wanted, this.#levels.get(name)).map(({ data }) => data);
    const [first] = parts;
    if (first !== undefined && parts.length === 1) return first;
    const sum = { value: 0, min: 0, max: 0 };
    for (const { value, min, max } of parts) {
      sum.value += value;
      sum.min += min;
      // Parts need not have stood highest at one and the same time.
      sum.max += max;
    }
    return sum;
  }

  /** Every metric as a whole, each followed by its parts, in the order of the catalogue. */
  readings(seconds: number): MetricReading[] {
    return METRIC_NAMES.flatMap((name) => {
      const parts = this.#tagged(name)
        .filter(([key]) => key !== '')
        .toSorted(([a], [b]) => compare(a, b));
      return [this.reading(name, {}, seconds), ...parts.map(([, { tags }]) => this.reading(name, tags, seconds))];
    });
  }

  /** @param seconds - simulated time over which counters are averaged */
  reading(name: MetricName, tags: Tags, seconds: number): MetricReading {
    const { type, unit, help } = METRICS[name];
    if (type !== 'trend') {
      return { name, type, unit, help, tags, values: this.#levelValues(name, type, tags, seconds) };
    }
    const counts = this.trendWith(name, tags);
    const bounds = unit === 'ms' ? MS_BOUNDS : RATE_BOUNDS;
    const histogram = { bounds, upTo: counts.upTo(bounds), sum: rounded(counts.sum) };
    return { name, type, unit, help, tags, values: trendValues(counts), histogram };
  }

  #levelValues(name: MetricName, type: MetricType, tags: Tags, seconds: number): MetricValues {
    const { value, min, max } = this.levelWith(name, tags);
    if (type === 'gauge') return { value, min, max };
    return { count: value, rate: seconds > 0 ? rounded(value / seconds) : 0 };
  }
}

/** The values that a summary shows. */
function trendValues(counts: ValueCounts): MetricValues {
  const { total, mean = 0, min = 0, max = 0 } = counts;
  if (total === 0) return { count: 0 };
  return {
    count: total,
    avg: rounded(mean),
    min,
    med: counts.quantile(0.5) ?? 0,
    max,
    'p(90)': counts.quantile(0.9) ?? 0,
    'p(95)': counts.quantile(0.95) ?? 0,
    'p(99)': counts.quantile(0.99) ?? 0,
  };
}

function partOf<T>(store: Map<MetricName, Map<string, Part<T>>>, name: MetricName, tags: Tags, create: () => T): T {
  let parts = store.get(name);
  if (parts === undefined) store.set(name, (parts = new Map<string, Part<T>>()));
  const key = keyOfTags(tags);
  let part = parts.get(key);
  if (part === undefined) parts.set(key, (part = { tags, data: create() }));
  return part.data;
}

function matching<T>(
  metric: MetricName,
  wanted: Tags,
  parts: ReadonlyMap<string, Part<T>> = new Map<string, Part<T>>(),
): readonly Part<T>[] {
  const names = Object.keys(wanted);
  // A part with all tags that its metric can have is alone: looking through the others would take their square.
  const whole = names.length === tagNames(metric).length ? parts.get(keyOfTags(wanted)) : undefined;
  if (whole !== undefined) return [whole];
  return [...parts.values()].filter(({ tags }) => names.every((name) => tags[name] === wanted[name]));
}

function keyOfTags(tags: Tags): string {
  return Object.entries(tags)
    .map(([name, value]) => `${name}:${value}`)
    .join(',');
}

/** A metric with its tags, as thresholds name it. */
export function nameWithTags(name: string, tags: Tags): string {
  const key = keyOfTags(tags);
  return key === '' ? name : `${name}{${key}}`;
}

/** The tags that a metric can be split by. */
export function tagNames(name: string): readonly string[] {
  return describeMetric(name)?.tags ?? [];
}

/** Thousandths are as fine as anything here is told. */
export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
