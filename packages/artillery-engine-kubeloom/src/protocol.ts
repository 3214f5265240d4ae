/** What crosses between the threads of virtual users and the thread of the cluster. */
import type { MessagePort } from 'node:worker_threads';

/** A call of a virtual user. */
export interface Call {
  readonly id: number;
  readonly verb: string;
  /** Of a hook, whose metrics Artillery does not count: what was measured is kept for users. */
  readonly isOfHook: boolean;
  /** Plain data. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** What was measured since the last answer to any call, under kubeloom's names of metrics. */
export interface Measured {
  readonly counters: readonly (readonly [name: string, amount: number])[];
  /** Values of distributions, each with how often there was it. */
  readonly values: readonly (readonly [name: string, values: readonly (readonly [value: number, times: number])[]])[];
}

/** What came of a call. */
export interface Reply {
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: { readonly code: string; readonly message: string };
  readonly measured: Measured;
}

/** A thread asks the cluster's thread for a connection. */
export interface Connect {
  readonly type: 'kubeloom/connect';
  readonly port: MessagePort;
}

/** A failure of a call, with the code that Artillery counts it by. */
export class CallError extends Error {
  override readonly name = 'CallError';

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
