/**
 * What goes round in an instant that does not end: objects that are written over and over, and their writers. Pods
 * that a controller makes one after the other count as one, as each of them may be written a few times only.
 */
import { isPodTerminal } from '../api/objects/conditions.js';
import { USUAL_KINDS } from '../api/kinds/optional-kinds.js';
import type { Kind, KindMap, Pod } from '../api/objects/objects.js';
import { controllerOf } from '../api/objects/owners.js';
import type { Subscription } from 'rxjs';
import { USER, type ApiServer, type ObjectEvent } from '../apiserver/store/server-types.js';
import type { Lookout } from '../bus/bus-types.js';
import { listen } from '../bus/rx/listen.js';
import type { InstantObserver } from '../kernel/engine/standstill.js';

/** Events tell of what goes round, and leases are renewed by the clock: neither is a part of a circle. */
const KINDS = USUAL_KINDS.filter((kind) => kind !== 'Event' && kind !== 'Lease');

/** Writes of one line of objects that no instant needs, however few the objects are. */
const MANY_WRITES = 5000;
/** Further ones for each object of the line that lives on: a pod is created, bound, told of and deleted in some ten. */
const WRITES_PER_MEMBER = 100;
/** Further ones for each object of the cluster, as one may be written for each of many others. */
const WRITES_PER_OBJECT = 10;
/** Writers that a text names. */
const NAMED_WRITERS = 4;

const VERBS = { ADDED: 'creates', MODIFIED: 'updates', DELETED: 'removes' } as const;

/** Objects that follow each other: the same name, or the same kind and controller. */
interface Line {
  readonly kind: Kind;
  readonly label: string;
  writes: number;
  /** By what they did, such as `kube-scheduler updates`. */
  readonly byWriter: Map<string, number>;
}

/** See the file header. */
export class CircleWatch implements InstantObserver {
  readonly #server: ApiServer;
  readonly #lines = new Map<string, Line>();
  readonly #lookout: Lookout;
  #subscriptions: Subscription[] = [];
  #objects = 0;

  constructor(server: ApiServer, lookout: Lookout) {
    this.#server = server;
    this.#lookout = lookout;
  }

  begin(): number {
    this.end();
    for (const kind of KINDS) {
      this.#objects += this.#server.count(kind);
      this.#subscriptions.push(listen(this.#lookout.changes(kind), (event) => this.#written(event)));
    }
    return this.#objects;
  }

  circle(): string | undefined {
    const least = MANY_WRITES + WRITES_PER_OBJECT * this.#objects;
    for (const [key, line] of this.#lines) {
      if (line.writes > least && line.writes > least + WRITES_PER_MEMBER * this.#membersOf(key, line))
        return describe(line);
    }
    return undefined;
  }

  summary(): string {
    let busiest: Line | undefined;
    for (const line of this.#lines.values()) if (line.writes > (busiest?.writes ?? 0)) busiest = line;
    return busiest === undefined ? 'no object was written' : describe(busiest);
  }

  end(): void {
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    this.#subscriptions = [];
    this.#lines.clear();
    this.#objects = 0;
  }

  #written({ type, kind, object, by = USER }: ObjectEvent): void {
    const { key, label } = lineOf(kind, object);
    let line = this.#lines.get(key);
    if (line === undefined) this.#lines.set(key, (line = { kind, label, writes: 0, byWriter: new Map() }));
    line.writes += 1;
    const what = `${by} ${VERBS[type]}`;
    line.byWriter.set(what, (line.byWriter.get(what) ?? 0) + 1);
  }

  /** Those that live on; a pod that has ended, or is on its way out, does not. */
  #membersOf(key: string, { kind }: Line): number {
    return this.#server.list(kind).items.filter((object) => lineOf(kind, object).key === key && isLive(kind, object))
      .length;
  }
}

function isLive(kind: Kind, object: KindMap[Kind]): boolean {
  return object.metadata.deletionTimestamp === undefined && !(kind === 'Pod' && isPodTerminal(object as Pod));
}

function lineOf(kind: Kind, object: KindMap[Kind]): { readonly key: string; readonly label: string } {
  const { namespace, name } = object.metadata;
  const place = namespace === undefined ? '' : `${namespace}/`;
  const controller = controllerOf(object);
  if (controller === undefined) return { key: `${kind} ${place}${name}`, label: `${kind} ${place}${name}` };
  const label = `${kind}s of ${controller.kind} ${place}${controller.name}`;
  return { key: `${kind} of ${controller.uid}`, label };
}

function describe({ label, writes, byWriter }: Line): string {
  const parts = [...byWriter].sort(([, left], [, right]) => right - left).slice(0, NAMED_WRITERS);
  const told = parts.map(([what, count]) => `${what} ${count}`).join(', ');
  return `${label} written ${writes} times (${told})`;
}
