/** What plugins tell each other within one attempt. Mirrors kube-scheduler v1.34 `framework.CycleState`. */

/** A value kept in a {@link CycleState}. */
export interface StateData {
  /** A copy that may be changed on its own; immutable data returns itself. */
  clone(): StateData;
}

/** Names a value of a {@link CycleState} and its type. One constant per plugin and point. */
export class StateKey<T extends StateData> {
  /** Present in types only. */
  declare readonly valueType: T;

  constructor(
    /** Such as `PreFilterNodeResourcesFit`. */
    readonly name: string,
  ) {}
}

const NO_PLUGINS: ReadonlySet<string> = new Set();

/** Lives for one attempt of one pod. */
export class CycleState {
  /** Keys and their values; there are so few that they are found by looking at all. */
  readonly #keys: StateKey<StateData>[] = [];
  readonly #values: StateData[] = [];
  /** Plugins whose PreFilter had nothing to do: their Filter and AddPod/RemovePod are not called. */
  skippedFilters: ReadonlySet<string> = NO_PLUGINS;
  /** Plugins whose PreScore had nothing to do: they give no score at all. */
  skippedScores: ReadonlySet<string> = NO_PLUGINS;

  read<T extends StateData>(key: StateKey<T>): T | undefined {
    const index = this.#keys.indexOf(key);
    return index === -1 ? undefined : (this.#values[index] as T);
  }

  write<T extends StateData>(key: StateKey<T>, value: T): void {
    const index = this.#keys.indexOf(key);
    if (index !== -1) {
      this.#values[index] = value;
      return;
    }
    this.#keys.push(key);
    this.#values.push(value);
  }

  delete(key: StateKey<StateData>): void {
    const index = this.#keys.indexOf(key);
    if (index === -1) return;
    this.#keys.splice(index, 1);
    this.#values.splice(index, 1);
  }

  /** A copy for a dry run: what happens to it stays in it. */
  clone(): CycleState {
    const copy = new CycleState();
    for (let index = 0; index < this.#keys.length; index += 1) {
      copy.#keys.push(this.#keys[index] as StateKey<StateData>);
      copy.#values.push((this.#values[index] as StateData).clone());
    }
    copy.skippedFilters = this.skippedFilters;
    copy.skippedScores = this.skippedScores;
    return copy;
  }
}
