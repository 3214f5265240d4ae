import type { Framework } from '../../framework/framework.js';
import type { Snapshot } from '../../framework/interface.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { RecentlyUsed } from '../attempt/recently-used.js';
import { PAUSE_ATTEMPTS, SEEN_REMEMBERED, shapesKept } from '../attempt/tuning.js';
import type { Outlines } from '../attempt/outline.js';
import { KnownShape } from './known-shape.js';

/** The shapes of a profile that are steady, as far as they have come up more than once. */
export class KnownShapes {
  readonly #framework: Framework;
  readonly #isEager: boolean;
  readonly #outlines: Outlines;
  /** By shape id. */
  readonly #shapes = new RecentlyUsed<number, KnownShape | 'unsteady'>(() => shapesKept(this.#columns?.nodeCount ?? 0));
  /** By shape id: how many pods of the shape go by until it is looked at. */
  readonly #seen = new Map<number, number>();
  #columns: NodeColumns | undefined;
  #layout = -1;
  #order = -1;

  /** @param isEager - a shape is looked at when it comes up for the first time */
  constructor(framework: Framework, outlines: Outlines, isEager: boolean) {
    this.#framework = framework;
    this.#outlines = outlines;
    this.#isEager = isEager;
  }

  /** Whether nothing has to be found out about the shape. */
  has(shapeId: number): boolean {
    return this.#shapes.peek(shapeId) instanceof KnownShape;
  }

  /** The pod's shape, if it comes up more than once and is steady for this pod now. */
  find(pod: PodInfo, snapshot: Snapshot): KnownShape | undefined {
    const { columns } = snapshot;
    if (this.#layout !== columns.layout || this.#order !== columns.orderRevision || this.#columns !== columns) {
      this.#clear(columns);
    }
    const shape = this.#shapes.get(pod.shape.id) ?? this.#learn(pod, snapshot);
    return shape === undefined || shape === 'unsteady' || !shape.isFor(pod) ? undefined : shape;
  }

  /** Takes the shape of a pod in, if it is time to look at it and it is steady. */
  #learn(pod: PodInfo, snapshot: Snapshot): KnownShape | undefined {
    const { id } = pod.shape;
    const pods = this.#seen.get(id) ?? (this.#isEager ? 0 : undefined);
    if (pods !== 0) {
      if (this.#seen.size >= SEEN_REMEMBERED) this.#seen.clear();
      this.#seen.set(id, pods === undefined ? 0 : pods - 1);
      return undefined;
    }
    const outline = this.#outlines.of(pod, snapshot);
    const shape = outline === undefined ? undefined : KnownShape.of(this.#framework, pod, snapshot, outline);
    if (shape === undefined) this.#seen.set(id, PAUSE_ATTEMPTS);
    else this.#shapes.set(id, shape);
    return shape;
  }

  /** The shape is not steady after all. */
  drop(shapeId: number): void {
    this.#shapes.set(shapeId, 'unsteady');
  }

  /** Forgets all shapes: nodes have come, gone or changed places. */
  #clear(columns: NodeColumns): void {
    this.#columns = columns;
    this.#layout = columns.layout;
    this.#order = columns.orderRevision;
    this.#shapes.clear();
  }
}
