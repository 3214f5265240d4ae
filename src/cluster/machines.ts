/**
 * The machines of a cluster from outside: every pod on its node, every node and every controller is an actor; its
 * state can be read, with its last steps, and followed step by step. It looks and never acts.
 */
import { defer, filter, from, merge, type Observable } from 'rxjs';
import type { Clock } from '../kernel/engine/clock.js';
import type { MachineReading, MachineStep, MachineWatch, Trail } from '../machines/trail.js';
import { handOver } from '../observers/hand-over.js';
import type { MachineSelection } from './machine-selection.js';
import { machineOptions } from './request-options.js';

/** What the machines are read from. */
export interface MachineSources {
  readonly clock: Clock;
  readonly machineWatch: MachineWatch;
  /** Where each machine that there is has been. */
  readonly trails: () => Iterable<Trail>;
  /** Hands a stream to the program. */
  readonly stream: <T>(source$: Observable<T>) => Observable<T>;
}

/** See the file header. */
export class Machines {
  readonly #sources: MachineSources;

  /** @internal */
  constructor(sources: MachineSources) {
    this.#sources = sources;
  }

  /**
   * How the machines stand that there are: first those of the nodes, each with those of its pods, then the controllers,
   * one in each replica of their manager. A pod has one from its arrival at its node to its end there; a kubelet that
   * starts anew makes new ones.
   *
   * @throws OptionError
   */
  states(selection: MachineSelection = {}): readonly MachineReading[] {
    const isMeant = chosenBy(selection);
    return [...this.#sources.trails()].map(({ reading }) => reading).filter(isMeant);
  }

  /** The steps of those machines that are still known, 16 of each at most, in order of simulated time. @throws OptionError */
  history(selection: MachineSelection = {}): readonly MachineStep[] {
    const steps = this.states(selection).flatMap(({ history }) => history);
    return steps.sort((one, other) => one.atMs - other.atMs);
  }

  /**
   * The {@link history}, then each step in a tick of its own at the same simulated time; the state is the last step's
   * `to`. Costs something only while subscribed; slow subscribers as in `Cluster.watch`. Completes on dispose.
   *
   * @example
   * ```ts
   * cluster.machines.watch({ machine: 'pod', name: 'web-0' }).subscribe(({ atMs, event, to }) => report(atMs, event, to));
   * ```
   * @throws OptionError
   */
  watch(selection: MachineSelection = {}): Observable<MachineStep> {
    const { clock, machineWatch, stream } = this.#sources;
    const isMeant = chosenBy(selection);
    const steps$ = machineWatch.steps$.pipe(filter((step) => isMeant(step)));
    return stream(defer(() => merge(from(this.history(selection)), steps$)).pipe(handOver(clock)));
  }
}

function chosenBy(selection: MachineSelection): (of: Pick<MachineStep, 'machine' | 'name' | 'by'>) => boolean {
  const { machine, name, by } = machineOptions(selection);
  return (of) =>
    (machine === undefined || of.machine === machine) &&
    (by === undefined || of.by === by) &&
    (name === undefined || of.name === name || (of.machine === 'pod' && of.name === `default/${name}`));
}
