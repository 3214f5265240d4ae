/** Deletions of nodes that are under way. Mirrors cluster-autoscaler v1.34 `core/scaledown/deletiontracker`. */
export class DeletionTracker {
  readonly #empty = new Map<string, string>();
  readonly #drained = new Map<string, string>();

  begin(group: string, node: string, isDrained: boolean): void {
    (isDrained ? this.#drained : this.#empty).set(node, group);
  }

  end(node: string): void {
    this.#empty.delete(node);
    this.#drained.delete(node);
  }

  /** All nodes that are being deleted. */
  get names(): ReadonlySet<string> {
    return new Set([...this.#empty.keys(), ...this.#drained.keys()]);
  }

  /** Those whose pods are being moved. */
  get drained(): Iterable<string> {
    return this.#drained.keys();
  }

  get counts(): { readonly all: number; readonly drained: number } {
    return { all: this.#empty.size + this.#drained.size, drained: this.#drained.size };
  }

  countOf(group: string): number {
    const groups = [...this.#empty.values(), ...this.#drained.values()];
    return groups.filter((each) => each === group).length;
  }
}
