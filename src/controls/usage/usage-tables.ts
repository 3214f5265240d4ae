/** What pods use, by the selectors of those that read it; nothing is kept while nothing reads. */
import type { Pod } from '../../api/objects/objects.js';
import type { Selector } from '../../api/selectors/labels.js';
import { SelectorIndex } from '../../api/selectors/selector-index.js';
import type { ApiServer } from '../../apiserver/store/server-types.js';
import type { Lookout } from '../../bus/bus-types.js';
import { listen } from '../../bus/rx/listen.js';
import type { UsageReading, UsageSubject } from '../../controllers/controller-manager.js';
import type { Clock } from '../../kernel/engine/clock.js';
import type { NodeFleet } from '../../assembly/node-fleet.js';
import type { OfferedLoad } from '../../offered-load/offered-load.js';
import { UsageTable } from './usage-table.js';

/** What it stands on. */
export interface UsageParts {
  readonly clock: Pick<Clock, 'now'>;
  readonly server: () => ApiServer;
  readonly lookout: Lookout;
  readonly fleet: () => NodeFleet;
  readonly offeredLoad: () => OfferedLoad;
}

/** A table that was not read for so long is dropped. */
const KEPT_MS = 120_000;

/** See the file header. */
export class UsageTables {
  readonly #parts: UsageParts;
  /** By namespace. */
  readonly #tables = new Map<string, SelectorIndex<UsageTable>>();
  /** By namespace and text of the selector. */
  readonly #byName = new Map<string, UsageTable>();
  /** By uid of a pod. */
  readonly #ofPod = new Map<string, readonly UsageTable[]>();
  #isListening = false;

  constructor(parts: UsageParts) {
    this.#parts = parts;
  }

  read(namespace: string, selector: Selector, what: UsageSubject): UsageReading {
    return this.#table(namespace, selector).read(what, this.#parts.clock.now());
  }

  #table(namespace: string, selector: Selector): UsageTable {
    const name = `${namespace}/${selector.text}`;
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    this.#dropUnread();
    const table = new UsageTable(this.#parts.fleet(), namespace, selector, this.#parts.clock.now());
    this.#byName.set(name, table);
    const tables = this.#tables.get(namespace) ?? new SelectorIndex<UsageTable>();
    this.#tables.set(namespace, tables);
    tables.add(table);
    this.#listen();
    for (const pod of this.#parts.server().list('Pod', { namespace, labelSelector: selector.text }).items) {
      if (pod.spec.nodeName === undefined) continue;
      const { uid } = pod.metadata;
      this.#ofPod.set(uid, [...(this.#ofPod.get(uid) ?? []), table]);
      table.put(pod);
    }
    return table;
  }

  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    const { lookout, fleet, offeredLoad } = this.#parts;
    listen(lookout.watch('Pod'), ({ type, object }) => this.#note(object, type === 'DELETED'));
    const { processes } = fleet();
    processes.facts$.subscribe(({ pod }) => this.#unsettle(pod.metadata.uid));
    fleet().onTurn = (node) => {
      for (const table of this.#byName.values()) table.unsettleNode(node);
    };
    offeredLoad().onTurn = (uid) => this.#unsettle(uid);
  }

  #unsettle(uid: string): void {
    for (const table of this.#ofPod.get(uid) ?? []) table.unsettle(uid);
  }

  #note(pod: Pod, isGone: boolean): void {
    const { uid, namespace = '', labels } = pod.metadata;
    if (!isGone && pod.spec.nodeName === undefined) return;
    const former = this.#ofPod.get(uid);
    if (!isGone && former !== undefined && former.every((table) => table.labelsOf(uid) === labels)) {
      for (const table of former) table.put(pod);
      return;
    }
    const present = isGone ? [] : (this.#tables.get(namespace)?.matching(labels) ?? []);
    for (const table of former ?? []) if (!present.includes(table)) table.drop(uid);
    for (const table of present) table.put(pod);
    if (present.length > 0) this.#ofPod.set(uid, present);
    else this.#ofPod.delete(uid);
  }

  #dropUnread(): void {
    const sinceMs = this.#parts.clock.now() - KEPT_MS;
    const unread = new Set([...this.#byName.values()].filter(({ readMs }) => readMs < sinceMs));
    if (unread.size === 0) return;
    for (const [name, table] of this.#byName) if (unread.has(table)) this.#byName.delete(name);
    for (const table of unread) this.#tables.get(table.namespace)?.delete(table);
    for (const [uid, tables] of this.#ofPod) {
      const kept = tables.filter((table) => !unread.has(table));
      if (kept.length === 0) this.#ofPod.delete(uid);
      else if (kept.length < tables.length) this.#ofPod.set(uid, kept);
    }
  }
}
