/** What crosses the thread boundary between a hosted cluster and its owner. */
import { ApiError, type StatusDetails, type StatusReason } from '../api/api-error.js';
import type { Kind } from '../api/objects.js';
import type { Selection, WatchEvent } from '../apiserver/server-types.js';
import type { Fault } from '../faults/fault.js';
import type { ContainerScript } from '../kubelet/scripts/script-types.js';
import type { ClusterStats } from './cluster-stats.js';
import type { Cluster } from './cluster.js';
import type { ViolationCounts } from './node-truth.js';
import type { ProcessSet } from './safety-violation.js';
import type { ClusterOptions } from './options.js';
import type { RunGoal } from './run-goal.js';

/** Methods of a cluster that are called by name across the boundary. */
export type HostedMethod =
  | 'apply'
  | 'create'
  | 'get'
  | 'list'
  | 'patch'
  | 'update'
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

/** Takes a batch of what a stream has emitted; the promise is of its having been taken. */
export type Deliver<T> = (batch: readonly T[]) => Promise<void>;

/** What the hosting thread exposes. */
export interface ClusterHost {
  open(options: ClusterOptions): Outcome<string>;
  call(method: HostedMethod, args: readonly unknown[]): Promise<Outcome<unknown>>;
  run(options: HostedRunOptions): Promise<Outcome<Awaited<ReturnType<Cluster['run']>>>>;
  traceHash(): string;
  watch(id: number, kind: Kind, selection: Selection, deliver: Deliver<WatchEvent>): Outcome<void>;
  watchStats(id: number, deliver: Deliver<ClusterStats>): Outcome<void>;
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
  const { name, message, code, reason, details } = outcome.failure;
  if (code !== undefined) throw new ApiError(code, reason, message, details);
  const error = new Error(message);
  error.name = name;
  throw error;
}
