/**
 * Where a machine has been: its last steps, kept with it, and told to whatever listens at the moment. One form for
 * the machines of pods, nodes and controllers, so that all of them are looked at in the same way.
 */
import { Observable, type Observer } from 'rxjs';
import type { Clock } from '../kernel/engine/clock.js';
import type { TableState } from './machine-table.js';

/** What has a machine. */
export const MACHINE_KINDS = ['pod', 'node', 'controller'] as const;

/** See {@link MACHINE_KINDS}. */
export type MachineKind = (typeof MACHINE_KINDS)[number];

/** One step of a machine: what moved it, and where it came to rest. */
export interface MachineStep {
  /** Simulated time, ms. */
  readonly atMs: number;
  readonly machine: MachineKind;
  /** `namespace/name` of a pod, the name of a node or of a controller. */
  readonly name: string;
  /** The process in which it lives, such as `kubelet/node-0` or `kube-controller-manager`. */
  readonly by: string;
  /** Such as `pod.ending`, `after stepEnd`; `begin` for its first state, `stop` when its process ended. */
  readonly event: string;
  /** Such as `startingContainers.creating`; `undefined` before the first one. */
  readonly from: string | undefined;
  readonly to: string;
  /** Whether it makes no further step: it has come to its end, or was stopped where it stood. */
  readonly isOver: boolean;
}

/** A machine as it stands. */
export interface MachineReading extends Pick<MachineStep, 'machine' | 'name' | 'by' | 'isOver'> {
  readonly state: string;
  /** Its last steps, 16 at most, oldest first. */
  readonly history: readonly MachineStep[];
}

/** What a machine is of. Read when a step is told, so that a pod pays nothing for it. */
export interface MachineSubject {
  readonly machine: MachineKind;
  readonly machineName: string;
  /** The process in which it lives. */
  readonly party: string;
  readonly machineWatch: MachineWatch;
}

/** Listens to the machines of a cluster; a machine tells nothing while nothing listens. */
export class MachineWatch {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #listeners = new Set<Observer<MachineStep>>();
  /** Each step from the moment of the subscription on, at once. Never completes. */
  readonly steps$ = new Observable<MachineStep>((subscriber) => {
    this.#listeners.add(subscriber);
    return () => this.#listeners.delete(subscriber);
  });

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  get nowMs(): number {
    return this.#clock.now();
  }

  get isListening(): boolean {
    return this.#listeners.size > 0;
  }

  tell(step: MachineStep): void {
    for (const listener of this.#listeners) listener.next(step);
  }
}

const MOST_STEPS = 16;
/** When, by which event, and into which state; `undefined` = it was stopped where it stood. */
type Entry = readonly [atMs: number, event: string, to: TableState | undefined];
const LENGTH = 3;

/** See the file header. Steps lie flat in one array, as every pod of a cluster has some. */
export class Trail {
  readonly #subject: MachineSubject;
  readonly #entries: Entry[number][] = [];
  /** The state before the oldest entry. */
  #before: TableState | undefined;
  #state: TableState | undefined;
  #isStopped = false;

  constructor(subject: MachineSubject) {
    this.#subject = subject;
  }

  /** @param to - `undefined` = the machine was stopped */
  note(event: string, to: TableState | undefined): void {
    const { machineWatch } = this.#subject;
    const { nowMs } = machineWatch;
    const from = this.#state;
    if (to === undefined) this.#isStopped = true;
    else this.#state = to;
    this.#entries.push(nowMs, event, to);
    if (this.#entries.length > MOST_STEPS * LENGTH) {
      const [, , oldest] = this.#entries.splice(0, LENGTH) as unknown as Entry;
      this.#before = oldest ?? this.#before;
    }
    if (machineWatch.isListening) machineWatch.tell(this.#step([nowMs, event, to], from));
  }

  /** The machine as it stands. */
  get reading(): MachineReading {
    const { machine, machineName: name, party: by } = this.#subject;
    const isOver = this.#isStopped || this.#state?.isFinal === true;
    return { machine, name, by, state: this.#state?.name ?? '', isOver, history: this.#history() };
  }

  #history(): MachineStep[] {
    const steps: MachineStep[] = [];
    let from = this.#before;
    for (let index = 0; index < this.#entries.length; index += LENGTH) {
      const entry = this.#entries.slice(index, index + LENGTH) as unknown as Entry;
      steps.push(this.#step(entry, from));
      from = entry[2] ?? from;
    }
    return steps;
  }

  #step([atMs, event, to]: Entry, from: TableState | undefined): MachineStep {
    const { machine, machineName: name, party: by } = this.#subject;
    const isOver = to === undefined || to.isFinal;
    return { atMs, machine, name, by, event: told(event), from: from?.name, to: (to ?? from)?.name ?? '', isOver };
  }
}

/** As the page of diagrams names it. */
function told(event: string): string {
  if (event === 'xstate.init') return 'begin';
  if (event === 'xstate.stop') return 'stop';
  return event.replace(/^xstate\.after\.([^.]+)\..*$/, 'after $1');
}
