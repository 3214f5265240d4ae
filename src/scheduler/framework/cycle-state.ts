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
  /** Each key with its value behind it; there are so few that they are found by looking at all. */
  readonly #entries: (StateKey<StateData> | StateData)[] = [];
  /** Plugins whose PreFilter had nothing to do: their Filter and AddPod/RemovePod are not called. */
  skippedFilters: ReadonlySet<string> = NO_PLUGINS;
  /** Plugins whose PreScore had nothing to do: they give no score at all. */
  skippedScores: ReadonlySet<string> = NO_PLUGINS;

  read<T extends StateData>(key: StateKey<T>): T | undefined {
    const index = this.#entries.indexOf(key);
    return index === -1 ? undefined : (this.#entries[index + 1] as T);
  }

  write<T extends StateData>(key: StateKey<T>, value: T): void {
    const index = this.#entries.indexOf(key);
    if (index === -1) this.#entries.push(key, value);
    else this.#entries[index + 1] = value;
  }

  delete(key: StateKey<StateData>): void {
    const index = this.#entries.indexOf(key);
    if (index !== -1) this.#entries.splice(index, 2);
  }

  /** A copy for a dry run: what happens to it stays in it. */
  clone(): CycleState {
    const copy = new CycleState();
    for (let index = 0; index < this.#entries.length; index += 2) {
      copy.#entries.push(this.#entries[index] as StateKey<StateData>, (this.#entries[index + 1] as StateData).clone());
    }
    copy.skippedFilters = this.skippedFilters;
    copy.skippedScores = this.skippedScores;
    return copy;
  }
}
