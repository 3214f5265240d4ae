/** What crosses the thread boundary between a hosted cluster and its owner. */
import { ApiError, type StatusDetails, type StatusReason } from '../api/errors/api-error.js';
import type { Kind } from '../api/objects/objects.js';
import type { Selection } from '../apiserver/store/server-types.js';
import type { Fault } from '../faults/fault.js';
import type { ContainerScript } from '../kubelet/scripts/script-types.js';
import type { MetricSample } from '../metrics/metrics.js';
import type { Cluster } from '../cluster/cluster.js';
import type { MachineSelection } from '../cluster/machine-selection.js';
import type { MachineReading } from '../machines/trail.js';
import type { DrainOptions } from '../cluster/drain/drain-options.js';
import type { InvariantViolation } from '../observers/invariants/invariant-monitor.js';
import type { ViolationCounts } from '../observers/node-truth.js';
import type { ProcessSet } from '../observers/safety-violation.js';
import type { MeasurementOptions } from '../cluster/measure.js';
import type { ClusterOptions } from '../cluster/options.js';
import type { RunGoal } from '../options/run-goal.js';
import type { TimelineOptions, TimelineSelection } from '../observers/timeline.js';

/**
 * The present of a cluster, for forks on other threads: bytes that threads share, so that it is written down once
 * however many go on from it, and the options of the cluster.
 */
export interface Present {
  readonly bytes: SharedArrayBuffer;
  readonly options: ClusterOptions;
}

/** Methods of a cluster that are called by name across the boundary. */
export type HostedMethod =
  | 'apply'
  | 'create'
  | 'get'
  | 'list'
  | 'patch'
  | 'update'
  | 'updateStatus'
  | 'evict'
  | 'delete'
  | 'scale'
  | 'stats'
  | 'unschedulable'
  | 'waited'
  | 'explain'
  | 'focusExplanations'
  | 'ready'
  | 'step'
  | 'pause'
  | 'addNodes';

/** Arguments of a run that can cross: functions and Observables cannot. */
export interface HostedRunOptions {
  readonly until?: RunGoal;
  readonly limit?: number | string;
}

/** An error in a form that structured cloning keeps. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly code?: number;
  readonly reason?: StatusReason | undefined;
  readonly details?: StatusDetails | undefined;
}

/** A result or a failure. */
export type Outcome<T> = { readonly value: T } | { readonly failure: Failure };

/** What the nodes of a hosted cluster say. */
export interface HostedTruth {
  readonly processes: readonly ProcessSet[];
  readonly unconfirmed: readonly ProcessSet[];
  readonly counts: ViolationCounts;
}

/** A stream of a hosted cluster: which method or getter of `Cluster` it is, with its arguments. */
export type HostedStream =
  | { readonly of: 'watch'; readonly kind: Kind; readonly selection: Selection }
  | { readonly of: 'timeline'; readonly pods: TimelineSelection; readonly options: TimelineOptions }
  | { readonly of: 'machines'; readonly selection: MachineSelection }
  | { readonly of: 'drain'; readonly node: string; readonly options: DrainOptions }
  | { readonly of: 'events$' | 'stats$' | 'warnings$' | 'violations$' };

/** Subscriber of a stream, on the owner's thread. */
export interface HostedObserver {
  /** Up to 256 items at once; the promise is of their having been taken. */
  next(batch: readonly unknown[]): Promise<void>;
  /** The last call. @param failure - absent when the stream has completed */
  end(failure?: Failure): void;
}

/** What may be asked of a controller that was added by its module. */
export type ControllerCommand = 'start' | 'stop' | 'crash' | 'remove';

/** What may be asked of a measurement on the cluster's thread. */
export type MeasurementMethod = 'check' | 'mark' | 'read' | 'stop' | 'totals' | 'metrics' | 'isAborted';

/** What the hosting thread exposes. */
export interface ClusterHost {
  /** @param present - of a cluster that this one goes on from */
  open(options: ClusterOptions, present?: SharedArrayBuffer): Outcome<string>;
  present(): Outcome<Present>;
  call(method: HostedMethod, args: readonly unknown[]): Promise<Outcome<unknown>>;
  run(options: HostedRunOptions): Promise<Outcome<Awaited<ReturnType<Cluster['run']>>>>;
  traceHash(): string;
  subscribe(id: number, stream: HostedStream, observer: HostedObserver): Outcome<void>;
  unsubscribe(id: number): void;
  registerImage(id: number, pattern: string, script: ContainerScript): Outcome<void>;
  takeImageBack(id: number): void;
  /** Keeps the clock until `endHold` of the same number. */
  beginHold(id: number, label: string | undefined): void;
  endHold(id: number): void;
  injectFault(fault: Fault): Outcome<number>;
  healFault(id: number): void;
  healFaults(): void;
  truth(): HostedTruth;
  machines(selection: MachineSelection): Outcome<readonly MachineReading[]>;
  /** @param module - URL of a module; @returns the controller's name */
  addController(module: string, settings: unknown): Promise<Outcome<string>>;
  commandController(name: string, command: ControllerCommand): Outcome<void>;
  isControllerRunning(name: string): boolean;
  violations(of: 'all' | 'faults' | 'at-rest'): readonly InvariantViolation[];
  /** Begins a measurement. */
  measure(id: number, options: MeasurementOptions): Outcome<void>;
  /** Calls a method of a measurement. */
  measured(id: number, method: MeasurementMethod, args: readonly unknown[]): Outcome<unknown>;
  metricsText(): Promise<string>;
  metricSamples(): Promise<readonly MetricSample[]>;
  close(): Promise<void>;
}

/** Runs `work` and turns what it throws into data. */
export async function outcomeOf<T>(work: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

/** An error as data. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message } = error;
  return error instanceof ApiError
    ? { name, message, code: error.code, reason: error.reason, details: error.details }
    : { name, message };
}

/** The value, or the failure thrown as the error that it was. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if ('value' in outcome) return outcome.value;
  throw errorOf(outcome.failure);
}

/** The error that a failure was. */
export function errorOf({ name, message, code, reason, details }: Failure): Error {
  if (code !== undefined) return new ApiError(code, reason, message, details);
  const error = new Error(message);
  error.name = name;
  return error;
}
