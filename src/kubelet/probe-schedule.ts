/**
 * When a container turns started and ready: computed once at its start, so that probes that would
 * find nothing new cost nothing. A probe's first attempt is `initialDelaySeconds` after the start, the
 * next ones a period apart; success counts after `successThreshold` attempts in a row.
 */
import type { Container, core } from '../api/objects.js';

const DEFAULT_PERIOD_SECONDS = 10;
const SECOND_MS = 1000;

/** The moments at which a container's reported state changes by itself. */
export interface StartUp {
  /** Milliseconds of simulated time. */
  readonly startedMs: number;
  /** Milliseconds of simulated time, not before `startedMs`. */
  readonly readyMs: number;
}

/**
 * @param runningMs - when the process began to run
 * @param startDelayMs - from then until the application would answer a startup probe
 * @param readinessDelayMs - from then until it would answer a readiness probe
 */
export function startUp(
  { startupProbe, readinessProbe }: Pick<Container, 'startupProbe' | 'readinessProbe'>,
  runningMs: number,
  startDelayMs: number,
  readinessDelayMs: number,
): StartUp {
  const upMs = runningMs + startDelayMs;
  const startedMs = startupProbe === undefined ? upMs : successMs(startupProbe, runningMs, upMs);
  const answersMs = startedMs + readinessDelayMs;
  if (readinessProbe === undefined) return { startedMs, readyMs: answersMs };
  return { startedMs, readyMs: successMs(readinessProbe, runningMs, answersMs) };
}

/** When a probe that succeeds from `answersMs` on is recorded as a success. */
function successMs(probe: core.Probe, runningMs: number, answersMs: number): number {
  const { initialDelaySeconds = 0, periodSeconds = DEFAULT_PERIOD_SECONDS, successThreshold = 1 } = probe;
  const periodMs = Math.max(periodSeconds, 1) * SECOND_MS;
  const firstMs = runningMs + initialDelaySeconds * SECOND_MS;
  const missed = Math.max(0, Math.ceil((answersMs - firstMs) / periodMs));
  return firstMs + (missed + Math.max(successThreshold, 1) - 1) * periodMs;
}
