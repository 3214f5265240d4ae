/**
 * Checks promises while a cluster runs: at each write, at each thing that happens on a machine, and, on request,
 * of what stands at rest. It changes nothing that happens. What it finds names the invariant, the time, the seed
 * and the object; what a request has accepted the risk of is told apart from a component's fault.
 */
import { Subject, Subscription, type Observable } from 'rxjs';
import { USUAL_KINDS } from '../../api/kinds/optional-kinds.js';
import { keyOf, type AnyObject, type Kind } from '../../api/objects/objects.js';
import type { ObjectEvent } from '../../apiserver/store/server-types.js';
import type { Lookout } from '../../bus/bus-types.js';
import { listen } from '../../bus/rx/listen.js';
import type { NodeTruth } from '../node-truth.js';
import { programStream } from '../program-stream.js';
import type { Finding, Invariant, World, Write } from './invariant.js';
import { ObservedWorld, REMEMBERED_KINDS, type WorldParts } from './observed-world.js';

/** A promise that was not kept. */
export interface InvariantViolation {
  /** Name of the invariant, and what it promises. */
  readonly invariant: string;
  readonly promise: string;
  /** Simulated time, ms. */
  readonly atMs: number;
  readonly seed: string;
  /** What it is about, such as `Pod default/web-0`. */
  readonly object: string;
  readonly text: string;
  /** The party that accepted the risk of it, as {@link Finding.asked}; absent = none, and a component is at fault. */
  readonly asked: string | undefined;
}

/** What is watched. */
export interface MonitoredParts extends WorldParts {
  readonly seed: string;
  readonly truth: NodeTruth;
  readonly lookout: Lookout;
}

/** Violations that are kept; the first ones tell the most. */
const MAX_KEPT = 1000;

type AnyCheck = (write: Write, world: World) => Finding | undefined;

/** See the file header. */
export class InvariantMonitor {
  readonly #parts: MonitoredParts;
  readonly #invariants: readonly Invariant[];
  readonly #world: ObservedWorld;
  readonly #evaluated = new Map<string, number>();
  readonly #found = new Subject<InvariantViolation>();
  readonly #kept: InvariantViolation[] = [];
  readonly #subscriptions = new Subscription();

  constructor(parts: MonitoredParts, invariants: readonly Invariant[]) {
    this.#parts = parts;
    this.#invariants = invariants;
    this.#world = new ObservedWorld(parts);
    for (const { name } of invariants) this.#evaluated.set(name, 0);
    for (const kind of USUAL_KINDS) this.#follow(kind);
    this.#followMachines();
  }

  /** What was found so far, the first 1,000. */
  get violations(): readonly InvariantViolation[] {
    return this.#kept;
  }

  /** Those of which no request has accepted the risk. */
  get faults(): readonly InvariantViolation[] {
    return this.#kept.filter(({ asked }) => asked === undefined);
  }

  /**
   * What is found from now on, in a tick of its own at the same simulated time; slow subscribers as in `Cluster.watch`.
   * Completes on dispose.
   */
  get violations$(): Observable<InvariantViolation> {
    return programStream(this.#parts.clock, this.#found);
  }

  /** What is looked at, in order. */
  get invariants(): readonly Pick<Invariant, 'name' | 'promise'>[] {
    return this.#invariants;
  }

  /** How often each invariant was looked at. */
  get evaluated(): ReadonlyMap<string, number> {
    return this.#evaluated;
  }

  /** Looks at what must hold once all is at rest; to be called when it should be. */
  checkAtRest(): readonly InvariantViolation[] {
    const before = this.#kept.length;
    for (const invariant of this.#invariants) {
      if (invariant.atRest === undefined) continue;
      this.#count(invariant);
      for (const finding of invariant.atRest(this.#world)) this.#note(invariant, finding);
    }
    return this.#kept.slice(before);
  }

  /** Lets go of everything. */
  dispose(): void {
    this.#subscriptions.unsubscribe();
    this.#world.dispose();
    this.#found.complete();
  }

  #follow(kind: Kind): void {
    const checks = this.#invariants.flatMap((invariant) => {
      const check = invariant.onWrite?.[kind] as AnyCheck | undefined;
      return check === undefined ? [] : [{ invariant, check }];
    });
    if (checks.length === 0 && !(this.#invariants.length > 0 && REMEMBERED_KINDS.includes(kind))) return;
    const known = new Map<string, AnyObject>();
    let lastVersion = this.#parts.server.version;
    const written = ({ type, object, version, by, named }: ObjectEvent): void => {
      const key = keyOf(object);
      // What stands already is told when the watch begins; it was written before.
      if (by === undefined) {
        known.set(key, object);
        this.#world.stored(object, undefined);
        return;
      }
      this.#world.heard();
      if (type !== 'DELETED') this.#world.stored(object, by);
      const write: Write = { type, kind, object, previous: known.get(key), by, named, version, lastVersion };
      lastVersion = version;
      if (type === 'DELETED') known.delete(key);
      else known.set(key, object);
      for (const { invariant, check } of checks) this.#look(invariant, check(write, this.#world));
      if (type === 'DELETED') this.#world.removed(object, by);
    };
    this.#subscriptions.add(listen(this.#parts.lookout.watch<Kind>(kind), written));
  }

  #followMachines(): void {
    const { fleet, truth } = this.#parts;
    const onProcess = this.#invariants.filter((invariant) => invariant.onProcess !== undefined);
    if (onProcess.length > 0) {
      const facts = listen(fleet.processes.facts$, (fact) => {
        for (const invariant of onProcess) this.#look(invariant, invariant.onProcess?.(fact, this.#world));
      });
      this.#subscriptions.add(facts);
    }
    const onParting = this.#invariants.filter((invariant) => invariant.onParting !== undefined);
    const subscription = truth.violations$.subscribe((parting) => {
      for (const invariant of onParting) this.#look(invariant, invariant.onParting?.(parting, this.#world));
    });
    this.#subscriptions.add(subscription);
  }

  #look(invariant: Invariant, finding: Finding | undefined): void {
    this.#count(invariant);
    if (finding !== undefined) this.#note(invariant, finding);
  }

  #count({ name }: Invariant): void {
    this.#evaluated.set(name, (this.#evaluated.get(name) ?? 0) + 1);
  }

  #note({ name, promise }: Invariant, { object, text, asked }: Finding): void {
    const { clock, seed } = this.#parts;
    const violation = { invariant: name, promise, atMs: clock.now(), seed, object, text, asked };
    if (this.#kept.length < MAX_KEPT) this.#kept.push(violation);
    clock.schedule(0, () => this.#found.next(violation));
  }
}
