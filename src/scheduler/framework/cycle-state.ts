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
const NO_ENTRIES: Entries = [];

/** Each key with its value behind it; there are so few that they are found by looking at all. */
type Entries = (StateKey<StateData> | StateData)[];

/** Lives for one attempt of one pod. */
export class CycleState {
  #entries = NO_ENTRIES;
  /** Whether other states have the same entries: they are copied before they are changed. */
  #isShared = true;
  /** Plugins that skip after PreFilter: their Filter and AddPod/RemovePod are not called. */
  skippedFilters: ReadonlySet<string> = NO_PLUGINS;
  /** Plugins that skip after PreScore: they give no score at all. */
  skippedScores: ReadonlySet<string> = NO_PLUGINS;

  read<T extends StateData>(key: StateKey<T>): T | undefined {
    const index = this.#entries.indexOf(key);
    return index === -1 ? undefined : (this.#entries[index + 1] as T);
  }

  write<T extends StateData>(key: StateKey<T>, value: T): void {
    const entries = this.#ownEntries();
    const index = entries.indexOf(key);
    if (index === -1) entries.push(key, value);
    else entries[index + 1] = value;
  }

  delete(key: StateKey<StateData>): void {
    const index = this.#entries.indexOf(key);
    if (index !== -1) this.#ownEntries().splice(index, 2);
  }

  /** Takes over what is in another state, which is not changed any more: its values serve both. */
  adopt(other: CycleState): void {
    this.#entries = other.#entries;
    this.#isShared = true;
    this.skippedFilters = other.skippedFilters;
    this.skippedScores = other.skippedScores;
  }

  /** A copy for a dry run: what happens to it stays in it. */
  clone(): CycleState {
    const copy = new CycleState();
    const entries = this.#entries;
    if (entries.length > 0) {
      const copies: Entries = [];
      for (let index = 0; index < entries.length; index += 2) {
        copies.push(entries[index] as StateKey<StateData>, (entries[index + 1] as StateData).clone());
      }
      copy.#entries = copies;
      copy.#isShared = false;
    }
    copy.skippedFilters = this.skippedFilters;
    copy.skippedScores = this.skippedScores;
    return copy;
  }

  #ownEntries(): Entries {
    if (this.#isShared) {
      this.#entries = [...this.#entries];
      this.#isShared = false;
    }
    return this.#entries;
  }
}
