/** Verdicts of plugins as values. Mirrors kube-scheduler v1.34 `framework.Status`; `undefined` stands for Success. */

/** Codes of a {@link Status}, numbered as upstream. */
export const Code = {
  Success: 0,
  /** An internal fault of the plugin; ends the attempt. */
  Error: 1,
  /** Does not fit now; preemption may help. */
  Unschedulable: 2,
  /** Does not fit, and preemption cannot help. */
  UnschedulableAndUnresolvable: 3,
  /** Permit: the pod waits. */
  Wait: 4,
  /** PreFilter, PreScore, Bind: this plugin has nothing to do for the pod. */
  Skip: 5,
  /** PreEnqueue, Reserve, Permit: waits for something outside. */
  Pending: 6,
} as const;
export type Code = (typeof Code)[keyof typeof Code];

const CODE_NAMES = [
  'Success',
  'Error',
  'Unschedulable',
  'UnschedulableAndUnresolvable',
  'Wait',
  'Skip',
  'Pending',
] as const;

/** A verdict that is not plain success. Immutable and shared: plugins keep theirs as constants. */
export interface Status {
  readonly code: Code;
  /** Texts that users see, in the order in which they were found. */
  readonly reasons: readonly string[];
  /** The plugin that said so; empty when the framework itself did. */
  readonly plugin: string;
}

/** Builds a status. */
export function createStatus(code: Code, plugin: string, ...reasons: readonly string[]): Status {
  return { code, reasons, plugin };
}

/** The code of a verdict, where `undefined` is Success. */
export function codeOf(status: Status | undefined): Code {
  return status === undefined ? Code.Success : status.code;
}

/** Kubernetes' name of a code. */
export function codeName(code: Code): (typeof CODE_NAMES)[Code] {
  return CODE_NAMES[code];
}

/** Whether the verdict is a rejection, and not an error: the pod waits for an event, not for a retry. */
export function isRejected(status: Status | undefined): boolean {
  const code = codeOf(status);
  return code === Code.Unschedulable || code === Code.UnschedulableAndUnresolvable || code === Code.Pending;
}

/** The reasons as one text, as upstream's `Status.Message()`. */
export function messageOf(status: Status): string {
  return status.reasons.join(', ');
}
