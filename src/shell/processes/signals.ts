/** Signals by their names and numbers, as Linux has them on x86-64. */

export const SIGINT = 2;
export const SIGKILL = 9;
export const SIGPIPE = 13;
export const SIGTERM = 15;

const NAMES = [
  'EXIT',
  'HUP',
  'INT',
  'QUIT',
  'ILL',
  'TRAP',
  'ABRT',
  'BUS',
  'FPE',
  'KILL',
  'USR1',
  'SEGV',
  'USR2',
  'PIPE',
  'ALRM',
  'TERM',
  'STKFLT',
  'CHLD',
  'CONT',
  'STOP',
  'TSTP',
  'TTIN',
  'TTOU',
  'URG',
  'XCPU',
  'XFSZ',
  'VTALRM',
  'PROF',
  'WINCH',
  'POLL',
  'PWR',
  'SYS',
];

/** Signals that pass a process by that has not asked for them. */
const HARMLESS: ReadonlySet<number> = new Set(
  ['CHLD', 'CONT', 'STOP', 'TSTP', 'TTIN', 'TTOU', 'URG', 'WINCH'].map((name) => NAMES.indexOf(name)),
);

/** A signal by its name, with or without SIG, or its number; `undefined` = there is none. */
export function signalNumber(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) < NAMES.length ? Number(text) : undefined;
  const number = NAMES.indexOf(text.toUpperCase().replace(/^SIG/, ''));
  return number < 0 ? undefined : number;
}

export function signalName(number: number): string {
  return NAMES[number] ?? String(number);
}

/** Names of all signals that a program may send, in order. */
export const SIGNAL_NAMES: readonly string[] = NAMES.slice(1);

/** Whether a process goes on that has no handler for it. */
export function isHarmless(signal: number): boolean {
  return HARMLESS.has(signal);
}
