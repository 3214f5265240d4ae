/** What a probe of a container's spec asks for, with upstream's defaults filled in. */
import type { Container, core } from '../../api/objects/objects.js';
import { SECOND_MS } from '../../kernel/time-units.js';

/** The three kinds of probe, in the order in which a kubelet makes their workers. */
export const PROBE_KINDS = ['startup', 'readiness', 'liveness'] as const;

/** What a probe decides: whether a container has started, takes traffic, or must be restarted. */
export type ProbeKind = (typeof PROBE_KINDS)[number];

/** The fields of one probe. Zero and absent mean the default. */
export interface ProbeSettings {
  readonly spec: core.Probe;
  /** @defaultValue 0 */
  readonly initialDelayMs: number;
  /** @defaultValue 10 s */
  readonly periodMs: number;
  /** @defaultValue 1 s */
  readonly timeoutMs: number;
  /** @defaultValue 1 */
  readonly successThreshold: number;
  /** @defaultValue 3 */
  readonly failureThreshold: number;
  /** Grace of the kill that this probe causes, in place of the pod's; `undefined` = the pod's. */
  readonly graceSeconds: number | undefined;
}

/** Pods of one template share their specs, and so these. */
const resolved = new WeakMap<core.Probe, ProbeSettings>();

/** The settings of a container's probe; `undefined` when it has none of that kind. */
export function probeSettings(container: Container, kind: ProbeKind): ProbeSettings | undefined {
  const spec = container[`${kind}Probe`];
  if (spec === undefined) return undefined;
  let settings = resolved.get(spec);
  if (settings === undefined) {
    settings = {
      spec,
      initialDelayMs: (spec.initialDelaySeconds ?? 0) * SECOND_MS,
      periodMs: orDefault(spec.periodSeconds, 10) * SECOND_MS,
      timeoutMs: orDefault(spec.timeoutSeconds, 1) * SECOND_MS,
      successThreshold: orDefault(spec.successThreshold, 1),
      failureThreshold: orDefault(spec.failureThreshold, 3),
      graceSeconds: spec.terminationGracePeriodSeconds,
    };
    resolved.set(spec, settings);
  }
  return settings;
}

export function hasProbes({ startupProbe, readinessProbe, livenessProbe }: Container): boolean {
  return startupProbe !== undefined || readinessProbe !== undefined || livenessProbe !== undefined;
}

function orDefault(value: number | undefined, fallback: number): number {
  return value === undefined || value <= 0 ? fallback : value;
}
