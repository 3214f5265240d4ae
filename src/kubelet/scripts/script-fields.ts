/** Reads whole scripts out of plain data, strictly: unknown fields and wrong values are errors with their path. */
import { isDistribution, type Distribution } from '../../kernel/distribution.js';
import { LOGS } from './log-text.js';
import { placeOf, ScriptError, type ScriptPlace } from './script-error.js';
import { CREATION, CREATION_REASON, DURATION, EXIT_CODE, FAILURES, HOOK, IMAGE_PULL } from './script-text.js';
import {
  CPU_TIME,
  NEEDS,
  ONE_EXIT_CODE,
  PEER_COUNT,
  PLAYED_IMAGE,
  PROBE,
  REQUEST_COST,
  RUNS,
  SELECTOR,
  SHUTDOWN,
} from './script-text.js';
import type {
  ContainerScript,
  CreationScript,
  ExecScript,
  HookScript,
  ImagePullScript,
  LogLineScript,
  PeerScript,
  ProbeScript,
  RequestCostScript,
  RunScript,
  ShutdownScript,
  UsageCurve,
} from './script-types.js';
import type { TextForm } from './text-form.js';
import { BYTES_USAGE, COUNT_USAGE, CPU_USAGE, curveFault, MOMENT, type UsageForm } from './usage-text.js';

/** Reads a value, or throws a {@link ScriptError} that names its place. */
export type Reader<T> = (value: unknown, place: ScriptPlace) => T;

/** One reader for each field; `null` counts as absent. */
export type FieldReaders<T> = { readonly [F in keyof T]-?: Reader<NonNullable<T[F]>> };

/** Whether a value is a mapping of fields. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a mapping field by field. */
export function readFields<T>(
  value: unknown,
  place: ScriptPlace,
  readers: FieldReaders<T>,
  allowed: string,
): Partial<T> {
  if (!isMapping(value)) throw new ScriptError(place, allowed, value);
  const known = Object.keys(readers);
  const read: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value)) {
    const own = placeOf(place, name);
    if (!known.includes(name)) throw new ScriptError(own, `absent: the fields here are ${known.join(', ')}`, each);
    if (each === null || each === undefined) continue;
    read[name] = readers[name as keyof T](each, own);
  }
  return read as Partial<T>;
}

const duration: Reader<Distribution> = (value, place) => {
  const parsed = typeof value === 'string' ? DURATION.parse(value) : value;
  // A copy: what a user changes later must not change what was checked.
  if (isDistribution(parsed)) return typeof parsed === 'number' ? parsed : structuredClone(parsed);
  throw new ScriptError(place, `milliseconds >= 0 or ${DURATION.allowed}`, value);
};

const failures: Reader<number> = (value, place) => {
  if (value === Infinity || (Number.isInteger(value) && (value as number) >= 0)) return value as number;
  return readText(FAILURES, value, place, FAILURES.allowed);
};

const oneExitCode: Reader<number> = (value, place) => {
  const digits = typeof value === 'number' ? String(value) : undefined;
  const parsed = digits === undefined ? undefined : ONE_EXIT_CODE.parse(digits);
  if (parsed === undefined) throw new ScriptError(place, ONE_EXIT_CODE.allowed, value);
  return parsed;
};

const exitCode: Reader<number | readonly number[]> = (value, place) => {
  if (typeof value === 'number') return oneExitCode(value, place);
  if (typeof value === 'string') return readText(EXIT_CODE, value, place, EXIT_CODE.allowed);
  if (!Array.isArray(value) || value.length === 0) {
    throw new ScriptError(place, 'an integer in 0..255 or a list of them', value);
  }
  return (value as readonly unknown[]).map((code, index) => oneExitCode(code, placeOf(place, index)));
};

const text: Reader<string> = (value, place) => {
  if (typeof value === 'string' && value !== '') return value;
  throw new ScriptError(place, 'a text', value);
};

const flag: Reader<boolean> = (value, place) => {
  if (typeof value === 'boolean') return value;
  throw new ScriptError(place, 'true or false', value);
};

const reason: Reader<NonNullable<CreationScript['reason']>> = (value, place) =>
  readText(CREATION_REASON, value, place, CREATION_REASON.allowed);

/** A field that is a mapping, or the text of that form. */
function textOr<T extends object>(form: TextForm<T>, readers: FieldReaders<T>): Reader<T> {
  const allowed = `${form.allowed}; or a mapping with ${Object.keys(readers).join(', ')}`;
  return (value, place) =>
    typeof value === 'string'
      ? readText(form, value, place, allowed)
      : (readFields(value, place, readers, allowed) as T);
}

function readText<T>(form: TextForm<T>, value: unknown, place: ScriptPlace, allowed: string): T {
  const parsed = typeof value === 'string' ? form.parse(value) : undefined;
  if (parsed === undefined) throw new ScriptError(place, allowed, value);
  return parsed;
}

const RUN: FieldReaders<RunScript> = { duration, exitCode, isOutOfMemory: flag };

const runs: Reader<readonly RunScript[]> = (value, place) => {
  if (typeof value === 'string') return readText(RUNS, value, place, RUNS.allowed);
  if (!Array.isArray(value)) throw new ScriptError(place, `a list of runs, or ${RUNS.allowed}`, value);
  const allowed = `a run with ${Object.keys(RUN).join(', ')}`;
  return (value as readonly unknown[]).map((run, index) => readFields(run, placeOf(place, index), RUN, allowed));
};

const probe = textOr<ProbeScript>(PROBE, {
  okFor: duration,
  failFor: duration,
  output: text,
  isTimeout: flag,
  isError: flag,
  redirectBody: text,
});
const hook = textOr<HookScript>(HOOK, { duration, fails: flag, error: text });

const count: Reader<number> = (value, place) => {
  if (Number.isInteger(value) && (value as number) >= 1) return value as number;
  throw new ScriptError(place, PEER_COUNT.allowed, value);
};

const labels: Reader<string> = (value, place) => readText(SELECTOR, value, place, SELECTOR.allowed);

const peers = textOr<PeerScript>(NEEDS, {
  atLeast: count,
  selector: labels,
  failsLiveness: flag,
  exitAfter: duration,
  exitCode: oneExitCode,
});

/** Both how many and which are to be said. */
const needs: Reader<PeerScript> = (value, place) => {
  const read: Partial<PeerScript> = peers(value, place);
  const { atLeast = count(undefined, placeOf(place, 'atLeast')) } = read;
  const { selector = labels(undefined, placeOf(place, 'selector')) } = read;
  return { ...read, atLeast, selector };
};

/** A curve, a constant amount, or the text of either. */
function usage(form: UsageForm): Reader<UsageCurve> {
  const allowed = `${form.allowed}; or a mapping with points, repeatMs`;
  const amount = numberOr(form.amount);
  const moment = numberOr(MOMENT, Number.isInteger);
  const points: Reader<UsageCurve['points']> = (value, place) => {
    if (!Array.isArray(value)) throw new ScriptError(place, 'a list of pairs [time, amount]', value);
    return (value as readonly unknown[]).map((pair, index) => {
      const own = placeOf(place, index);
      if (!Array.isArray(pair) || pair.length !== 2) throw new ScriptError(own, 'a pair [time, amount]', pair);
      return [moment(pair[0], placeOf(own, 0)), amount(pair[1], placeOf(own, 1))] as const;
    });
  };
  return (value, place) => {
    if (typeof value === 'number') return { points: [[0, amount(value, place)]] };
    if (typeof value === 'string') return readText(form, value, place, allowed);
    const curve = readFields<UsageCurve>(value, place, { points, repeatMs: moment }, allowed);
    return checkedCurve(curve, place);
  };
}

function checkedCurve({ points = [], repeatMs }: Partial<UsageCurve>, place: ScriptPlace): UsageCurve {
  const curve: UsageCurve = repeatMs === undefined ? { points } : { points, repeatMs };
  const fault = curveFault(curve);
  if (fault === undefined) return curve;
  const allowed = fault === 'points' ? 'at least one pair, with times that do not fall' : "after the last point's time";
  throw new ScriptError(placeOf(place, fault), allowed, curve[fault]);
}

/** A number >= 0 as it is, or the text of the form. */
function numberOr(form: TextForm<number>, isGood: (value: number) => boolean = Number.isFinite): Reader<number> {
  return (value, place) => {
    const parsed = typeof value === 'string' ? form.parse(value) : value;
    if (typeof parsed === 'number' && parsed >= 0 && isGood(parsed)) return parsed;
    throw new ScriptError(place, `a number >= 0 or ${form.allowed}`, value);
  };
}

const moment = numberOr(MOMENT, Number.isInteger);

const cpuTime = numberOr(CPU_TIME, (value) => value > 0 && Number.isFinite(value));

const costs = textOr<RequestCostScript>(REQUEST_COST, { cpuMs: cpuTime, queue: count });

/** What it takes is to be said. */
const requestCost: Reader<RequestCostScript> = (value, place) => {
  const read: Partial<RequestCostScript> = costs(value, place);
  const { cpuMs = cpuTime(undefined, placeOf(place, 'cpuMs')) } = read;
  return { ...read, cpuMs };
};

const LOG_LINE: FieldReaders<LogLineScript> = {
  atMs: moment,
  everyMs: (value, place) => {
    const everyMs = moment(value, place);
    if (everyMs >= 1) return everyMs;
    throw new ScriptError(place, 'at least 1 ms', value);
  },
  text,
};

const logs: Reader<readonly LogLineScript[]> = (value, place) => {
  if (typeof value === 'string') return readText(LOGS, value, place, LOGS.allowed);
  if (!Array.isArray(value)) throw new ScriptError(place, `a list of lines, or ${LOGS.allowed}`, value);
  const allowed = `a line with ${Object.keys(LOG_LINE).join(', ')}`;
  return (value as readonly unknown[]).map((line, index) => {
    const own = placeOf(place, index);
    const read = readFields(line, own, LOG_LINE, allowed);
    return { atMs: 0, ...read, text: read.text ?? text(undefined, placeOf(own, 'text')) };
  });
};

const output: Reader<string> = (value, place) => {
  if (typeof value === 'string') return value;
  throw new ScriptError(place, 'a text', value);
};

const EXEC: FieldReaders<ExecScript> = { command: text, stdout: output, stderr: output, exitCode: oneExitCode };

const exec: Reader<readonly ExecScript[]> = (value, place) => {
  const allowed = `a command with ${Object.keys(EXEC).join(', ')}`;
  if (!Array.isArray(value)) throw new ScriptError(place, 'a list of commands', value);
  return (value as readonly unknown[]).map((each, index) => {
    const own = placeOf(place, index);
    const read = readFields(each, own, EXEC, allowed);
    return { ...read, command: read.command ?? text(undefined, placeOf(own, 'command')) };
  });
};

const SCRIPT: FieldReaders<ContainerScript> = {
  imagePull: textOr<ImagePullScript>(IMAGE_PULL, { duration, failures, error: text }),
  creation: textOr<CreationScript>(CREATION, { failures, reason, error: text }),
  startDelay: duration,
  readinessDelay: duration,
  runs,
  plays: (value, place) => readText(PLAYED_IMAGE, value, place, PLAYED_IMAGE.allowed),
  shutdown: textOr<ShutdownScript>(SHUTDOWN, { delay: duration, ignoresTerm: flag, exitCode: oneExitCode }),
  readiness: probe,
  liveness: probe,
  needs,
  postStart: hook,
  preStop: hook,
  cpuMillis: usage(CPU_USAGE),
  requestCost,
  memoryBytes: usage(BYTES_USAGE),
  storageBytes: usage(BYTES_USAGE),
  processes: usage(COUNT_USAGE),
  logs,
  exec,
};

/**
 * Reads a script out of plain data.
 *
 * @throws ScriptError that names the field, what it got and what is allowed
 */
export const readScript: Reader<ContainerScript> = (value, place) =>
  readFields(value, place, SCRIPT, `a mapping with ${Object.keys(SCRIPT).join(', ')}`);
