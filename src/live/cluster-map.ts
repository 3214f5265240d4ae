/** Nodes and what their pods do, for a map that moves: only what has changed since it was looked at last is told. */
import { merge, type Subscription } from 'rxjs';
import { getCondition } from '../api/objects/conditions.js';
import type { Node, Pod } from '../api/objects/objects.js';
import type { Cluster } from '../cluster/cluster.js';

/** What a pod does, in the order of the numbers in {@link NodeCell}. */
const STATES = ['starting', 'ready', 'ending', 'failed'] as const;
type PodState = (typeof STATES)[number] | 'waiting' | 'done';

/** A node: its place on the map, how it stands (0 = not Ready, 1 = Ready, 2 = cordoned), its pods by what they do. */
export type NodeCell = readonly [place: number, standing: number, ...pods: readonly number[]];

/** What has changed. */
export interface MapChange {
  /** New nodes, in the order of their places; the first one has the place `from`. */
  readonly names: readonly string[];
  readonly from: number;
  readonly cells: readonly NodeCell[];
  /** Pods without a node. */
  readonly waiting: number;
}

interface Cell {
  standing: number;
  readonly pods: number[];
}

/** See the file header. */
export class ClusterMap {
  readonly #places = new Map<string, number>();
  readonly #names: string[] = [];
  readonly #cells: Cell[] = [];
  readonly #changed = new Set<number>();
  readonly #pods = new Map<string, { readonly place: number | undefined; readonly state: PodState }>();
  readonly #subscription: Subscription;
  #told = 0;
  #waiting = 0;

  constructor(cluster: Pick<Cluster, 'watch'>) {
    this.#subscription = merge(cluster.watch('Node'), cluster.watch('Pod')).subscribe((event) => {
      if (!('object' in event)) return;
      const isDeleted = event.type === 'DELETED';
      if (event.object.kind === 'Node') this.#nodeWritten(event.object as Node, isDeleted);
      else this.#podWritten(event.object as Pod, isDeleted);
    });
  }

  close(): void {
    this.#subscription.unsubscribe();
  }

  /** Everything, for a reader that begins. */
  all(): MapChange {
    return {
      names: this.#names,
      from: 0,
      cells: this.#cells.map((_, place) => this.#cell(place)),
      waiting: this.#waiting,
    };
  }

  /** What has changed since it was taken last. */
  take(): MapChange {
    const from = this.#told;
    const cells = [...this.#changed].map((place) => this.#cell(place));
    this.#changed.clear();
    this.#told = this.#names.length;
    return { names: this.#names.slice(from), from, cells, waiting: this.#waiting };
  }

  #cell(place: number): NodeCell {
    const { standing = 0, pods = [] } = this.#cells[place] ?? {};
    return [place, standing, ...pods];
  }

  #placeOf(node: string): number {
    let place = this.#places.get(node);
    if (place === undefined) {
      place = this.#names.push(node) - 1;
      this.#places.set(node, place);
      this.#cells.push({ standing: 0, pods: STATES.map(() => 0) });
    }
    this.#changed.add(place);
    return place;
  }

  #nodeWritten({ metadata, spec, status }: Node, isDeleted: boolean): void {
    const cell = this.#cells[this.#placeOf(metadata.name)];
    if (cell === undefined) return;
    const isReady = !isDeleted && getCondition(status?.conditions, 'Ready')?.status === 'True';
    cell.standing = isReady ? (spec?.unschedulable === true ? 2 : 1) : 0;
  }

  #podWritten(pod: Pod, isDeleted: boolean): void {
    const { uid } = pod.metadata;
    this.#count(this.#pods.get(uid), -1);
    if (isDeleted) {
      this.#pods.delete(uid);
      return;
    }
    const { nodeName } = pod.spec;
    const known = { place: nodeName === undefined ? undefined : this.#placeOf(nodeName), state: stateOf(pod) };
    this.#pods.set(uid, known);
    this.#count(known, 1);
  }

  #count(pod: { readonly place: number | undefined; readonly state: PodState } | undefined, by: number): void {
    if (pod === undefined) return;
    if (pod.state === 'waiting') this.#waiting += by;
    const index = STATES.findIndex((state) => state === pod.state);
    const cell = pod.place === undefined ? undefined : this.#cells[pod.place];
    if (index === -1 || cell === undefined || pod.place === undefined) return;
    cell.pods[index] = (cell.pods[index] ?? 0) + by;
    this.#changed.add(pod.place);
  }
}

/** What a pod does, as the map shows it. */
export function stateOf({ metadata, spec, status }: Pod): PodState {
  if (status?.phase === 'Failed') return 'failed';
  if (status?.phase === 'Succeeded') return 'done';
  if (metadata.deletionTimestamp !== undefined) return 'ending';
  if (spec.nodeName === undefined) return 'waiting';
  return getCondition(status?.conditions, 'Ready')?.status === 'True' ? 'ready' : 'starting';
}
