/**
 * What the pods of one selector use. Most pods of a service do alike: they go on as they are until something is told of
 * them, so that a reading works their use out once for all of them; the others are asked one by one.
 */
import type { Pod, StringMap } from '../../api/objects/objects.js';
import type { Selector } from '../../api/selectors/labels.js';
import { NOT_MEASURED, type UsageReading, type UsageSubject } from '../../controllers/controller-manager.js';
import type { Kubelet } from '../../kubelet/kubelet.js';
import { CPU_WINDOW_MS, type SteadyUse } from '../../kubelet/pods/resource-use.js';

/** Where the use of pods is asked for. */
export interface UsageSource {
  kubelet(node: string): Pick<Kubelet, 'useOf' | 'steadyUseOf'> | undefined;
}

/** A pod on a node. */
interface Row {
  readonly index: number;
  pod: Pod;
}

/** Pods that use the same until something is told of them. */
interface Alike {
  readonly key: string;
  readonly uses: readonly SteadyUse[];
  members: number;
}

/** What a container uses. */
interface ContainerAmount {
  readonly name: string;
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

/** Number of the group of those that are asked one by one. */
const APART = 0;
const NO_GROUP: Alike = { key: '', uses: [], members: 0 };
const LEAST_ROWS = 64;
const MILLIS_PER_UNIT = 1000;
const BYTES_PER_KIBIBYTE = 1024;
const NANOS_PER_MILLI = 1_000_000;

/** See the file header. */
export class UsageTable {
  readonly namespace: string;
  readonly selector: Selector;
  /** Simulated time of the last reading, ms. */
  readMs: number;
  readonly #source: UsageSource;
  /** By uid. */
  readonly #rows = new Map<string, Row>();
  readonly #rowOfName = new Map<string, number>();
  readonly #free: number[] = [];
  /** Changes since the last reading, by uid; `undefined` = it is gone. Rows stay as they are until the next one. */
  readonly #changed = new Map<string, Pod | undefined>();
  readonly #apart = new Set<Row>();
  /** Once a node has turned. */
  #byNode: Map<string, Set<Row>> | undefined;
  readonly #groups: (Alike | undefined)[] = [NO_GROUP];
  readonly #groupOfKey = new Map<string, number>();
  readonly #freeGroups: number[] = [];
  /** By what numbers keys know the requests that are served alike. */
  readonly #numbers = new WeakMap<object, number>();
  #numbered = 0;
  #groupOf = new Int32Array(LEAST_ROWS);
  #names: (string | undefined)[] = [];
  #areNamesShared = false;

  constructor(source: UsageSource, namespace: string, selector: Selector, nowMs: number) {
    this.#source = source;
    this.namespace = namespace;
    this.selector = selector;
    this.readMs = nowMs;
  }

  /** The labels of a pod that is in it. */
  labelsOf(uid: string): StringMap | undefined {
    return (this.#changed.get(uid) ?? this.#rows.get(uid)?.pod)?.metadata.labels;
  }

  /** The pod is there, or is another one than before. */
  put(pod: Pod): void {
    this.#changed.set(pod.metadata.uid, pod);
  }

  /** The pod is gone, or is taken by the selector no longer. */
  drop(uid: string): void {
    this.#changed.set(uid, undefined);
  }

  /** The pod may use something else from now on. */
  unsettle(uid: string): void {
    const row = this.#rows.get(uid);
    if (row !== undefined) this.#setApart(row);
  }

  /** All pods of a node may. */
  unsettleNode(node: string): void {
    if (this.#byNode === undefined) {
      this.#byNode = new Map();
      for (const row of this.#rows.values()) this.#index(row, this.#byNode);
    }
    for (const row of this.#byNode.get(node) ?? []) this.#setApart(row);
  }

  read({ resource, container }: UsageSubject, nowMs: number): UsageReading {
    this.readMs = nowMs;
    this.#takeChanges();
    const values = new Float64Array(this.#names.length).fill(NOT_MEASURED);
    let measured = this.#rows.size - this.#apart.size;
    for (const row of this.#apart) {
      const uses = this.#usesOf(row, nowMs);
      if (uses === undefined) continue;
      measured += 1;
      values[row.index] = amountOf(uses, resource, container);
    }
    const amounts = this.#groups.map((group) =>
      group === undefined || group.members === 0
        ? NOT_MEASURED
        : amountOf(present(group.uses, nowMs), resource, container),
    );
    let [count, sum] = [0, 0];
    for (let index = 0; index < values.length; index += 1) {
      const group = this.#groupOf[index] as number;
      if (group !== APART) values[index] = amounts[group] as number;
      const value = values[index] as number;
      if (value === NOT_MEASURED) continue;
      count += 1;
      sum += value;
    }
    this.#areNamesShared = true;
    const rowOf = (pod: string): number | undefined => this.#rowOfName.get(pod);
    return { atMs: nowMs, windowMs: CPU_WINDOW_MS, pods: this.#names, values, measured, count, sum, rowOf };
  }

  /** What a pod uses now; it joins those that do alike if it goes on so. `undefined` = it does not run. */
  #usesOf(row: Row, nowMs: number): readonly ContainerAmount[] | undefined {
    const { metadata, spec } = row.pod;
    const kubelet = spec.nodeName === undefined ? undefined : this.#source.kubelet(spec.nodeName);
    const steady = kubelet?.steadyUseOf(metadata, metadata.uid);
    if (steady === undefined) return kubelet?.useOf(metadata, metadata.uid);
    this.#settle(row, steady);
    return present(steady, nowMs);
  }

  #settle(row: Row, uses: readonly SteadyUse[]): void {
    const key = uses.map((use) => this.#keyOf(use)).join(' ');
    let number = this.#groupOfKey.get(key);
    if (number === undefined) {
      number = this.#freeGroups.pop() ?? this.#groups.length;
      this.#groups[number] = { key, uses, members: 0 };
      this.#groupOfKey.set(key, number);
    }
    (this.#groups[number] as Alike).members += 1;
    this.#groupOf[row.index] = number;
    this.#apart.delete(row);
  }

  #keyOf({ name, cpuMillis, memoryBytes, work }: SteadyUse): string {
    if (work === undefined) return `${name}/${cpuMillis}/${memoryBytes}`;
    let number = this.#numbers.get(work.requests);
    if (number === undefined) this.#numbers.set(work.requests, (number = this.#numbered += 1));
    return `${name}/${cpuMillis}/${memoryBytes}/${number}/${work.cpuMs}`;
  }

  #setApart(row: Row): void {
    this.#leaveGroup(row);
    this.#apart.add(row);
  }

  #leaveGroup({ index }: Row): void {
    const number = this.#groupOf[index] as number;
    if (number === APART) return;
    this.#groupOf[index] = APART;
    const group = this.#groups[number] as Alike;
    group.members -= 1;
    if (group.members > 0) return;
    this.#groups[number] = undefined;
    this.#groupOfKey.delete(group.key);
    this.#freeGroups.push(number);
  }

  #takeChanges(): void {
    if (this.#changed.size === 0) return;
    for (const [uid, pod] of this.#changed) if (pod === undefined) this.#remove(uid);
    for (const [uid, pod] of this.#changed) if (pod !== undefined) this.#place(uid, pod);
    this.#changed.clear();
  }

  #remove(uid: string): void {
    const row = this.#rows.get(uid);
    if (row === undefined) return;
    this.#rows.delete(uid);
    this.#unindex(row);
    this.#leaveGroup(row);
    this.#apart.delete(row);
    const { name } = row.pod.metadata;
    if (this.#rowOfName.get(name) === row.index) this.#rowOfName.delete(name);
    this.#setName(row.index, undefined);
    this.#free.push(row.index);
  }

  #place(uid: string, pod: Pod): void {
    let row = this.#rows.get(uid);
    if (row === undefined) {
      row = { index: this.#free.pop() ?? this.#names.length, pod };
      this.#rows.set(uid, row);
      this.#setName(row.index, pod.metadata.name);
      this.#rowOfName.set(pod.metadata.name, row.index);
      if (row.index >= this.#groupOf.length) this.#groupOf = larger(this.#groupOf);
    }
    this.#unindex(row);
    row.pod = pod;
    if (this.#byNode !== undefined) this.#index(row, this.#byNode);
    this.#setApart(row);
  }

  #index(row: Row, byNode: Map<string, Set<Row>>): void {
    const { nodeName = '' } = row.pod.spec;
    const rows = byNode.get(nodeName);
    if (rows === undefined) byNode.set(nodeName, new Set([row]));
    else rows.add(row);
  }

  #unindex(row: Row): void {
    const { nodeName = '' } = row.pod.spec;
    const rows = this.#byNode?.get(nodeName);
    rows?.delete(row);
    if (rows?.size === 0) this.#byNode?.delete(nodeName);
  }

  /** Readings keep the names that they came with. */
  #setName(index: number, name: string | undefined): void {
    if (this.#areNamesShared) this.#names = [...this.#names];
    this.#areNamesShared = false;
    this.#names[index] = name;
  }
}

function larger(column: Int32Array): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(column.length * 2);
  copy.set(column);
  return copy;
}

function present(uses: readonly SteadyUse[], nowMs: number): readonly ContainerAmount[] {
  return uses.map(({ name, cpuMillis, memoryBytes, work }) => {
    if (work === undefined) return { name, cpuMillis, memoryBytes };
    const spentMs = work.requests.servedBetween(nowMs - CPU_WINDOW_MS, nowMs) * work.cpuMs;
    return { name, cpuMillis: cpuMillis + (spentMs * MILLIS_PER_UNIT) / CPU_WINDOW_MS, memoryBytes };
  });
}

/** Of one container, or of all together, in whole millicores and KiB each. */
function amountOf(uses: readonly ContainerAmount[], resource: string, container: string | undefined): number {
  if (resource !== 'cpu' && resource !== 'memory') return NOT_MEASURED;
  let [amount, count] = [0, 0];
  for (const use of uses) {
    if (container !== undefined && use.name !== container) continue;
    count += 1;
    amount += resource === 'cpu' ? wholeMillis(use.cpuMillis) : wholeKibibytes(use.memoryBytes) * MILLIS_PER_UNIT;
  }
  return count === 0 ? NOT_MEASURED : amount;
}

function wholeMillis(cpuMillis: number): number {
  return Math.ceil(Math.round(cpuMillis * NANOS_PER_MILLI) / NANOS_PER_MILLI);
}

function wholeKibibytes(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_KIBIBYTE) * BYTES_PER_KIBIBYTE;
}
