/** A rate of requests over time: straight lines between points, and what arrives by them. Pure. */

/** When, in milliseconds since the load began, and how many requests a second. */
export type RatePoint = readonly [atMs: number, perSecond: number];

const MS_PER_SECOND = 1000;

/** Level before the first point and after the last one; of two points at one time the later holds from then on. */
export class RateCurve {
  readonly #points: readonly RatePoint[];
  readonly #repeatMs: number | undefined;
  /** Requests until each point. */
  readonly #arrived: readonly number[];

  /**
   * @param points - one or more, their times do not fall
   * @param repeatMs - the curve begins anew then: not before the last point
   */
  constructor(points: readonly RatePoint[], repeatMs?: number) {
    this.#points = points;
    this.#repeatMs = repeatMs;
    let [beforeMs, before, sum] = [0, points[0]?.[1] ?? 0, 0];
    this.#arrived = points.map(([atMs, rate]) => {
      sum += (((before + rate) / 2) * (atMs - beforeMs)) / MS_PER_SECOND;
      [beforeMs, before] = [atMs, rate];
      return sum;
    });
  }

  /** Requests a second at a moment. */
  at(sinceMs: number): number {
    const [, atMs] = this.#place(sinceMs);
    const index = this.#lastUntil(atMs);
    const [fromMs, rate] = this.#points[index] ?? [0, this.#points[0]?.[1] ?? 0];
    const next = this.#points[index + 1];
    if (next === undefined || index < 0) return rate;
    return rate + (next[1] - rate) * ((atMs - fromMs) / (next[0] - fromMs));
  }

  /** Requests from the beginning to a moment. */
  until(sinceMs: number): number {
    const [rounds, atMs] = this.#place(sinceMs);
    return (rounds === 0 ? 0 : rounds * this.#untilWithin(this.#repeatMs ?? 0)) + this.#untilWithin(atMs);
  }

  #place(sinceMs: number): readonly [rounds: number, atMs: number] {
    const repeatMs = this.#repeatMs;
    if (repeatMs === undefined || sinceMs < repeatMs) return [0, sinceMs];
    const rounds = Math.floor(sinceMs / repeatMs);
    return [rounds, sinceMs - rounds * repeatMs];
  }

  #untilWithin(atMs: number): number {
    const index = this.#lastUntil(atMs);
    if (index < 0) return ((this.#points[0]?.[1] ?? 0) * atMs) / MS_PER_SECOND;
    const [fromMs, rate] = this.#points[index] ?? [0, 0];
    const next = this.#points[index + 1];
    const share = next === undefined ? 0 : (atMs - fromMs) / (next[0] - fromMs);
    const nowRate = next === undefined ? rate : rate + (next[1] - rate) * share;
    return (this.#arrived[index] ?? 0) + (((rate + nowRate) / 2) * (atMs - fromMs)) / MS_PER_SECOND;
  }

  /** The index of the last point that is not after a moment; -1 when there is none. */
  #lastUntil(atMs: number): number {
    let [low, high] = [0, this.#points.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#points[middle]?.[0] ?? Infinity) <= atMs) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
