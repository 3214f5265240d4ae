/** How long a node's container runtime takes where a pod's script is silent. */
import type { Distribution } from '../kernel/distribution.js';

/** Durations of all nodes of a cluster, drawn anew for each use from the node's own stream. */
export interface RuntimeProfile {
  /** Pull of an image that is not on the node yet. @defaultValue lognormal, median 2 s, sigma 0.5 */
  readonly imagePull: Distribution;
  /** Creation of a pod's sandbox with its network. @defaultValue uniform 200..600 ms */
  readonly sandbox: Distribution;
  /** Creation and start of one container. @defaultValue uniform 50..200 ms */
  readonly containerStart: Distribution;
  /** Run time of an init container without a script; it then exits 0. @defaultValue 1 s */
  readonly initRunFor: Distribution;
  /** From SIGTERM to the exit of a container. @defaultValue uniform 100..1000 ms */
  readonly shutdown: Distribution;
}

/** What a profile is filled up with. */
export const DEFAULT_RUNTIME_PROFILE: RuntimeProfile = {
  imagePull: { lognormal: { medianMs: 2000, sigma: 0.5 } },
  sandbox: { uniform: [200, 600] },
  containerStart: { uniform: [50, 200] },
  initRunFor: 1000,
  shutdown: { uniform: [100, 1000] },
};

const ALLOWED =
  'milliseconds >= 0, or one of {uniform: [min, max]}, {exponential: {meanMs}}, ' +
  '{lognormal: {medianMs, sigma}}, {choice: [ms, …]}';

/** A runtime profile that cannot be used. */
export class RuntimeProfileError extends Error {
  override readonly name = 'RuntimeProfileError';
}

/**
 * Checks a profile at the door and fills in what it leaves open.
 *
 * @throws RuntimeProfileError that names the field, what it got and what is allowed
 */
export function resolveRuntimeProfile(profile: Partial<RuntimeProfile> = {}): RuntimeProfile {
  const known = Object.keys(DEFAULT_RUNTIME_PROFILE);
  for (const [field, value] of Object.entries(profile)) {
    if (!known.includes(field)) {
      throw new RuntimeProfileError(`runtime.${field} is unknown; allowed are ${known.join(', ')}`);
    }
    if (!isDistribution(value)) {
      throw new RuntimeProfileError(`runtime.${field} must be ${ALLOWED}, got ${JSON.stringify(value)}`);
    }
  }
  return { ...DEFAULT_RUNTIME_PROFILE, ...profile };
}

function isDistribution(value: unknown): value is Distribution {
  if (isDuration(value)) return true;
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 1) return false;
  const { uniform, exponential, lognormal, choice } = value as Readonly<Record<string, unknown>>;
  if (uniform !== undefined) return isRange(uniform);
  if (choice !== undefined) return Array.isArray(choice) && choice.length > 0 && choice.every(isDuration);
  if (exponential !== undefined) return isDuration((exponential as { readonly meanMs?: unknown }).meanMs);
  if (typeof lognormal !== 'object' || lognormal === null) return false;
  const { medianMs, sigma } = lognormal as { readonly medianMs?: unknown; readonly sigma?: unknown };
  return isDuration(medianMs) && isDuration(sigma);
}

function isRange(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [min, max] = value as readonly unknown[];
  return isDuration(min) && isDuration(max) && min <= max;
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
