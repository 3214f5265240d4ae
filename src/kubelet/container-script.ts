/**
 * What a container does once it runs: nobody executes images here, so a pod's annotations under
 * `kubeloom.dev/` say it, for all containers or for one (`kubeloom.dev/run-for.<container>`).
 */
import type { StringMap } from '../api/objects.js';
import { parseDistribution, type Distribution } from '../kernel/distribution.js';

/** Behaviour of one container; what is absent is left to the node's runtime profile. */
export interface ContainerScript {
  /** From start to exit; absent = until it is stopped (init containers: the profile's run time). */
  readonly runFor?: Distribution;
  /** Exit code after `runFor`, 0..255. */
  readonly exitCode: number;
  /** From start to `started`. */
  readonly startDelay: Distribution;
  /** From `started` to ready. */
  readonly readinessDelay: Distribution;
  /** From SIGTERM to exit 0; longer than the grace = ignores SIGTERM. */
  readonly shutdownDelay?: Distribution;
}

/** An annotation that cannot be used. */
export interface ScriptProblem {
  readonly annotation: string;
  readonly value: string;
  readonly allowed: string;
}

/** What a container without annotations does: it runs until it is stopped. */
export const DEFAULT_SCRIPT: ContainerScript = { exitCode: 0, startDelay: 0, readinessDelay: 0 };

const PREFIX = 'kubeloom.dev/';
const DURATIONS =
  'a duration such as 500ms or 1m30s, uniform(1s, 3s), exponential(10s), lognormal(10s, 0.5) or choice(1s, 5s)';
const EXIT_CODES = 'an integer in 0..255';
const LARGEST_EXIT_CODE = 255;

/** Whether any annotation speaks of scripts; most pods have none. */
export function hasScript(annotations: StringMap | undefined): annotations is StringMap {
  if (annotations === undefined) return false;
  for (const key in annotations) if (key.startsWith(PREFIX)) return true;
  return false;
}

/**
 * Reads one container's script. Text that is none of the allowed forms is told to `onProblem`, and the
 * default is used in its place.
 */
export function parseScript(
  annotations: StringMap,
  container: string,
  onProblem: (problem: ScriptProblem) => void,
): ContainerScript {
  const duration = (name: string): Distribution | undefined => {
    const found = annotationOf(annotations, name, container);
    if (found === undefined) return undefined;
    const parsed = parseDistribution(found.value);
    if (parsed === undefined) onProblem({ ...found, allowed: DURATIONS });
    return parsed;
  };
  const exitCode = (): number => {
    const found = annotationOf(annotations, 'exit-code', container);
    if (found === undefined) return DEFAULT_SCRIPT.exitCode;
    if (/^\d{1,3}$/.test(found.value) && Number(found.value) <= LARGEST_EXIT_CODE) return Number(found.value);
    onProblem({ ...found, allowed: EXIT_CODES });
    return DEFAULT_SCRIPT.exitCode;
  };
  const runFor = duration('run-for');
  const shutdownDelay = duration('shutdown-delay');
  return {
    ...(runFor === undefined ? {} : { runFor }),
    exitCode: exitCode(),
    startDelay: duration('start-delay') ?? DEFAULT_SCRIPT.startDelay,
    readinessDelay: duration('readiness-delay') ?? DEFAULT_SCRIPT.readinessDelay,
    ...(shutdownDelay === undefined ? {} : { shutdownDelay }),
  };
}

/** The text of the warning that the kubelet records on the pod. */
export function problemText({ annotation, value, allowed }: ScriptProblem): string {
  return `annotation ${annotation} must be ${allowed}, got ${JSON.stringify(value)}; the default is used`;
}

/** A container's own annotation wins over the one for all. */
function annotationOf(
  annotations: StringMap,
  name: string,
  container: string,
): { readonly annotation: string; readonly value: string } | undefined {
  for (const annotation of [`${PREFIX}${name}.${container}`, `${PREFIX}${name}`]) {
    const value = annotations[annotation];
    if (value !== undefined) return { annotation, value: value.trim() };
  }
  return undefined;
}
