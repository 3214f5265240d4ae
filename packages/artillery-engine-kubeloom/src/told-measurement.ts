/** What a measurement has come to since it was asked last. */
import type { Measurement, METRICS } from 'kubeloom';
import { counterNames, valueNames } from './metric-names.js';
import type { Measured } from './protocol.js';

type Metrics = typeof METRICS;
type Name = keyof Metrics;

/** See the file header. */
export class ToldMeasurement {
  readonly #measurement: Measurement;
  readonly #counters: readonly Name[];
  readonly #values: readonly Name[];
  readonly #told = new Map<Name, number>();
  readonly #toldValues = new Map<Name, Map<number, number>>();

  constructor(measurement: Measurement, metrics: Metrics) {
    this.#measurement = measurement;
    this.#counters = counterNames(metrics);
    this.#values = valueNames(metrics);
  }

  take(): Measured {
    const { totals } = this.#measurement;
    const changed = (name: Name): number => {
      const before = this.#told.get(name) ?? 0;
      this.#told.set(name, totals[name]);
      return totals[name] - before;
    };
    const counters = this.#counters.flatMap((name): [string, number][] => {
      const amount = changed(name);
      return amount === 0 ? [] : [[name, amount]];
    });
    const values = this.#values.flatMap((name): [string, [number, number][]][] =>
      changed(name) === 0 ? [] : [[name, this.#newValues(name)]],
    );
    return { counters, values };
  }

  #newValues(name: Name): [number, number][] {
    let told = this.#toldValues.get(name);
    if (told === undefined) this.#toldValues.set(name, (told = new Map<number, number>()));
    const found: [number, number][] = [];
    for (const [value, times] of this.#measurement.distribution(name)) {
      const more = times - (told.get(value) ?? 0);
      if (more === 0) continue;
      told.set(value, times);
      found.push([value, more]);
    }
    return found;
  }
}
