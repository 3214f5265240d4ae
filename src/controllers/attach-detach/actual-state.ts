/**
 * Which volumes are attached to which nodes, as far as the controller knows, and what nodes' statuses are to
 * tell of it. Upstream: ActualStateOfWorld.
 */
import type { AttachableVolume } from '../../api/volumes/attachable-volume.js';
import { pairKey, type PairKey } from './desired-state.js';

/** A volume that is attached to a node, or may be. */
export interface AttachedPair {
  readonly key: PairKey;
  readonly nodeName: string;
  readonly uniqueName: string;
  /** `undefined` = only its name is known, from the status of its node. */
  volume: AttachableVolume | undefined;
  /** An attempt to attach it did not fail. */
  isConfirmed: boolean;
  /** Its node says that it uses it. */
  isMounted: boolean;
  /** Since when no pod has needed it; `undefined` = one does. */
  unneededMs: number | undefined;
}

interface NodeReport {
  readonly volumes: Set<string>;
  isDue: boolean;
}

const NOTHING: ReadonlySet<string> = new Set();

/** See the file header. */
export class ActualState {
  readonly #pairs = new Map<PairKey, AttachedPair>();
  readonly #byVolume = new Map<string, Map<PairKey, AttachedPair>>();
  readonly #byNode = new Map<string, Map<PairKey, AttachedPair>>();
  readonly #reports = new Map<string, NodeReport>();

  get(key: PairKey): AttachedPair | undefined {
    return this.#pairs.get(key);
  }

  all(): Iterable<AttachedPair> {
    return this.#pairs.values();
  }

  ofNode(nodeName: string): Iterable<AttachedPair> {
    return this.#byNode.get(nodeName)?.values() ?? [];
  }

  ofVolume(uniqueName: string): Iterable<AttachedPair> {
    return this.#byVolume.get(uniqueName)?.values() ?? [];
  }

  /** Nodes to which a volume is attached for certain. */
  nodesOf(uniqueName: string): readonly string[] {
    const nodes: string[] = [];
    for (const { nodeName, isConfirmed } of this.ofVolume(uniqueName)) {
      if (isConfirmed) nodes.push(nodeName);
    }
    return nodes;
  }

  /** The volume is attached; that the node uses it is assumed until the node says otherwise. */
  markAttached(nodeName: string, uniqueName: string, volume: AttachableVolume | undefined): void {
    this.#put(nodeName, uniqueName, volume).isConfirmed = true;
    this.report(nodeName, uniqueName);
  }

  /** The volume may be attached. */
  markUncertain(nodeName: string, volume: AttachableVolume): void {
    this.#put(nodeName, volume.uniqueName, volume).isConfirmed = false;
  }

  /** The volume is attached no longer, and yet nothing says that another node may have it. */
  markLost(pair: AttachedPair): void {
    pair.isConfirmed = false;
    this.conceal(pair.nodeName, pair.uniqueName);
  }

  markDetached({ key, nodeName, uniqueName }: AttachedPair): void {
    this.#pairs.delete(key);
    removeFrom(this.#byVolume, uniqueName, key);
    removeFrom(this.#byNode, nodeName, key);
    this.conceal(nodeName, uniqueName);
  }

  /** The node's status is to show a volume as attached; a wait for its detaching begins anew. */
  report(nodeName: string, uniqueName: string): void {
    const pair = this.#pairs.get(pairKey(nodeName, uniqueName));
    if (pair !== undefined) pair.unneededMs = undefined;
    const report = this.#reports.get(nodeName);
    if (report === undefined) this.#reports.set(nodeName, { volumes: new Set([uniqueName]), isDue: true });
    else if (!report.volumes.has(uniqueName)) {
      report.volumes.add(uniqueName);
      report.isDue = true;
    }
  }

  /** The node's status is not to show a volume as attached any more. */
  conceal(nodeName: string, uniqueName: string): void {
    const report = this.#reports.get(nodeName);
    if (report?.volumes.delete(uniqueName) === true) report.isDue = true;
  }

  /** What a node's status is to show. */
  reported(nodeName: string): ReadonlySet<string> {
    return this.#reports.get(nodeName)?.volumes ?? NOTHING;
  }

  /** Nodes with statuses to be written. */
  dueNodes(): readonly string[] {
    const due: string[] = [];
    for (const [nodeName, { isDue }] of this.#reports) if (isDue) due.push(nodeName);
    return due;
  }

  isDue(nodeName: string): boolean {
    return this.#reports.get(nodeName)?.isDue === true;
  }

  setDue(nodeName: string, isDue: boolean): void {
    const report = this.#reports.get(nodeName);
    if (report !== undefined) report.isDue = isDue;
  }

  #put(nodeName: string, uniqueName: string, volume: AttachableVolume | undefined): AttachedPair {
    const key = pairKey(nodeName, uniqueName);
    const present = this.#pairs.get(key);
    if (present !== undefined) {
      present.volume ??= volume;
      return present;
    }
    const unknown = { isConfirmed: false, isMounted: true, unneededMs: undefined };
    const pair: AttachedPair = { key, nodeName, uniqueName, volume, ...unknown };
    this.#pairs.set(key, pair);
    addTo(this.#byVolume, uniqueName, pair);
    addTo(this.#byNode, nodeName, pair);
    return pair;
  }
}

type Index = Map<string, Map<PairKey, AttachedPair>>;

function addTo(index: Index, value: string, pair: AttachedPair): void {
  const pairs = index.get(value);
  if (pairs === undefined) index.set(value, new Map([[pair.key, pair]]));
  else pairs.set(pair.key, pair);
}

function removeFrom(index: Index, value: string, key: PairKey): void {
  const pairs = index.get(value);
  pairs?.delete(key);
  if (pairs?.size === 0) index.delete(value);
}
