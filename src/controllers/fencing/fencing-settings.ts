/** What a fencing controller goes by, and what it acts with. */

/** Keeps a node from doing harm: something in the world outside, such as a power switch. */
export interface FencingAction {
  /** As events tell it. */
  readonly name: string;
  /** Whether no process of the node is left once it is fenced; else they run on, cut off from what they share. */
  readonly endsProcesses: boolean;
  /**
   * Fences a node; one that is fenced already may be fenced again. Simulated time goes on meanwhile: what takes
   * real time calls `cluster.hold`.
   *
   * @param done - told once whether it is certain that the node is fenced
   */
  fence(node: string, done: (isConfirmed: boolean) => void): void;
  /** Takes the fence away from a node that is back; absent = there is nothing to take away. */
  lift?(node: string): void;
}

/** See the file header. */
export interface FencingSettings {
  readonly action: FencingAction;
  /** How long a node may be unreachable; a pod that tolerates less shortens it. */
  readonly toleranceSeconds: number;
  /** How much longer it may be while every pod that waits is spared by a budget that still has enough. */
  readonly patienceSeconds: number;
  /** Only pods of this priority or a higher one are worth it. */
  readonly minPriority: number;
  /** No node is fenced while a larger share of all is unreachable: then this side may be the one cut off. 0..1 */
  readonly maxUnreachable: number;
}
