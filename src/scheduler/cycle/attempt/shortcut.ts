/** What a score said of all nodes alike. */
export interface CommonScore {
  readonly raw: number;
  readonly normalized: number;
}

/** What has found the nodes. It stands for every plugin that does not skip. */
export interface Shortcut {
  /** Nodes that were visited, and feasible ones among them. */
  readonly visited: number;
  readonly feasible: number;
  /** Finds the positions of the nodes that were visited and rejected, in the order of the scan; returns how many. */
  findRejected(found: Int32Array): number;
  /** What a score said of all nodes alike; `undefined` where it did not. */
  commonScore(name: string): CommonScore | undefined;
}
