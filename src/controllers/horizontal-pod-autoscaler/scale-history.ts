import type { AutoscalerSpec } from './autoscaler.js';

const MILLIS_PER_SECOND = 1000;

/** What the metrics asked for at a time. */
export interface Recommendation {
  readonly replicas: number;
  readonly atMs: number;
}

/** By how much replicas were changed at a time. */
export interface ScaleChange {
  readonly by: number;
  readonly atMs: number;
}

/**
 * What an autoscaler has recommended and done, as far back as it matters: an entry that has become too old gives its
 * place to a new one. Memory of the controller alone, and gone with its process, as upstream's.
 */
export class ScaleHistory {
  readonly #recommendations: Recommendation[] = [];
  readonly #added: ScaleChange[] = [];
  readonly #removed: ScaleChange[] = [];

  get recommendations(): readonly Recommendation[] {
    return this.#recommendations;
  }

  /** Replicas that came, where the autoscaler states a behaviour. */
  get added(): readonly ScaleChange[] {
    return this.#added;
  }

  /** Replicas that went. */
  get removed(): readonly ScaleChange[] {
    return this.#removed;
  }

  /** The replicas that an autoscaler finds count as its first recommendation. */
  begin(replicas: number, atMs: number): void {
    if (this.#recommendations.length === 0) this.#recommendations.push({ replicas, atMs });
  }

  /** @param isOld - tells what may be forgotten */
  recommend(replicas: number, atMs: number, isOld: (entry: Recommendation) => boolean): void {
    put(this.#recommendations, { replicas, atMs }, isOld);
  }

  /** Notes a change of the scale. */
  scaled(behavior: AutoscalerSpec['behavior'], from: number, to: number, atMs: number): void {
    if (behavior === undefined) return;
    const rules = to > from ? behavior.scaleUp : behavior.scaleDown;
    const longestSeconds = Math.max(0, ...(rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds));
    const cutoffMs = atMs - longestSeconds * MILLIS_PER_SECOND;
    const changes = to > from ? this.#added : this.#removed;
    put(changes, { by: Math.abs(to - from), atMs }, (each) => each.atMs < cutoffMs);
  }
}

/** In the place of the last entry that is old, or behind all. */
function put<T>(entries: T[], entry: T, isOld: (entry: T) => boolean): void {
  const index = entries.findLastIndex(isOld);
  if (index < 0) entries.push(entry);
  else entries[index] = entry;
}
