/**
 * Which volumes have grown in storage while the file system on them has not, for the machines that use them. A kubelet
 * finds that out when it syncs their pods, each minute or so; here it is told, and looks when it would have found it.
 */
import { LateSet } from '../../kernel/late-collections.js';

/** See the file header. */
export class VolumeGrowth {
  /** By name. */
  readonly #due = new LateSet<string>();
  readonly #listeners = new Set<(volume: string) => void>();

  /** Whether the file system on a PersistentVolume has still to grow. */
  isDue(volume: string): boolean {
    return this.#due.has(volume);
  }

  /** It has still to grow, or no longer. */
  tell(volume: string, isDue: boolean): void {
    if (isDue === this.#due.has(volume)) return;
    if (!isDue) {
      this.#due.delete(volume);
      return;
    }
    this.#due.add(volume);
    for (const listener of this.#listeners) listener(volume);
  }

  /** @param listener - told the name of a volume that has grown. @returns what ends the listening */
  listen(listener: (volume: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
